//===- RowBlocks.h - products with many rows, block by block --------------===//
//
// Each panel of one factor is multiplied with all rows of the other. If the L2
// cache does not hold these, they are read from further away for each panel. So
// all panels are multiplied with a block of the rows, which stays in the cache,
// before the next block.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_ROWBLOCKS_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_ROWBLOCKS_H

#include "CodeGen/KernelFunction.h"
#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "NestSchedule.h"

namespace tdc {

/// Plans blocks of the rows if `schedule`, that of the whole nest, has panels
/// in memory, and the L2 cache holds the rows of a block only. `bytes`: of all
/// rows.
void planRowBlocks(const KernelFunction &function, const td::LoopNest &nest,
                   const td::Contraction &contraction, double bytes,
                   NestSchedule &schedule);

/// The blocks that threads may share: one of rows, with one panel if all panels
/// are whole.
int64_t countRowBlocks(const td::LoopNest &nest, const NestSchedule &schedule);

/// Emits the nest of the schedule, which has `rowBlocks`.
void emitRowBlocks(KernelFunction &function, const td::LoopNest &nest,
                   const NestSchedule &schedule,
                   llvm::ArrayRef<StoreTarget> targets);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_ROWBLOCKS_H
