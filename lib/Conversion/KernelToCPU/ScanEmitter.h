//===- ScanEmitter.h - kernels of td.scan ---------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_SCANEMITTER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_SCANEMITTER_H

#include "CodeGen/KernelOutlining.h"

namespace tdc {

/// Matches kernels with the result of a td.scan as their result.
std::optional<KernelPlan> matchScan(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_SCANEMITTER_H
