//===- BuiltinsConversion.cpp - .to and its shorthands, item, detach ------===//
//
// Names that begin with a dot exist as methods only: `x.float()` is f32, while
// `float(x)` is a host number.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "tdc_text.h"

using namespace tdc;
using namespace tdc::sema;

static Val to(Checker &c, const Bound &args) {
  llvm::ArrayRef<Val> given = args.call.positional;
  auto where = c.places.takeDestination(given.drop_front(), args.call.keywords,
                                        args.range());
  return where ? c.places.moveTo(given.front(), *where, args.range())
               : c.fail();
}

template <DType dtype> static Val as(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  return c.tensors.isTensor(input, args.range(), args.what())
             ? c.tensors.castTo(input, dtype)
             : c.fail();
}

static Val movedTo(Checker &c, const Bound &args, Val device) {
  device.range = args.range();
  return c.places.moveTo(args["input"], {std::move(device), std::nullopt},
                         args.range());
}

static Val toCpu(Checker &c, const Bound &args) {
  return movedTo(c, args, makeDevice(getCpu(), args.range()));
}

static Val toCuda(Checker &c, const Bound &args) {
  const Val *which = args.find("device");
  if (!which)
    return movedTo(c, args, makeDevice(c.devices.wordCuda(), args.range()));
  std::optional<Val> device = c.devices.cudaDevice(*which, args.range());
  return device ? movedTo(c, args, *device) : c.fail();
}

static Val item(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (input.isHostScalar())
    return input;
  if (!c.tensors.isTensor(input, args.range(), "`item`"))
    return c.fail();
  auto count = c.host.constantOf(numElements(typeOf(input).dims));
  if (count == std::optional<int64_t>(1))
    return c.tensors.itemOf(input);
  std::string zeros = "0";
  for (size_t i = 1; i < typeOf(input).dims.size(); ++i)
    zeros += ", 0";
  c.error(DiagCode::TD410, args.range(), "`item` needs one element")
      .label(typeText(typeOf(input)))
      .note("reduce it first, as `.mean()` does, or take an element: `x[" +
            zeros + "]`");
  return c.fail();
}

/// Nested lists of these sizes; takes the elements in order.
static Val nested(DimsRef dims, llvm::ArrayRef<Val> &elements, Checker &c) {
  if (dims.empty()) {
    Val element = elements.front();
    elements = elements.drop_front();
    return element;
  }
  Vals list;
  for (int64_t i = 0; i != *c.host.constantOf(dims[0]); ++i)
    list.push_back(nested(dims.drop_front(), elements, c));
  return makeSequence(ValKind::List, std::move(list));
}

static Val toList(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), "`tolist`"))
    return c.fail();
  for (const Size &size : typeOf(input).dims)
    if (!c.host.requireInt(makeInt(size), "the size of a tensor that becomes "
                                          "a list"))
      return c.fail();
  int64_t count = *c.host.constantOf(numElements(typeOf(input).dims));
  constexpr int64_t most = 10000;
  if (count > most) {
    c.error(DiagCode::TD215, args.range(),
            "a list of " + countOf(count, "element") + " of a tensor")
        .label("`tolist` reads up to " + llvm::Twine(most) +
               " of them, one by one");
    return c.fail();
  }
  // One copy to the host, and not one for each element.
  bool isElsewhere = !isCpuOrFree(typeOf(input).place);
  Val flat =
      c.tensors.reshapeTo(isElsewhere ? toCpu(c, args) : input, {Size(count)});
  Vals elements;
  for (int64_t i = 0; i != count; ++i)
    elements.push_back(
        c.tensors.itemOf(c.tensors.sliceOf(flat, makeInt(i), 0, 1, 1)));
  llvm::ArrayRef<Val> rest = elements;
  return nested(typeOf(input).dims, rest, c);
}

static Val detach(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  return c.tensors.isTensor(input, args.range(), "`detach`")
             ? c.training.stopGradient(input)
             : c.fail();
}

static Val clone(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (input.is(ValKind::Tensor))
    return valueOf(input);
  if (input.is(ValKind::Model))
    return c.models.clone(input, args.range());
  return c.unsupported(args.range(), "`clone` of " + describe(input));
}

static Val copyDeeply(Checker &c, const Val &given, SourceRange range) {
  if (given.is(ValKind::List) || given.is(ValKind::Tuple)) {
    Vals copies;
    for (const Val &element : elementsOf(given))
      copies.push_back(copyDeeply(c, element, range));
    return makeSequence(given.kind, std::move(copies));
  }
  if (given.is(ValKind::Optimizer) || given.is(ValKind::Loader))
    return c.unsupported(range, "`deepcopy` of " + describe(given));
  bool isState = given.is(ValKind::State);
  Val model = given;
  model.kind = isState ? ValKind::Model : given.kind;
  if (!model.is(ValKind::Model))
    return given.is(ValKind::Tensor) ? valueOf(given) : given;
  Val result = c.models.clone(model, range);
  if (isState && !result.isError())
    result.kind = ValKind::State;
  return result;
}

/// Python's `copy.deepcopy`.
static Val deepCopy(Checker &c, const Bound &args) {
  return copyDeeply(c, args["x"], args.range());
}

/// Rounds a value that a function of the prelude has computed in f32 to the f16
/// or bf16 of its arguments (NarrowFloats.cpp). The result is f32 again, like
/// the arguments: tensor cores multiply both in their narrow dtype.
static Val roundedAsGiven(Checker &c, const Bound &args) {
  const Val &input = args["input"];
  if (!c.tensors.isTensor(input, args.range(), "`rounded_as_given`"))
    return c.fail();
  return c.tensors.givenNarrow ? c.tensors.widened(c.tensors.rounded(
                                     input, *c.tensors.givenNarrow))
                               : input;
}

/// The same for the gradient; the value is unchanged.
static Val gradientRoundedAsGiven(Checker &c, const Bound &args) {
  Val result = valueOf(args["input"]);
  if (!c.tensors.isTensor(args["input"], args.range(),
                          "`gradient_rounded_as_given`"))
    return c.fail();
  if (!c.tensors.givenNarrow || typeOf(result).dtype != DType::F32)
    return result;
  TensorType narrow = typeOf(result);
  narrow.dtype = *c.tensors.givenNarrow;
  result.value =
      c.emit().roundGradient(result.value, c.tensors.shapeOf(narrow));
  return result;
}

llvm::ArrayRef<Builtin> sema::getConversionBuiltins() {
  static const Builtin table[] = {
      {".to", "input, *device_dtype, device=, dtype=, non_blocking=, copy=", to,
       Shares::Kept},
      {".float", "input", as<DType::F32>, Shares::Kept},
      {".double", "input", as<DType::F64>, Shares::Kept},
      {".half", "input", as<DType::F16>, Shares::Kept},
      {".bfloat16", "input", as<DType::BF16>, Shares::Kept},
      {".int", "input", as<DType::I32>, Shares::Kept},
      {".long", "input", as<DType::I64>, Shares::Kept},
      {".bool", "input", as<DType::Bool>, Shares::Kept},
      {".cuda", "input, device=, non_blocking=", toCuda, Shares::Kept},
      {".cpu", "input", toCpu, Shares::Kept},
      {"item", "input", item},
      {".tolist", "input", toList},
      {"detach", "input", detach, Shares::Kept},
      {"clone", "input", clone},
      {"deepcopy", "x", deepCopy},
      {"rounded_as_given", "input", roundedAsGiven, Shares::Kept},
      {"gradient_rounded_as_given", "input", gradientRoundedAsGiven,
       Shares::Kept},
  };
  return table;
}
