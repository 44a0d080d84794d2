//===- NestLoops.h - opening the loops of a nest --------------------------===//
//
// Turns a schedule into scf.for loops over blocks, with a masked or smaller
// last block, and tells the TileEvaluator where every loop stands.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_NESTLOOPS_H
#define TDC_CONVERSION_KERNELTOCPU_NESTLOOPS_H

#include "NestSchedule.h"

namespace tdc {

class NestLoops {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::ValueRange carried)>;

  /// `flatSize`: the number of elements of a flat nest, null for any other.
  NestLoops(KernelFunction &function, const td::LoopNest &nest,
            NestSchedule schedule, mlir::Value flatSize);

  /// Emits `body` for every block of the loop; the carried values go from one
  /// block to the next.
  Values open(unsigned loop, mlir::ValueRange carried, Body body);
  /// The same for loops inside each other, the first one outermost.
  Values open(llvm::ArrayRef<unsigned> loops, mlir::ValueRange carried,
              Body body);

  /// All offsets of the register tile over `loops`, in the blocks open now.
  llvm::SmallVector<Tile> getTiles(td::LoopSet loops) const;

  const NestSchedule &getSchedule() const { return schedule; }

  KernelFunction &function;
  const td::LoopNest &nest;
  TileEvaluator evaluator;

private:
  int64_t getUnit(unsigned loop) const;
  Values openDynamic(unsigned loop, mlir::ValueRange carried, Body body);
  Values emitBlock(unsigned loop, mlir::Value position, int64_t factor,
                   mlir::Value lastMask, mlir::Operation *entry,
                   mlir::ValueRange carried, Body body);
  Values emitCounted(unsigned loop, mlir::Value from, mlir::Value to,
                     int64_t step, int64_t factor, bool isMasked,
                     mlir::ValueRange carried, Body body);

  mlir::OpBuilder &b;
  NestSchedule schedule; ///< factors are those of the blocks open now
  mlir::Value flatSize;
};

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_NESTLOOPS_H
