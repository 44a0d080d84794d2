//===- NestLoops.h - opening the loops of a nest --------------------------===//
//
// Emits the scf.for loops of a schedule over blocks, with a masked or smaller
// last block, and sets the position of every loop in the TileEvaluator.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOCPU_NESTLOOPS_H
#define TDC_LIB_CONVERSION_KERNELTOCPU_NESTLOOPS_H

#include "CodeGen/KernelLoops.h"
#include "NestSchedule.h"

namespace tdc {

class NestLoops : public KernelLoops {
public:
  NestLoops(KernelFunction &function, const td::LoopNest &nest,
            const NestSchedule &schedule);

  /// Emits `body` for every block of the loops, the first loop outermost.
  /// Carried values go from one block to the next, or into partial sums. If one
  /// of these loops, or one of the loops that `body` opens (`within`), has no
  /// iteration, none of them runs.
  Values open(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
              Body body, const PartialSums *sums = nullptr,
              llvm::ArrayRef<unsigned> within = {});

  /// Emits `body` in a loop over blocks of `positions` iterations of `loop`,
  /// which has a static extent and is not on lanes. Where `body` opens `loop`,
  /// it iterates over the block.
  void openInBlocks(unsigned loop, int64_t positions,
                    llvm::function_ref<void()> body);

  /// Emits `body` for every block of the elements [from, from + count) of the
  /// loop; on lanes, `count` is a multiple of their number.
  Values openPart(unsigned loop, mlir::Value from, int64_t count, Body body);
  /// The same for the elements of several loops that `outer` has open.
  Values openWithin(const NestLoops &outer, llvm::ArrayRef<unsigned> loops,
                    Body body);

  /// Stores the roots of the open block.
  void storeRoots(llvm::ArrayRef<StoreTarget> targets, td::LoopSet open);

  /// Whether the reductions in the open block give their results as one vector.
  bool sumsTogether() const;
  /// Whether the product's loop takes two terms at once.
  bool hasPairs() const { return paired >= 0; }
  /// The factor's two terms in the open block as pairs. The second is 0 in the
  /// last block of an odd number of terms.
  mlir::Value evaluatePairs(const td::Access &factor, const Tile &tile) {
    return evaluator.evaluatePairs(factor, tile, paired, factors[paired] == 2);
  }

  /// Moves the rows of the block onto the lanes of one vector, and back.
  void putRowsOnLanes();
  void takeRowsOffLanes();

  /// The number of blocks of the nested loops; INT64_MAX if it is unknown.
  int64_t countBlocks(llvm::ArrayRef<unsigned> loops) const;

  /// See NestSchedule.
  const std::optional<NestSchedule::PrefetchPlan> prefetch;
  const std::optional<NestSchedule::NextPanel> nextPanel;
  const std::optional<NestSchedule::NextRow> nextRow;
  int transposed;

private:
  /// Blocks [from, to) of a loop; the last one may be masked.
  struct Blocks {
    mlir::Value from, to;
    int64_t step, factor;
    bool isMasked;
  };
  /// The number of elements of a loop in one of its blocks.
  int64_t getStep(unsigned loop) const { return factors[loop] * getUnit(loop); }
  /// A constant mask of the first `count` of `width` lanes.
  mlir::Value makeMask(int64_t count, int64_t width);
  mlir::Value findEmpty(llvm::ArrayRef<unsigned> loops);
  mlir::Value unlessEmpty(mlir::Value end);
  /// The positions of a loop that the function computes: whole blocks from
  /// `from` up to `whole`, then up to `end` positions that are no whole block.
  struct Share {
    mlir::Value from, whole, end;
  };
  /// All positions of a loop; of a shared one those of the function's blocks.
  /// `whole`: the end of the last whole block of the loop, `size`: its extent.
  Share takeShare(unsigned loop, mlir::Value whole, mlir::Value size);
  bool isShared(unsigned loop) const {
    return llvm::is_contained(shared, loop);
  }
  mlir::Value divideUp(mlir::Value value, mlir::Value by);
  /// The number of blocks in a block of the shared loop `loop`: those of the
  /// shared loops inside.
  mlir::Value countBlocksWithin(unsigned loop);
  /// Sets the function's blocks to those in the block of `loop` at `position`.
  void enterShare(unsigned loop, mlir::Value position);
  /// The position that is `offset` after the first one of the loop.
  mlir::Value getPosition(unsigned loop, int64_t offset);
  Values openNext(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
                  Body body, const PartialSums *sums);
  Values openOne(unsigned loop, Sections sections, mlir::ValueRange carried,
                 Body body);
  Values openDynamic(unsigned loop, mlir::Value size, Sections sections,
                     mlir::ValueRange carried, Body body);
  Values emitBlock(unsigned loop, mlir::Value position, int64_t factor,
                   mlir::Value lastMask, mlir::Operation *entry,
                   mlir::ValueRange carried, Body body);
  Values emitBlocks(unsigned loop, const Blocks &blocks, Sections sections,
                    mlir::ValueRange carried, Body body);

  /// As in NestSchedule.
  const int64_t lastLanes;
  const int resultLane, paired;
  const td::LoopSet unrolled;
  /// Whether what remains of a loop after whole blocks runs in blocks of at
  /// most half as many positions, a power of two, then of half of that, and so
  /// on: a nest that only sums has little code.
  const bool halvesRest;
  const td::LoopSet wholeEnds;
  const llvm::SmallVector<unsigned, 2> shared;
  /// Per loop, where it begins and ends, as in NestSchedule.
  llvm::SmallVector<mlir::Value> begins, ends;
  int64_t rowsOnLanes = 0; ///< 0: not on lanes
  /// The function's blocks in the open blocks of the shared loops: the first,
  /// and the end.
  mlir::Value firstBlock, endBlock;
  /// Whether an inner loop of those that are being opened is empty: the guard
  /// of the outermost. Null: no guard.
  mlir::Value isEmpty;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOCPU_NESTLOOPS_H
