//===- BlockedProduct.h - long sums, block by block -----------------------===//
//
// The gradient of a convolution's weights sums over all pixels of all images,
// and each tile of its results reads them again: those of another filter or
// channel, or at another position of the window. So the terms are summed block
// by block. All tiles along the inner loops read the elements of one block,
// which the L1 cache holds, and add to their sums, which are in scratch. So are
// those of a convolution of many channels, where each row of pixels reads the
// weights again.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_BLOCKEDPRODUCT_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_BLOCKEDPRODUCT_H

#include "Dialect/TD/Analysis/Kernels/Contraction.h"
#include "NestLoops.h"

namespace tdc {

/// Plans the blocks of terms, and the order of the loops around them, for the
/// tiles of the schedule: if the product is such a sum, and its elements are
/// not near without blocks.
void planTermBlocks(const td::LoopNest &nest,
                    const td::Contraction &contraction, NestSchedule &schedule);

/// Emits the nest of the schedule, which has `termBlocks`.
void emitBlockedProduct(KernelFunction &function, const td::LoopNest &nest,
                        const NestSchedule &schedule,
                        llvm::ArrayRef<StoreTarget> targets);

/// The type of the scratch.
mlir::RankedTensorType getBlockedType(const td::LoopNest &nest,
                                      const NestSchedule &schedule);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_BLOCKEDPRODUCT_H
