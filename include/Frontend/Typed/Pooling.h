//===- Pooling.h - pooling over windows -----------------------------------===//

#ifndef TDC_FRONTEND_TYPED_POOLING_H
#define TDC_FRONTEND_TYPED_POOLING_H

#include "Frontend/Typed/Windows.h"

namespace tdc::typed {

/// Max pooling of [N, C, L…]. With `ceil`, the last window may end past the
/// input, but starts within the input or its low border.
MaybeTyped maxPool(TypedBuilder &b, const Typed &input,
                   llvm::ArrayRef<int64_t> kernel,
                   llvm::ArrayRef<WindowDim> dims, bool ceil);
/// Average pooling. Divides by `divisor` if given, else by the number of
/// elements in a window, which includes borders if `countsPadding`.
MaybeTyped averagePool(TypedBuilder &b, const Typed &input,
                       llvm::ArrayRef<int64_t> kernel,
                       llvm::ArrayRef<WindowDim> dims, bool ceil,
                       bool countsPadding, std::optional<int64_t> divisor);
/// Pools over windows chosen so that the last dims get the sizes `output`.
MaybeTyped adaptivePool(TypedBuilder &b, const Typed &input,
                        llvm::ArrayRef<int64_t> output, bool isMax);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_POOLING_H
