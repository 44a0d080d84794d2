//===- NestSchedule.h - order and blocks of a nest's loops ----------------===//
//
// Decides which loop runs on vector lanes, how the loops are nested, and how
// many elements of each are held in registers at once. For a part of a nest it
// also has the positions where the part begins and ends, which are values of
// the code around it.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_NESTSCHEDULE_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_NESTSCHEDULE_H

#include "CodeGen/TileEvaluator.h"
#include "Dialect/TD/Analysis/Kernels/Winograd.h"
#include "KeptValue.h"

namespace tdc {

struct NestSchedule {
  /// Elements of a vector.
  int64_t lanes;
  /// Elements of the last vector along the lane loop: fewer if these hold what
  /// remains of a product's results.
  int64_t lastLanes;
  /// Loops on lanes; of any two of them, neither runs inside the other.
  td::LoopSet onLanes = 0;
  /// Per loop: the number of elements (on lanes: of vectors) that a block
  /// holds.
  llvm::SmallVector<int64_t, 8> factors;
  /// Inner loops of reductions that have code for each position.
  td::LoopSet unrolled = 0;
  /// Root loops around the reductions, and root loops that open after them,
  /// each from the outermost to the innermost.
  llvm::SmallVector<unsigned> outer, later;

  /// The root loop that moves onto the lanes after the reductions, which sum
  /// over lanes: their results are then one vector. -1: none.
  int resultLane = -1;

  /// A factor of a product whose elements at a block of the lane loop are
  /// copied to scratch, next to each other, before many rows of the other
  /// factor read them. They are copied when the first `around` outer loops are
  /// open.
  struct PanelPlan {
    unsigned factor; ///< operand of the product
    size_t around;
    llvm::SmallVector<unsigned, 2> rows; ///< see td::getPanelRows
    /// Whether the factor has a blocked layout, which has its elements in the
    /// order of a panel: they are read in place.
    bool isInMemory = false;
  };
  std::optional<PanelPlan> panel;

  /// A factor of a product that is read a few elements of a row at a time:
  /// those of `ahead` positions of `loop` later are prefetched
  /// (PrefetchEmitter.h).
  struct PrefetchPlan {
    unsigned factor; ///< operand of the product
    unsigned loop;
    int64_t ahead;
  };
  std::optional<PrefetchPlan> prefetch;

  /// A panel in memory that several tiles read: each of them prefetches a part
  /// of the next panel (PrefetchEmitter.h).
  struct NextPanel {
    unsigned factor; ///< operand of the product
    /// The loops over the tiles from the outermost, and their steps.
    llvm::SmallVector<std::pair<unsigned, int64_t>, 2> tiles;
    int64_t bytes; ///< that are prefetched for each term of a tile
  };
  std::optional<NextPanel> nextPanel;

  /// A kernel that runs over a row several times: in the second loop over it,
  /// the row of the next block of `loop` is prefetched (PrefetchEmitter.h).
  struct NextRow {
    unsigned loop;
    llvm::SmallVector<unsigned, 2> inputs; ///< of the nest
  };
  std::optional<NextRow> nextRow;

  /// The loop of a product's terms that takes two at once (BF16Pairs.h): of the
  /// factor with the panel, and of the other. -1: none.
  int paired = -1;

  std::optional<KeptValue> kept;

  /// The loop along which rows are transposed in registers: its blocks have as
  /// many positions as a vector has lanes (TileEvaluator::transposedLoop). -1:
  /// none.
  int transposed = -1;

  /// Whether the sums of a product are in scratch (StreamedProduct.h), rather
  /// than in registers.
  bool isStreamed = false;

  /// The terms of a product are summed block by block (BlockedProduct.h): a
  /// block has `positions` of `loop`, one position of each term loop outside of
  /// it, and all positions of those inside.
  struct TermBlocks {
    unsigned loop;
    int64_t positions;
  };
  std::optional<TermBlocks> termBlocks;

  /// A product with panels computes a block of rows with all panels before the
  /// next block (RowBlocks.h): `positions` of `loop`, a loop of the factor
  /// without panels. The rest of the schedule is that of one block.
  struct RowBlocks {
    unsigned loop;
    int64_t positions;
  };
  std::optional<RowBlocks> rowBlocks;

  /// The loops of a convolution that is computed as in Winograd.h. The block of
  /// its rows is a band, that of its filters a part.
  std::optional<td::WinogradLoops> winograd;

  /// Per loop, the position of its first iteration, if that is not 0; empty:
  /// all are. Only loops of static extent have one.
  llvm::SmallVector<mlir::Value> begins;
  /// Per loop, the position after its last iteration, if only the run knows it;
  /// empty: all have the extents of the nest. Such a loop begins at a multiple
  /// of its step.
  llvm::SmallVector<mlir::Value> ends;
  /// Loops whose ends are multiples of their steps.
  td::LoopSet wholeEnds = 0;

  /// The outer loops whose blocks threads share, from the outermost: a block of
  /// the kernel is one of each. Empty: the kernel runs on one thread.
  llvm::SmallVector<unsigned, 2> shared;
  /// Estimated work of a block (td::estimateWork).
  int64_t work = 0;

  bool isOnLanes(unsigned loop) const { return td::contains(onLanes, loop); }
  /// The number of elements of a loop in one of its blocks.
  int64_t getStep(unsigned loop) const {
    return factors[loop] * (isOnLanes(loop) ? lanes : 1);
  }
  bool copiesPanel() const { return panel && !panel->isInMemory; }
  /// Whether a thread may use a panel for several of its parts of the kernel:
  /// they share loops inside of it.
  bool keepsPanel() const {
    return copiesPanel() && llvm::any_of(shared, [&](unsigned loop) {
             return !llvm::is_contained(
                 llvm::ArrayRef(outer).take_front(panel->around), loop);
           });
  }
};

/// The schedule of a nest that is a whole kernel: it may have a panel, and
/// threads may share its blocks.
NestSchedule scheduleKernel(const KernelFunction &function,
                            const td::LoopNest &nest);

/// The schedule of a nest that is a stage of a kernel: it may have a panel.
NestSchedule scheduleStage(const KernelFunction &function,
                           const td::LoopNest &nest);

/// The schedule of a nest that is a part of a kernel. Loops in `serial` must
/// not be on lanes.
NestSchedule scheduleNest(const KernelFunction &function,
                          const td::LoopNest &nest, td::LoopSet serial);

/// Whether the kernel may find a bad index. It runs on one thread, so that the
/// first one is reported.
bool mayReport(td::KernelOp kernel);

/// The estimated work of each of `blocks` blocks of a kernel.
int64_t getBlockWork(const KernelFunction &function, int64_t work,
                     int64_t blocks);

/// The schedule of a flat nest: one loop over all elements.
NestSchedule scheduleFlatNest(const KernelFunction &function,
                              const td::LoopNest &nest);

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_NESTSCHEDULE_H
