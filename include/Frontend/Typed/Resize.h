//===- Resize.h - images in other sizes
//------------------------------------===//

#ifndef TDC_FRONTEND_TYPED_RESIZE_H
#define TDC_FRONTEND_TYPED_RESIZE_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// [N, C, L…] with other sizes, or those of the input times a factor, each
/// element that of the nearest one: torch.nn.functional.interpolate. Of each
/// dim one of the two is given.
MaybeTyped resizeNearest(TypedBuilder &b, const Typed &input,
                         llvm::ArrayRef<std::optional<int64_t>> wanted,
                         llvm::ArrayRef<std::optional<double>> factors);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_RESIZE_H
