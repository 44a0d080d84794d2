//===- GridNest.h - one loop nest of a kernel on a grid -------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H
#define TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H

#include "CodeGen/KernelOutlining.h"
#include "GridLoops.h"

namespace tdc {

/// Kernels of one nest, whose root i goes to result i. If there are several
/// sections, the results have one dim more, the first: what each section gives.
std::optional<KernelPlan> matchGridNest(KernelCandidate &kernel);
/// Kernels whose result is that of an update: its parts (see UpdateParts.h) go
/// on top of the input that the result starts as.
std::optional<KernelPlan> matchGridUpdate(KernelCandidate &kernel);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GRIDNEST_H
