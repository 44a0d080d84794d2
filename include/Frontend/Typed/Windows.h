//===- Windows.h - borders around tensors, and windows over them ----------===//

#ifndef TDC_FRONTEND_TYPED_WINDOWS_H
#define TDC_FRONTEND_TYPED_WINDOWS_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// Elements added before and after a dim; a negative number removes elements.
struct Padding {
  int64_t low = 0, high = 0;
};

enum class PaddingMode : uint8_t { Constant, Reflect, Replicate, Circular };

/// How windows lie along one dim. Strides and dilations are at least 1,
/// paddings at least 0 (see `checkDims`).
struct WindowDim {
  int64_t stride = 1, dilation = 1;
  Padding padding;
};

/// Pads with one Padding per dim; `fill` is the constant.
MaybeTyped pad(TypedBuilder &b, const Typed &input,
               llvm::ArrayRef<Padding> padding, PaddingMode mode,
               double fill = 0);

bool checkDims(TypedBuilder &b, llvm::ArrayRef<WindowDim> dims);
/// Checks the same, and that the input is [N, C, L…] and the kernel has
/// elements.
bool checkWindow(TypedBuilder &b, const Typed &input,
                 llvm::ArrayRef<int64_t> kernel,
                 llvm::ArrayRef<WindowDim> dims);
/// The largest offset at which a window of a dim may start, counted from the
/// first element of the border; negative if no window fits.
Size lastStart(const Size &size, const Size &kernel, const WindowDim &dim);
/// How many windows there are along a dim of this size; `what` names the dim in
/// messages.
std::optional<Size> countWindows(TypedBuilder &b, const Size &size,
                                 const Size &kernel, const WindowDim &dim,
                                 const llvm::Twine &what);

/// Windows over the last dims: [N…, L…] gives [N…, P…, K…], with P windows of K
/// elements. Windows lie within the input, which has its borders already.
Typed window(TypedBuilder &b, const Typed &input,
             llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<WindowDim> dims,
             DimsRef positions);
/// torch.nn.functional.unfold: [N, C, L…] gives [N, C * K…, P…].
MaybeTyped unfold(TypedBuilder &b, const Typed &input,
                  llvm::ArrayRef<int64_t> kernel,
                  llvm::ArrayRef<WindowDim> dims);
/// Windows along one dim; the elements of a window are along a new last dim.
MaybeTyped unfoldDim(TypedBuilder &b, const Typed &input, unsigned dim,
                     int64_t size, int64_t step);
/// The transpose of `unfold`: [N, C * K…, P…] is summed up to [N, C, L…].
MaybeTyped fold(TypedBuilder &b, const Typed &input,
                llvm::ArrayRef<int64_t> output, llvm::ArrayRef<int64_t> kernel,
                llvm::ArrayRef<WindowDim> dims);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_WINDOWS_H
