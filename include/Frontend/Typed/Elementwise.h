//===- Elementwise.h - ops on elements of one coordinate ------------------===//

#ifndef TDC_FRONTEND_TYPED_ELEMENTWISE_H
#define TDC_FRONTEND_TYPED_ELEMENTWISE_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// The type to which the operands of an elementwise op are converted.
struct CommonType {
  TensorType type;
  bool bothGrow; ///< no operand has the shape: legal, and rarely meant
};
/// The type to which the operands broadcast. They have one dtype; bool counts
/// as 0 and 1. `what` names the op in messages.
std::optional<CommonType> commonType(TypedBuilder &b,
                                     llvm::ArrayRef<Typed> operands,
                                     llvm::StringRef what);
/// Converts an operand to the common type.
Typed fit(TypedBuilder &b, const Typed &operand, const TensorType &common);

/// PyTorch's categories of dtypes, in its order: bool, int, float.
int categoryOf(DType dtype);

/// Fails with TD301: the operands have two dtypes. Operand number `operand`
/// would need the dtype `right`, one of the two.
std::nullopt_t failDTypes(TypedBuilder &b, DType lhs, DType rhs, size_t operand,
                          DType right, const llvm::Twine &label = {});

/// Whether the op is defined for the dtype of operand 0; fails with TD304 if
/// not.
bool accepts(TypedBuilder &b, OpKind kind, DType dtype, llvm::StringRef what);

/// Makes an op of the family Unary or Binary.
MaybeTyped elementwise(TypedBuilder &b, OpKind kind,
                       llvm::ArrayRef<Typed> operands, llvm::StringRef what);
MaybeTyped compare(TypedBuilder &b, td::ComparePredicate predicate,
                   const Typed &lhs, const Typed &rhs, llvm::StringRef what);
/// torch.where
MaybeTyped select(TypedBuilder &b, const Typed &condition, const Typed &onTrue,
                  const Typed &onFalse);

Typed cast(TypedBuilder &b, const Typed &input, DType dtype);
/// Converts f16 and bf16 to f32; returns any other tensor unchanged.
Typed widen(TypedBuilder &b, const Typed &input);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_ELEMENTWISE_H
