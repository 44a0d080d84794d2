//===- NestEmitter.h - one loop nest of a kernel --------------------------===//
//
// Schedules a nest, opens its loops, emits the reductions inside and stores the
// roots; every value is left to the TileEvaluator.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H
#define TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H

#include "CodeGen/KernelOutlining.h"
#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// Kernels of one nest, whose root i goes to result i.
std::optional<KernelPlan> matchNest(KernelCandidate &kernel);
/// The same where all tensors are walked as one array.
std::optional<KernelPlan> matchFlatNest(KernelCandidate &kernel);
/// The only root goes to `target`. Loops in `serial` are not on lanes.
void emitNestTo(KernelFunction &function, const td::LoopNest &nest,
                const StoreTarget &target, td::LoopSet serial);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H
