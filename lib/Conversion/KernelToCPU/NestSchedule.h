//===- NestSchedule.h - the order and the blocks of a nest's loops --------===//
//
// Decides, before anything is emitted, which loop runs on vector lanes, which
// loops are outside of which, and how many elements of each are held in
// registers at once.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_NESTSCHEDULE_H
#define TDC_CONVERSION_KERNELTOCPU_NESTSCHEDULE_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

struct NestSchedule {
  /// Elements of a vector.
  int64_t lanes;
  /// Loops on lanes; of any two of them, neither runs inside the other.
  td::LoopSet onLanes = 0;
  /// Per loop: how many elements (on lanes: vectors) one block holds.
  llvm::SmallVector<int64_t, 8> factors;
  /// Root loops around the reductions, and those that open after them, each
  /// from the outermost to the innermost.
  llvm::SmallVector<unsigned> outer, later;

  /// The root loop that goes onto lanes when the reductions, which sum over
  /// lanes, are done, or -1: their results then come as a vector.
  int resultLane = -1;

  bool isOnLanes(unsigned loop) const { return onLanes >> loop & 1; }
};

/// The schedule of a nest whose loops in `serial` must not be on lanes.
NestSchedule scheduleNest(const KernelFunction &function,
                          const td::LoopNest &nest, td::LoopSet serial);

/// One loop over all elements of a flat nest.
NestSchedule scheduleFlatNest(const KernelFunction &function,
                              const td::LoopNest &nest);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_NESTSCHEDULE_H
