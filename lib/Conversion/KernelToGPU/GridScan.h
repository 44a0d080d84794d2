//===- GridScan.h - kernels of td.scan ------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_GRIDSCAN_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_GRIDSCAN_H

#include "GridNest.h"

namespace tdc {

/// Matches kernels with the result of a td.scan as their result.
std::optional<KernelPlan> matchGridScan(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_GRIDSCAN_H
