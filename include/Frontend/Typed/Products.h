//===- Products.h - matrix products ---------------------------------------===//

#ifndef TDC_FRONTEND_TYPED_PRODUCTS_H
#define TDC_FRONTEND_TYPED_PRODUCTS_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// PyTorch's `@`: vectors are rows or columns, leading dims broadcast.
MaybeTyped matmul(TypedBuilder &b, const Typed &lhs, const Typed &rhs);
/// Requires that an operand has `rank` dims, as dot (1), mm (2) and bmm (3) do;
/// each is `matmul` of such operands.
bool requireRank(TypedBuilder &b, const Typed &operand, size_t rank);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_PRODUCTS_H
