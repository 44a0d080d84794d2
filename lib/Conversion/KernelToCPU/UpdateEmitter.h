//===- UpdateEmitter.h - kernels that write a part of their result --------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H
#define TDC_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H

#include "Conversion/KernelBody/TileEvaluator.h"

namespace tdc {

/// Emits an update, the only root of its kernel. Where input and result share
/// their buffer, only the updated elements are touched.
mlir::LogicalResult emitUpdate(KernelFunction &function, td::UpdateOp update);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_UPDATEEMITTER_H
