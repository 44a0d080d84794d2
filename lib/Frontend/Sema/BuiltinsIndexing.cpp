//===- BuiltinsIndexing.cpp - gather, scatter, index_select … -------------===//

#include "BuiltinArguments.h"
#include "Frontend/Typed/Indexing.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::sema;
using td::ReduceKind;

namespace {
/// The tensors of a gather or scatter in one place, each with at least one dim,
/// and `dim=`.
struct Along {
  Vals tensors;
  unsigned dim;
  bool isOfNumber; ///< the result has no dims
};
} // namespace

/// A tensor without dims is one of size 1, as in PyTorch. The index tensor is
/// the second of `names`.
static std::optional<Along> takeAlong(Checker &c, const Bound &args,
                                      llvm::ArrayRef<llvm::StringRef> names) {
  Along along;
  for (llvm::StringRef name : names) {
    if (!c.tensors.isTensor(args[name], args.range(), args.what()))
      return std::nullopt;
    along.tensors.push_back(args[name]);
  }
  along.isOfNumber = typeOf(along.tensors[0]).dims.empty();
  Val &index = along.tensors[1];
  if (!isInteger(typeOf(index).dtype)) {
    Diagnostic &report = c.error(DiagCode::TD301, args.range(),
                                 "no implicit conversion between i64 and " +
                                     tdc::spelling(typeOf(index).dtype))
                             .label("indices are i64");
    c.offerSuffix(report, index.range, ".to(int)");
    return std::nullopt;
  }
  index = c.tensors.castTo(index, DType::I64);
  for (Val &tensor : along.tensors)
    if (typeOf(tensor).dims.empty())
      tensor = c.tensors.reshapeTo(tensor, {Size(1)});
  auto dim =
      c.tensors.takeDim(args["dim"], typeOf(along.tensors[0]), args.range());
  if (!dim || !c.places.samePlace(along.tensors, args.range()))
    return std::nullopt;
  along.dim = *dim;
  return along;
}

/// PyTorch takes an index tensor without elements, of any shape.
static bool isEmptyIndex(Checker &c, const Bound &args) {
  const Val &index = args["index"];
  return index.is(ValKind::Tensor) &&
         c.host.constantOf(numElements(typeOf(index).dims)) ==
             std::optional<int64_t>(0);
}

static Val gather(Checker &c, const Bound &args) {
  if (isEmptyIndex(c, args) && args["input"].is(ValKind::Tensor))
    return c.tensors.fillTensor(makeInt(0), {typeOf(args["input"]).dtype,
                                             typeOf(args["index"]).dims,
                                             typeOf(args["input"]).place});
  auto along = takeAlong(c, args, {"input", "index"});
  if (!along)
    return c.fail();
  Val result = c.tensors.finish(
      typed::gatherAlong(c.tensors.builder, typedOf(along->tensors[0]),
                         typedOf(along->tensors[1]), along->dim, args.what()),
      along->tensors, args.range());
  return typeOf(args["index"]).dims.empty() ? dropRow(c, result) : result;
}

/// Writes the elements of a source, or combines them with those there.
static Val scatterAlong(Checker &c, const Bound &args, const Along &along,
                        std::optional<ReduceKind> combine) {
  Val result = c.tensors.finish(
      typed::scatterAlong(c.tensors.builder, typedOf(along.tensors[0]),
                          typedOf(along.tensors[1]), typedOf(along.tensors[2]),
                          along.dim, combine, c.userFunction(args.what())),
      along.tensors, args.range());
  return along.isOfNumber ? dropRow(c, result) : result;
}

static Val scatterAdd(Checker &c, const Bound &args) {
  if (isEmptyIndex(c, args))
    return args["input"];
  auto along = takeAlong(c, args, {"input", "index", "src"});
  return along ? scatterAlong(c, args, *along, ReduceKind::Sum) : c.fail();
}

static Val scatter(Checker &c, const Bound &args) {
  if (isEmptyIndex(c, args))
    return args["input"];
  std::optional<ReduceKind> combine;
  if (const Val *reduce = args.find("reduce");
      reduce && !reduce->is(ValKind::None)) {
    auto name = c.host.requireStr(*reduce, "`reduce`");
    if (!name)
      return c.fail();
    combine = llvm::StringSwitch<std::optional<ReduceKind>>(*name)
                  .Case("add", ReduceKind::Sum)
                  .Case("multiply", ReduceKind::Prod)
                  .Case("amax", ReduceKind::Max)
                  .Case("amin", ReduceKind::Min)
                  .Default(std::nullopt);
    // PyTorch has the extremes in scatter_reduce only, which the prelude
    // writes.
    bool isExtreme = combine == ReduceKind::Max || combine == ReduceKind::Min;
    if (!combine || (isExtreme && !c.isPrelude(c.scopes.file->id))) {
      c.error(DiagCode::TD222, reduce->range,
              "`reduce` is \"add\" or \"multiply\"");
      return c.fail();
    }
  }
  const Val *value = args.find("value"), *source = args.find("src");
  if (bool(value) == bool(source)) {
    c.error(DiagCode::TD205, args.range(),
            "`scatter` takes either `src` or `value`");
    return c.fail();
  }
  const Val &src = value ? *value : *source;
  if (!src.isHostScalar()) {
    auto along = takeAlong(c, args, {"input", "index", "src"});
    return along ? scatterAlong(c, args, *along, combine) : c.fail();
  }
  auto along = takeAlong(c, args, {"input", "index"});
  if (!along)
    return c.fail();
  TensorType type = typeOf(along->tensors[1]);
  type.dtype = typeOf(along->tensors[0]).dtype;
  if (!c.tensors.takesFloat(src, type.dtype, args.range()))
    return c.fail();
  along->tensors.push_back(c.tensors.fillTensor(src, type));
  return scatterAlong(c, args, *along, combine);
}

/// An index tensor of one dim; none, after a report, if it has more.
static std::optional<Val> takeRows(Checker &c, const Bound &args) {
  const Val &index = args["index"];
  if (!c.tensors.isTensor(index, args.range(), args.what()))
    return std::nullopt;
  size_t rank = typeOf(index).dims.size();
  if (rank > 1) {
    c.error(DiagCode::TD401, args.range(),
            args.what() + " takes an index of one dim")
        .label("this one is " + typeText(typeOf(index)));
    return std::nullopt;
  }
  return rank == 1 ? index : c.tensors.reshapeTo(index, {Size(1)});
}

static Val indexSelect(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), args.what()))
    return c.fail();
  auto index = takeRows(c, args);
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  return index && dim ? c.tensors.gatherOf(input, *index, *dim, args.range())
                      : c.fail();
}

/// Writes rows of a source to `input` at the positions of an index tensor, or
/// combines them with those there.
static Val writeRows(Checker &c, const Bound &args, const Val &input,
                     const Val &source, std::optional<ReduceKind> combine) {
  auto index = takeRows(c, args);
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  if (!dim || !index)
    return c.fail();
  Vals all{input, *index, source};
  if (!c.places.samePlace(all, args.range()))
    return c.fail();
  typed::Pick pick{*dim, typedOf(all[1])};
  return c.tensors.finish(typed::scatterAt(c.tensors.builder, typedOf(all[0]),
                                           pick, typedOf(all[2]), combine),
                          all, args.range());
}

/// index_add and index_copy: the source has a row for each index.
static Val writeSource(Checker &c, const Bound &args, Val source,
                       std::optional<ReduceKind> combine) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), args.what()) ||
      !c.tensors.isTensor(source, args.range(), args.what()))
    return c.fail();
  if (typeOf(source).dims.empty())
    source = c.tensors.reshapeTo(source, {Size(1)});
  auto dim = c.tensors.takeDim(args["dim"], typeOf(input), args.range());
  auto index = takeRows(c, args);
  if (!dim || !index)
    return c.fail();
  Dims wanted = typeOf(input).dims;
  wanted[*dim] = typeOf(*index).dims[0];
  ShapeAnswer answer =
      sameShape(typeOf(source).dims, wanted, "the source has other sizes");
  if (!answer || !c.tensors.prove(answer)) {
    c.error(DiagCode::TD401, args.range(), "shapes do not fit: " + args.what())
        .label("`source` is " + typeText(typeOf(source)) + ", not of shape " +
               spelling(wanted));
    return c.fail();
  }
  return writeRows(c, args, input, source, combine);
}

static Val indexAdd(Checker &c, const Bound &args) {
  Val source = args["source"];
  if (const Val *alpha = args.find("alpha"))
    source = c.binary(ast::BinaryOp::Mul, source, *alpha, args.range());
  return writeSource(c, args, source, ReduceKind::Sum);
}

static Val indexCopy(Checker &c, const Bound &args) {
  return writeSource(c, args, args["source"], std::nullopt);
}

/// A value where an index names a row, however often.
static Val indexFill(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), args.what()))
    return c.fail();
  const Val &value = args["value"];
  bool isTensor = value.is(ValKind::Tensor);
  if (isTensor && (!typeOf(value).dims.empty() ||
                   typeOf(value).dtype != typeOf(input).dtype)) {
    c.error(DiagCode::TD401, args.range(),
            "`value` of `index_fill` is a number or a tensor without dims, of "
            "the same dtype")
        .label("this one is " + typeText(typeOf(value)));
    return c.fail();
  }
  TensorType type{DType::Bool, typeOf(input).dims, typeOf(input).place};
  Val none = c.tensors.fillTensor(makeBool(false), type);
  type.dims = {};
  Val isNamed = writeRows(
      c, args, none, c.tensors.fillTensor(makeBool(true), type), std::nullopt);
  return isNamed.isError()
             ? isNamed
             : c.tensors.selectTensors(isNamed, value, input, args.range());
}

llvm::ArrayRef<Builtin> sema::getIndexingBuiltins() {
  static const Builtin table[] = {
      {"gather", "input, dim, index", gather},
      {"scatter", "input, dim, index, src=, *, value=, reduce=", scatter},
      {"scatter_add", "input, dim, index, src", scatterAdd},
      {"index_select", "input, dim, index", ofAnyRank<indexSelect>},
      {"index_add",
       "input, dim, index, source, *, alpha=", ofAnyRank<indexAdd>},
      {"index_copy", "input, dim, index, source", ofAnyRank<indexCopy>},
      {"index_fill", "input, dim, index, value", ofAnyRank<indexFill>},
  };
  return table;
}
