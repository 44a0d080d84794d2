//===- GridSchedule.h - which thread computes what ------------------------===//
//
// A nest runs in two stages, as on the cpu: first its reductions at a position
// of the loops around them, then the loops that open after them. On a GPU the
// positions of the outer loops are spread over *groups* of threads: a group is
// one thread where there is nothing to reduce or little, else a part of a warp,
// threads of a block that stand in a column, or a whole block, whose members
// share the terms of the reductions and, later, the elements of the row.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_GRIDSCHEDULE_H
#define TDC_CONVERSION_KERNELTOGPU_GRIDSCHEDULE_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

struct GridSchedule {
  /// Loops whose positions groups take, and loops that a group runs through
  /// when its reductions are done; each from the outermost to the innermost.
  llvm::SmallVector<unsigned> outer, later;
  /// Loops that each thread runs through on its own, in order.
  llvm::SmallVector<unsigned> serial;
  /// Per loop: how many neighbouring elements a thread takes at once.
  llvm::SmallVector<int64_t, 8> factors;
  /// Threads of a block, a multiple of a warp.
  int64_t threads = 256;
  /// Members of a group: 1 … gpu::kWarpSize, or more if they stand apart or are
  /// the whole block.
  int64_t groupSize = 1;
  /// Whether neighbouring threads are of neighbouring groups (so that they read
  /// neighbouring columns), not of one.
  bool standApart = false;
  /// Groups that share the work at a position of the outer loops. Each takes a
  /// section of the terms of the reductions (see SplitReductions.h); or, where
  /// loops are serial, it adds up what goes to indices that are its own: those
  /// with its number modulo `shares`.
  int64_t shares = 1;

  /// Whether the nest is one of several in a kernel, whose number of blocks is
  /// not its own: threads go on in strides of the grid.
  bool isPart = false;

  int64_t getGroups() const { return threads / groupSize; }
};

/// The schedule of a nest that is a kernel.
GridSchedule scheduleGrid(const KernelFunction &function,
                          const td::LoopNest &nest);
/// The schedule of a nest that is one of several in a kernel: groups are single
/// threads, in blocks of the same size for all. `serial`: loops that one thread
/// must run through in order.
GridSchedule schedulePart(const KernelFunction &function,
                          const td::LoopNest &nest, td::LoopSet serial);

/// How many positions the loops have together, in steps of their factors; none
/// if that is known only at run time.
std::optional<int64_t> countPositions(const td::LoopNest &nest,
                                      const GridSchedule &schedule,
                                      llvm::ArrayRef<unsigned> loops);
/// Blocks for all positions of the outer loops and all shares, or none if
/// that is known only at run time; then threads go from position to position in
/// strides of the grid, however many blocks there are.
std::optional<int64_t> countBlocks(const td::LoopNest &nest,
                                   const GridSchedule &schedule);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_GRIDSCHEDULE_H
