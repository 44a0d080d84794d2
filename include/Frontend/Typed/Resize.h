//===- Resize.h - images in other sizes -----------------------------------===//

#ifndef TDC_FRONTEND_TYPED_RESIZE_H
#define TDC_FRONTEND_TYPED_RESIZE_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// Resizes [N, C, L…] by the nearest element: torch.nn.functional.interpolate.
/// Each dim gives either its new size or a factor of the input's size.
MaybeTyped resizeNearest(TypedBuilder &b, const Typed &input,
                         llvm::ArrayRef<std::optional<int64_t>> wanted,
                         llvm::ArrayRef<std::optional<double>> factors);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_RESIZE_H
