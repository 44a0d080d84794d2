//===- Convolutions.h - contractions over windows -------------------------===//

#ifndef TDC_FRONTEND_TYPED_CONVOLUTIONS_H
#define TDC_FRONTEND_TYPED_CONVOLUTIONS_H

#include "Frontend/Typed/Windows.h"

namespace tdc::typed {

/// [N, C, L…] with weights [O, C / groups, K…]: torch.conv1d, 2d, 3d.
MaybeTyped convolve(TypedBuilder &b, const Typed &input, const Typed &weight,
                    llvm::ArrayRef<WindowDim> dims, int64_t groups);
/// The gradient of `convolve` with respect to its input:
/// torch.conv_transpose1d, 2d, 3d. `input` [N, O, L…] is the cotangent, weights
/// are [O, C / groups, K…]. `outputPadding` elements are added after each dim.
MaybeTyped convolveTransposed(TypedBuilder &b, const Typed &input,
                              const Typed &weight,
                              llvm::ArrayRef<WindowDim> dims,
                              llvm::ArrayRef<int64_t> outputPadding,
                              int64_t groups);
/// The bias of a convolution, in the shape in which it is added to the result:
/// [C] as [C, 1…], with `count` dims for the windows. It must have a number for
/// each of the `channels` of the result.
MaybeTyped biasColumn(TypedBuilder &b, const Typed &bias, const Size &channels,
                      size_t count);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_CONVOLUTIONS_H
