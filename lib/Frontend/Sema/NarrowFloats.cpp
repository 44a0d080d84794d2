//===- NarrowFloats.cpp - where f16 and bf16 are rounded ------------------===//
//
// Kernels compute an op on narrow floats in f32 and round its result. A
// function that is one op in PyTorch and several ops here gets f32 operands,
// and only its result is rounded.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static bool isNarrow(const Val &val) {
  return val.is(ValKind::Tensor) && isNarrowFloat(typeOf(val).dtype);
}

Val Tensors::widened(const Val &val) {
  return isNarrow(val) ? castTo(val, DType::F32) : val;
}

Val Tensors::rounded(const Val &val, DType dtype) {
  if (val.is(ValKind::Tuple) || val.is(ValKind::List)) {
    Vals parts;
    for (const Val &part : elementsOf(val))
      parts.push_back(rounded(part, dtype));
    return makeSequence(val.kind, std::move(parts));
  }
  bool isWide = val.is(ValKind::Tensor) && typeOf(val).dtype == DType::F32;
  return isWide ? castTo(val, dtype) : val;
}

/// Whether PyTorch uses a number next to a narrow tensor unrounded in this op.
/// In other ops, such as powers and comparisons, it rounds the number to the
/// tensor's dtype.
static bool isArithmetic(OpKind op) {
  switch (op) {
  case OpKind::Add:
  case OpKind::Sub:
  case OpKind::Mul:
  case OpKind::Div:
  case OpKind::FloorDiv:
  case OpKind::Mod:
    return true;
  default:
    return false;
  }
}

std::optional<DType>
Tensors::findNarrowWithNumber(OpKind op, llvm::ArrayRef<Val> operands) {
  if (!isArithmetic(op))
    return std::nullopt;
  bool numberFirst = operands[0].isHostScalar();
  const Val &tensor = operands[numberFirst], &number = operands[!numberFirst];
  if (!isNarrow(tensor) || !number.isHostScalar())
    return std::nullopt;
  return typeOf(tensor).dtype;
}

/// The narrow dtype that all float tensors among the values have.
static std::optional<DType> findNarrow(llvm::ArrayRef<Val> vals) {
  std::optional<DType> found;
  for (const Val &val : vals) {
    if (!val.is(ValKind::Tensor) || !isFloat(typeOf(val).dtype))
      continue;
    DType dtype = typeOf(val).dtype;
    if (!isNarrowFloat(dtype) || (found && *found != dtype))
      return std::nullopt;
    found = dtype;
  }
  return found;
}

Val Calls::callPreludeFunction(const FunctionInfo &fn, CallArgs &args) {
  Vals all = args.positional;
  for (const CallArgs::Keyword &keyword : args.keywords)
    all.push_back(keyword.val);
  std::optional<DType> narrow = findNarrow(all);
  // A function with a `dtype` decides itself in which it computes.
  bool hasDType = llvm::any_of(fn.decl->params, [](const ast::Param &param) {
    return param.name.text == "dtype";
  });
  if (!narrow || hasDType)
    return callFunction(fn, args);
  CallArgs wide = args;
  for (Val &val : wide.positional)
    val = c.tensors.widened(val);
  for (CallArgs::Keyword &keyword : wide.keywords)
    keyword.val = c.tensors.widened(keyword.val);
  Restore<std::optional<DType>> saved(c.tensors.givenNarrow, narrow);
  return c.tensors.rounded(callFunction(fn, wide), *narrow);
}
