//===- GridSchedule.h - assignment of a nest to threads -------------------===//
//
// A nest runs in two stages, as on the cpu: first its reductions at a position
// of the loops around them, then the loops that open after them. On a GPU the
// positions of the outer loops are spread over *groups* of threads. A group is
// one thread if there is little or nothing to reduce; else it is a part of a
// warp, threads of a block at a stride, or a whole block. Its members share the
// terms of the reductions and, later, the elements of the row.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_GRIDSCHEDULE_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_GRIDSCHEDULE_H

#include "CodeGen/TileEvaluator.h"
#include "DeviceBuilder.h"

namespace tdc {

struct GridSchedule {
  /// Loops with positions that are spread over groups, and loops that a group
  /// runs after its reductions; each from the outermost to the innermost.
  llvm::SmallVector<unsigned> outer, later;
  /// Loops that each thread runs alone, in order.
  llvm::SmallVector<unsigned> serial;
  /// Per loop: the number of neighbouring elements that a thread takes at once.
  llvm::SmallVector<int64_t, 8> factors;
  /// Threads of a block, a multiple of a warp.
  int64_t threads = kBlockThreads;
  /// Threads of a group: 1 … gpu::kWarpSize, or the whole block.
  int64_t groupSize = 1;
  /// Whether neighbouring threads belong to neighbouring groups (so that they
  /// read neighbouring columns), not to one group.
  bool interleaved = false;
  /// Sections of the terms of the reductions (see SplitReductions.h). A group
  /// takes one of them.
  int64_t sections = 1;
  /// Groups that run through the serial loops in parallel. Each stores only the
  /// elements with an index equal to its number modulo `owners`.
  int64_t owners = 1;

  /// Whether the nest is one of several in a kernel, and so does not determine
  /// the number of blocks: threads continue in strides of the grid.
  bool isPart = false;

  /// Groups of a block.
  int64_t getGroups() const { return threads / groupSize; }
  /// Groups that share the work at a position of the outer loops.
  int64_t getSharers() const { return sections * owners; }
};

/// The schedule of a nest that is a whole kernel.
GridSchedule scheduleGrid(const KernelFunction &function,
                          const td::LoopNest &nest);
/// The schedule of a nest that is one of several in a kernel: groups are single
/// threads, and blocks have the same size for all nests. `serial`: loops that
/// one thread must run in order.
GridSchedule schedulePart(const KernelFunction &function,
                          const td::LoopNest &nest, td::LoopSet serial);

/// The number of positions of the loops together, in steps of their factors;
/// none if it is known only at run time.
std::optional<int64_t> countSteps(const td::LoopNest &nest,
                                  const GridSchedule &schedule,
                                  llvm::ArrayRef<unsigned> loops);
/// The number of blocks for all groups at all positions of the outer loops;
/// none if it is known only at run time. Then threads go from position to
/// position in strides of the grid, for any number of blocks.
std::optional<int64_t> countBlocks(const td::LoopNest &nest,
                                   const GridSchedule &schedule);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_GRIDSCHEDULE_H
