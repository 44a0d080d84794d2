//===- Products.h - matrix products ---------------------------------------===//

#ifndef TDC_FRONTEND_TYPED_PRODUCTS_H
#define TDC_FRONTEND_TYPED_PRODUCTS_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// PyTorch's `@`: vectors are rows or columns, leading dims broadcast.
MaybeTyped matmul(TypedBuilder &b, const Typed &lhs, const Typed &rhs);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_PRODUCTS_H
