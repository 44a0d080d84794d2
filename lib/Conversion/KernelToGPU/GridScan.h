//===- GridScan.h - kernels that combine elements up to each --------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GRIDSCAN_H
#define TDC_CONVERSION_KERNELTOGPU_GRIDSCAN_H

#include "GridNest.h"

namespace tdc {

/// The kernel's result is that of `op`.
mlir::FailureOr<LaunchShape> emitGridScan(KernelFunction &function,
                                          td::ScanOp op);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GRIDSCAN_H
