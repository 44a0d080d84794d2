//===- Elementwise.cpp - ops on elements of one coordinate ----------------===//

#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Movement.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace tdc::typed {

int categoryOf(DType dtype) {
  return dtype == DType::Bool ? 0 : isFloat(dtype) ? 2 : 1;
}

std::nullopt_t failDTypes(TypedBuilder &b, DType lhs, DType rhs, size_t operand,
                          DType right, const llvm::Twine &label) {
  DType wrong = right == lhs ? rhs : lhs;
  b.fail(DiagCode::TD301,
         "no implicit conversion between " + spelling(lhs) + " and " +
             spelling(rhs),
         label);
  b.failure.conversion = {operand, spelling(right),
                          categoryOf(wrong) < categoryOf(right)};
  return std::nullopt;
}

/// The dtype of all operands other than bool.
static std::optional<DType> commonDType(TypedBuilder &b,
                                        llvm::ArrayRef<Typed> operands,
                                        llvm::StringRef what) {
  auto order = [](DType dtype) {
    return std::make_pair(categoryOf(dtype), byteSize(dtype));
  };
  DType dtype = operands.front().type.dtype;
  size_t giver = 0;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    DType own = operand.type.dtype;
    if (dtype == DType::Bool) {
      dtype = own;
      giver = i;
    } else if (own != dtype && own != DType::Bool) {
      bool isOwnWrong = order(own) <= order(dtype);
      return failDTypes(b, dtype, own, isOwnWrong ? i : giver,
                        isOwnWrong ? dtype : own,
                        typeText(operands[giver].type) + " " + what + " " +
                            typeText(operand.type));
    }
  }
  return dtype;
}

std::optional<CommonType> commonType(TypedBuilder &b,
                                     llvm::ArrayRef<Typed> operands,
                                     llvm::StringRef what) {
  std::optional<DType> dtype = commonDType(b, operands, what);
  if (!dtype)
    return std::nullopt;
  llvm::SmallVector<DimsRef, 3> shapes;
  for (const Typed &operand : operands)
    shapes.push_back(operand.type.dims);
  ShapeAnswer answer = broadcastShapes(shapes);
  if (!b.prove(answer)) {
    std::string all;
    for (DimsRef dims : shapes)
      all += (all.empty() ? "" : " and ") + spelling(dims);
    return b.fail(DiagCode::TD401, "shapes do not fit: " + what + " of " + all,
                  answer.problem);
  }
  return CommonType{{*dtype, answer.dims, sharedPlace(operands)},
                    answer.bothExpanded};
}

Typed fit(TypedBuilder &b, const Typed &operand, const TensorType &common) {
  return broadcast(b, cast(b, operand, common.dtype), common.dims);
}

bool accepts(TypedBuilder &b, OpKind kind, DType dtype, llvm::StringRef what) {
  const OpInfo &info = getOpInfo(kind);
  if (info.accepts(dtype))
    return true;
  b.fail(DiagCode::TD304,
         what + " is not defined for " + spelling(dtype) + " tensors");
  bool takesFloats = info.accepts(DType::F32);
  if (info.accepts(DType::I64) && (dtype == DType::Bool || !takesFloats))
    b.failure.conversion = {0, "int", /*isPromotion=*/false};
  else if (takesFloats)
    b.failure.conversion = {0, "f32", /*isPromotion=*/true};
  return false;
}

/// The values of operands that fit `common`.
static llvm::SmallVector<Value> fitAll(TypedBuilder &b,
                                       llvm::ArrayRef<Typed> operands,
                                       const TensorType &common) {
  return llvm::map_to_vector(operands, [&](const Typed &operand) {
    return fit(b, operand, common).value;
  });
}

MaybeTyped elementwise(TypedBuilder &b, OpKind kind,
                       llvm::ArrayRef<Typed> operands, llvm::StringRef what) {
  std::optional<CommonType> common = commonType(b, operands, what);
  if (!common || !accepts(b, kind, common->type.dtype, what))
    return std::nullopt;
  return b.make(kind, fitAll(b, operands, common->type), {}, common->type);
}

MaybeTyped compare(TypedBuilder &b, td::ComparePredicate predicate,
                   const Typed &lhs, const Typed &rhs, llvm::StringRef what) {
  std::optional<CommonType> common = commonType(b, {lhs, rhs}, what);
  if (!common)
    return std::nullopt;
  TensorType type = common->type;
  type.dtype = DType::Bool;
  return b.make(OpKind::Compare, fitAll(b, {lhs, rhs}, common->type),
                {{"predicate", predicate}}, std::move(type));
}

MaybeTyped select(TypedBuilder &b, const Typed &condition, const Typed &onTrue,
                  const Typed &onFalse) {
  if (condition.type.dtype != DType::Bool)
    return b.fail(DiagCode::TD301, "the condition must be a bool tensor, not " +
                                       typeText(condition.type));
  std::optional<CommonType> common =
      commonType(b, {onTrue, onFalse}, "`where`");
  if (!common)
    return std::nullopt;
  ShapeAnswer answer =
      broadcastShapes({condition.type.dims, common->type.dims});
  if (!b.prove(answer))
    return b.fail(DiagCode::TD401,
                  "shapes do not fit: `where` of " +
                      spelling(condition.type.dims) + " and " +
                      spelling(common->type.dims),
                  answer.problem);
  TensorType type = common->type;
  type.dims = answer.dims;
  type.place = sharedPlace({condition, onTrue, onFalse});
  return b.make(OpKind::Select,
                {broadcast(b, condition, type.dims).value,
                 fit(b, onTrue, type).value, fit(b, onFalse, type).value},
                {}, type);
}

Typed cast(TypedBuilder &b, const Typed &input, DType dtype) {
  if (input.type.dtype == dtype)
    return input;
  TensorType type = input.type;
  type.dtype = dtype;
  return b.make(OpKind::Cast, input.value, {}, std::move(type));
}

Typed widen(TypedBuilder &b, const Typed &input) {
  return isNarrowFloat(input.type.dtype) ? cast(b, input, DType::F32) : input;
}

} // namespace tdc::typed
