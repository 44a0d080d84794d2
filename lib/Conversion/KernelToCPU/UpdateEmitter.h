//===- UpdateEmitter.h - kernels that write a part of their result --------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H
#define TDC_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H

#include "Conversion/KernelBody/TileEvaluator.h"

namespace tdc {

/// Emits td.update_slice, td.concat, td.scatter_add or td.scatter_add_along,
/// the only root of its kernel. Where input and result share their buffer, only
/// the updated elements are touched.
mlir::LogicalResult emitUpdate(KernelFunction &function,
                               mlir::Operation *update);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H
