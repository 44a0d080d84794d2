//===- Winograd.h - convolutions of 3x3 with fewer multiplications --------===//
//
// For each of the 16 elements of a transformed tile (td::WinogradLoops), the
// sum over channels is a product of matrices: tiles x channels times channels x
// filters. The scratch has the transformed weights, the transformed images of a
// band of rows, and the sums of a band for some filters, so that images,
// weights and results are in memory once, in their own form.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_WINOGRAD_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_WINOGRAD_H

#include "NestLoops.h"

namespace tdc {

/// The rows of results in a band: a divisor of all rows of tiles, so few that
/// the L2 cache holds much of the band, and at least one row of tiles.
int64_t getBandRows(const td::LoopNest &nest, const td::WinogradLoops &loops);
/// The images in a band: several if each has few tiles.
int64_t getBandImages(const td::LoopNest &nest, const td::WinogradLoops &loops);
/// The filters of a part, in vectors.
int64_t getPartVectors(const td::LoopNest &nest, const td::WinogradLoops &loops,
                       int64_t lanes);

/// Emits the nest of the schedule, which has `winograd`.
void emitWinograd(KernelFunction &function, const td::LoopNest &nest,
                  const NestSchedule &schedule,
                  llvm::ArrayRef<StoreTarget> targets);

/// The type of the scratch.
mlir::RankedTensorType getWinogradType(KernelFunction &function,
                                       const td::LoopNest &nest,
                                       const NestSchedule &schedule);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_WINOGRAD_H
