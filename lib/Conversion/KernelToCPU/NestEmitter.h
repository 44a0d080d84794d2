//===- NestEmitter.h - one loop nest of a kernel --------------------------===//
//
// Schedules a nest, opens its loops, emits the reductions inside and stores the
// roots. The TileEvaluator computes every value.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_NESTEMITTER_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_NESTEMITTER_H

#include "CodeGen/KernelOutlining.h"
#include "CodeGen/TileEvaluator.h"
#include "NestSchedule.h"

namespace tdc {

/// Emits `body` for the first of the kernel's blocks: it runs once.
void emitInFirstBlock(KernelFunction &function,
                      llvm::function_ref<void()> body);

/// Emits `body` for the block of a loop of `extent` positions that begins at
/// `begin`: for `positions` of them, and in another branch for the last block
/// if it has fewer.
void emitForBlock(KernelFunction &function, mlir::Value begin, int64_t extent,
                  int64_t positions,
                  llvm::function_ref<void(int64_t positions)> body);

/// Where the roots of a kernel's nest are stored.
using TargetFunction = std::function<llvm::SmallVector<StoreTarget, 1>(
    const KernelFunction &function, const td::LoopNest &nest)>;

/// Plans the candidate's nest, which is moved, as a whole kernel.
KernelPlan planWholeNest(KernelCandidate &kernel, TargetFunction getTargets);

/// Matches kernels of one nest; root i is stored to result i.
std::optional<KernelPlan> matchNest(KernelCandidate &kernel);
/// The same for nests that walk all tensors as one array.
std::optional<KernelPlan> matchFlatNest(KernelCandidate &kernel);
/// Emits a nest by its schedule; root i is stored to target i.
void emitNest(KernelFunction &function, const td::LoopNest &nest,
              const NestSchedule &schedule,
              llvm::ArrayRef<StoreTarget> targets);
/// Emits a nest with one root, which is stored to `target`. Loops in `serial`
/// are not on lanes.
void emitNestTo(KernelFunction &function, const td::LoopNest &nest,
                const StoreTarget &target, td::LoopSet serial);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_NESTEMITTER_H
