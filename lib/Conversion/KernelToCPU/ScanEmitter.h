//===- ScanEmitter.h - kernels that combine elements up to each -----------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_SCANEMITTER_H
#define TDC_CONVERSION_KERNELTOCPU_SCANEMITTER_H

#include "Conversion/KernelBody/KernelFunction.h"

namespace tdc {

/// The kernel's result is that of `op`.
mlir::LogicalResult emitScan(KernelFunction &function, td::ScanOp op);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_SCANEMITTER_H
