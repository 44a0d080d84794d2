//===- OperandTile.h - tiles of an operand in shared memory ---------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_OPERANDTILE_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_OPERANDTILE_H

#include "ContractionSchedule.h"
#include "DeviceBuilder.h"
#include "FlatLoops.h"

namespace tdc {

/// The tiles of one operand in shared memory, one per stage. Elements past the
/// operand's end are 0 there.
class OperandTile {
public:
  OperandTile(KernelFunction &function, const td::LoopNest &nest,
              const ContractionSchedule &schedule,
              const ContractionOperand &operand, DeviceBuilder &device);

  /// Whether tiles are copied unchanged (cp.async); else they are computed and
  /// pass through registers.
  bool isCopied() const { return copied; }

  /// Sets the block's position: the positions of the loops around, and the
  /// first position of the tile along the operand's own loops.
  void setPosition(llvm::ArrayRef<mlir::Value> positions, mlir::Value start);
  /// Called before the loop over the terms: values that depend on none of the
  /// operand's loops are computed before it.
  void enterLoop(mlir::Operation *loop) { evaluator.pushBranch(loop); }

  /// Starts loading the tile at `term` into `stage`: starts copies, or loads
  /// registers.
  void begin(mlir::Value term, mlir::Value stage);
  /// Stores to `stage` the registers that begin() loaded, if any.
  void finish(mlir::Value stage);

  /// The address of an element of a tile. All arguments are i32. Neighbours
  /// within a chunk are contiguous and can be read together.
  mlir::Value getAddress(mlir::Value stage, mlir::Value ownTo,
                         mlir::Value termTo);

  const ContractionOperand &operand;

private:
  /// Moves the evaluator to the thread's first element in iteration
  /// `iteration`; `ownFirst` and `termFirst` are the positions of iteration 0.
  Tile moveTo(mlir::Value ownFirst, mlir::Value termFirst, int64_t iteration);
  /// A vector of the neighbours from `first` on.
  mlir::Value loadNeighbours(const Tile &first);
  void copy(const Tile &tile, int64_t iteration, mlir::Value isInside,
            mlir::Value stage);
  mlir::Value getDestination(mlir::Value stage, int64_t iteration,
                             int64_t element);
  mlir::Value getChunkOrder(mlir::Value line);

  KernelFunction &function;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const td::LoopNest &nest;
  const ContractionSchedule &schedule;
  DeviceBuilder &device;
  TileEvaluator evaluator;

  td::Access source; ///< the input with the factor's elements, if any
  FlatLoops own, terms;
  unsigned wide;               ///< the loop along which memory is contiguous
  int64_t lineElements, lines; ///< of a tile in shared memory
  int64_t pitch;               ///< elements from one line to the next
  int64_t linesPerIteration, iterations; ///< of a tile, when read
  SharedArray array;
  bool copied = false;
  mlir::Value start;         ///< along the own loops
  mlir::Value ownAt, termAt; ///< of the thread's first element, in the tile
  llvm::SmallVector<mlir::Value> loaded;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_OPERANDTILE_H
