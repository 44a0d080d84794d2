//===- GridNest.h - one loop nest of a kernel on a grid -------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_GRIDNEST_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_GRIDNEST_H

#include "CodeGen/KernelOutlining.h"
#include "GridLoops.h"

namespace tdc {

/// Matches kernels of one nest; root i is stored to result i. With several
/// sections, the results have an additional first dim: the result of each
/// section.
std::optional<KernelPlan> matchGridNest(KernelCandidate &kernel);
/// Matches kernels with the result of an update as their result: its parts (see
/// UpdateParts.h) are stored on top of the input that the result starts as.
std::optional<KernelPlan> matchGridUpdate(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_GRIDNEST_H
