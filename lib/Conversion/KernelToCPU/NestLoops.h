//===- NestLoops.h - opening the loops of a nest --------------------------===//
//
// Turns a schedule into scf.for loops over blocks, with a masked or smaller
// last block, and tells the TileEvaluator where every loop stands.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_NESTLOOPS_H
#define TDC_CONVERSION_KERNELTOCPU_NESTLOOPS_H

#include "CodeGen/KernelLoops.h"
#include "NestSchedule.h"

namespace tdc {

class NestLoops : public KernelLoops {
public:
  NestLoops(KernelFunction &function, const td::LoopNest &nest,
            const NestSchedule &schedule);

  /// Emits `body` for every block of the loops, the first one outermost; the
  /// carried values go from one block to the next, or into partial sums. Where
  /// one of these loops, or of those that `body` opens `within` them, has no
  /// iteration, none of them runs.
  Values open(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
              Body body, const PartialSums *sums = nullptr,
              llvm::ArrayRef<unsigned> within = {});

  /// Whether the results of reductions in the block open now come as a vector.
  bool sumsTogether() const;
  /// Puts the rows of the block onto the lanes of one vector, and back.
  void putRowsOnLanes();
  void takeRowsOffLanes();

  /// Blocks of the loops inside each other; INT64_MAX where that is not known.
  int64_t countBlocks(llvm::ArrayRef<unsigned> loops) const;

private:
  /// Blocks [from, to) of a loop; the last one may be masked.
  struct Blocks {
    mlir::Value from, to;
    int64_t step, factor;
    bool isMasked;
  };
  mlir::Value makeMask(int64_t count);
  mlir::Value findEmpty(llvm::ArrayRef<unsigned> loops);
  mlir::Value unlessEmpty(mlir::Value end);
  Values openNext(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
                  Body body, const PartialSums *sums);
  Values openOne(unsigned loop, Sections sections, mlir::ValueRange carried,
                 Body body);
  Values openDynamic(unsigned loop, Sections sections, mlir::ValueRange carried,
                     Body body);
  Values emitBlock(unsigned loop, mlir::Value position, int64_t factor,
                   mlir::Value lastMask, mlir::Operation *entry,
                   mlir::ValueRange carried, Body body);
  Values emitBlocks(unsigned loop, const Blocks &blocks, Sections sections,
                    mlir::ValueRange carried, Body body);

  /// See NestSchedule.
  const int resultLane;
  int64_t rowsOnLanes = 0; ///< 0: they are not
  /// Whether an inner one of the loops that are being opened is empty: the
  /// outermost of them takes it as its guard. Null: no guard.
  mlir::Value isEmpty;
};

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_NESTLOOPS_H
