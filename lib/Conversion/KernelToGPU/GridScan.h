//===- GridScan.h - kernels that combine elements up to each --------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GRIDSCAN_H
#define TDC_CONVERSION_KERNELTOGPU_GRIDSCAN_H

#include "GridNest.h"

namespace tdc {

/// Kernels whose result is that of a td.scan.
std::optional<KernelPlan> matchGridScan(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GRIDSCAN_H
