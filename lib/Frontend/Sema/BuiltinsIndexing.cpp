//===- BuiltinsIndexing.cpp - gather, scatter_add, index_select -----------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

/// Index tensors are i64.
static bool isIndex(Checker &c, const Val &index, SourceRange range) {
  if (!c.isTensor(index, range, "`index`"))
    return false;
  if (typeOf(index).dtype == DType::I64)
    return true;
  Diagnostic &report = c.error(DiagCode::TD301, range,
                               "no implicit conversion between i64 and " +
                                   tdc::spelling(typeOf(index).dtype))
                           .label("indices are i64");
  c.offerSuffix(report, index.range, ".to(int)");
  return false;
}

static Val gather(Checker &c, const Bound &args) {
  const Val &input = args["input"], &index = args["index"];
  if (!c.isTensor(input, args.range(), "`gather`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.takeDim(args["dim"], typeOf(input), args.range());
  if (!dim)
    return c.fail();
  ShapeAnswer answer =
      gatherAlongShape(typeOf(input).dims, typeOf(index).dims, *dim);
  if (!answer || !c.prove(answer)) {
    c.error(DiagCode::TD401, args.range(), "shapes do not fit: `gather`")
        .label(answer.problem);
    return c.fail();
  }
  Vals both{input, index};
  auto place = c.samePlace(both, args.range());
  if (!place)
    return c.fail();
  TensorType type{typeOf(input).dtype, answer.dims, *place};
  Value value =
      c.emit().gatherAlong(both[0].value, both[1].value, *dim, c.shapeOf(type));
  return makeTensor(type, value, both[0].as<TensorInfo>().placed);
}

static Val scatterAdd(Checker &c, const Bound &args) {
  const Val &input = args["input"], &index = args["index"], &src = args["src"];
  if (!c.isTensor(input, args.range(), "`scatter_add`") ||
      !c.isTensor(src, args.range(), "`scatter_add`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.takeDim(args["dim"], typeOf(input), args.range());
  if (!dim)
    return c.fail();
  if (typeOf(src).dtype != typeOf(input).dtype) {
    c.error(DiagCode::TD301, args.range(),
            "no implicit conversion between " +
                tdc::spelling(typeOf(input).dtype) + " and " +
                tdc::spelling(typeOf(src).dtype));
    return c.fail();
  }
  ShapeAnswer answer =
      gatherAlongShape(typeOf(input).dims, typeOf(index).dims, *dim);
  ShapeAnswer both = sameShape(typeOf(index).dims, typeOf(src).dims,
                               "index and source differ");
  if (!answer || !c.prove(answer) || !both || !c.prove(both)) {
    c.error(DiagCode::TD401, args.range(), "shapes do not fit: `scatter_add`")
        .label(answer.problem.empty() ? both.problem : answer.problem);
    return c.fail();
  }
  Vals all{input, index, src};
  if (!c.samePlace(all, args.range()))
    return c.fail();
  Value value =
      c.emit().scatterAddAlong(all[0].value, all[1].value, all[2].value, *dim);
  return makeTensor(typeOf(all[0]), value, all[0].as<TensorInfo>().placed);
}

static Val indexSelect(Checker &c, const Bound &args) {
  const Val &input = args["input"], &index = args["index"];
  if (!c.isTensor(input, args.range(), "`index_select`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.takeDim(args["dim"], typeOf(input), args.range());
  return dim ? c.gatherOf(input, index, *dim, args.range()) : c.fail();
}

llvm::ArrayRef<Builtin> sema::getIndexingBuiltins() {
  static const Builtin table[] = {
      {"gather", "input, dim, index", gather},
      {"scatter_add", "input, dim, index, src", scatterAdd},
      {"index_select", "input, dim, index", indexSelect},
  };
  return table;
}
