//===- Pooling.h - one element of each window
//------------------------------===//

#ifndef TDC_FRONTEND_TYPED_POOLING_H
#define TDC_FRONTEND_TYPED_POOLING_H

#include "Frontend/Typed/Windows.h"

namespace tdc::typed {

/// Of [N, C, L…]. Where `ceil` holds, a last window may end beyond the input,
/// but starts within it or its low border.
MaybeTyped maxPool(TypedBuilder &b, const Typed &input,
                   llvm::ArrayRef<int64_t> kernel,
                   llvm::ArrayRef<WindowDim> dims, bool ceil);
/// Divides by `divisor`, or else by the number of elements in a window, those
/// of borders among them if `countsPadding`.
MaybeTyped averagePool(TypedBuilder &b, const Typed &input,
                       llvm::ArrayRef<int64_t> kernel,
                       llvm::ArrayRef<WindowDim> dims, bool ceil,
                       bool countsPadding, std::optional<int64_t> divisor);
/// Windows that make the last dims of these sizes.
MaybeTyped adaptivePool(TypedBuilder &b, const Typed &input,
                        llvm::ArrayRef<int64_t> output, bool isMax);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_POOLING_H
