//===- ScanEmitter.h - kernels that combine elements up to each -----------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_SCANEMITTER_H
#define TDC_CONVERSION_KERNELTOCPU_SCANEMITTER_H

#include "CodeGen/KernelOutlining.h"

namespace tdc {

/// Kernels whose result is that of a td.scan.
std::optional<KernelPlan> matchScan(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_SCANEMITTER_H
