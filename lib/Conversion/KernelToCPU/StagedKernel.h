//===- StagedKernel.h - nests that run block by block ---------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_STAGEDKERNEL_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_STAGEDKERNEL_H

#include "CodeGen/KernelOutlining.h"

namespace tdc {

/// Matches kernels with td.stage ops (td::Stages).
std::optional<KernelPlan> matchStages(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_STAGEDKERNEL_H
