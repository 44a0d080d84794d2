//===- Elementwise.h - ops on elements of one coordinate
//-------------------===//

#ifndef TDC_FRONTEND_TYPED_ELEMENTWISE_H
#define TDC_FRONTEND_TYPED_ELEMENTWISE_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// What operands become before an op takes their elements one by one.
struct CommonType {
  TensorType type;
  bool bothGrow; ///< no operand has the shape: legal, and rarely meant
};
/// The operands broadcast, and have one dtype; bool counts as 0 and 1. `what`
/// is the op to the program.
std::optional<CommonType> commonType(TypedBuilder &b,
                                     llvm::ArrayRef<Typed> operands,
                                     llvm::StringRef what);
/// An operand as the common type wants it.
Typed fit(TypedBuilder &b, const Typed &operand, const TensorType &common);

/// TD301: two dtypes where one is wanted. Operand number `operand` would have
/// to be of dtype `right`, one of the two.
std::nullopt_t failDTypes(TypedBuilder &b, DType lhs, DType rhs, size_t operand,
                          DType right, const llvm::Twine &label = {});

/// Whether the op is defined for the dtype of operand 0; TD304 if not.
bool accepts(TypedBuilder &b, OpKind kind, DType dtype, llvm::StringRef what);

/// An op of the families Unary and Binary.
MaybeTyped elementwise(TypedBuilder &b, OpKind kind,
                       llvm::ArrayRef<Typed> operands, llvm::StringRef what);
MaybeTyped compare(TypedBuilder &b, td::ComparePredicate predicate,
                   const Typed &lhs, const Typed &rhs, llvm::StringRef what);
/// torch.where
MaybeTyped select(TypedBuilder &b, const Typed &condition, const Typed &onTrue,
                  const Typed &onFalse);

Typed cast(TypedBuilder &b, const Typed &input, DType dtype);
/// f16 and bf16 in f32, any other tensor as it is.
Typed widen(TypedBuilder &b, const Typed &input);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_ELEMENTWISE_H
