//===- BuiltinsIndexing.cpp - gather, scatter_add, index_select -----------===//

#include "Checker.h"
#include "Frontend/Typed/Indexing.h"

using namespace tdc;
using namespace tdc::sema;

/// Index tensors are i64.
static bool isIndex(Checker &c, const Val &index, SourceRange range) {
  if (!c.tensors.isTensor(index, range, "`index`"))
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
  if (!c.tensors.isTensor(input, args.range(), "`gather`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  if (!dim)
    return c.fail();
  Vals both{input, index};
  if (!c.places.samePlace(both, args.range()))
    return c.fail();
  return c.tensors.finish(typed::gatherAlong(c.tensors.builder,
                                             typedOf(both[0]), typedOf(both[1]),
                                             *dim, args.what()),
                          both, args.range());
}

static Val scatterAdd(Checker &c, const Bound &args) {
  const Val &input = args["input"], &index = args["index"], &src = args["src"];
  if (!c.tensors.isTensor(input, args.range(), "`scatter_add`") ||
      !c.tensors.isTensor(src, args.range(), "`scatter_add`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  if (!dim)
    return c.fail();
  Vals all{input, index, src};
  if (!c.places.samePlace(all, args.range()))
    return c.fail();
  return c.tensors.finish(
      typed::scatterAddAlong(c.tensors.builder, typedOf(all[0]),
                             typedOf(all[1]), typedOf(all[2]), *dim,
                             args.what()),
      all, args.range());
}

static Val indexSelect(Checker &c, const Bound &args) {
  const Val &input = args["input"], &index = args["index"];
  if (!c.tensors.isTensor(input, args.range(), "`index_select`") ||
      !isIndex(c, index, args.range()))
    return c.fail();
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  return dim ? c.tensors.gatherOf(input, index, *dim, args.range()) : c.fail();
}

llvm::ArrayRef<Builtin> sema::getIndexingBuiltins() {
  static const Builtin table[] = {
      {"gather", "input, dim, index", gather},
      {"scatter_add", "input, dim, index, src", scatterAdd},
      {"index_select", "input, dim, index", indexSelect},
  };
  return table;
}
