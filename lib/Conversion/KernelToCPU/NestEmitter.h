//===- NestEmitter.h - loops, register tiles and reductions ---------------===//
//
// Emits one loop nest: opens the root loops in blocks, keeps the accumulators
// of reductions in registers, and leaves every value to the TileEvaluator.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H
#define TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H

#include "TileEvaluator.h"

namespace tdc {

/// Whether all tensors of the nest can be walked as one array: elementwise work
/// on tensors of one shape and one layout.
bool isFlatNest(const td::LoopNest &nest, const KernelFunction &function);

class NestEmitter {
public:
  /// `flatSize`: the number of elements of a flat nest, null for any other.
  NestEmitter(KernelFunction &function, const td::LoopNest &nest,
              mlir::Value flatSize = {});

  /// Root i goes to target i; without targets, to result i of the kernel.
  llvm::SmallVector<StoreTarget, 1> targets;
  /// Loops that must not be on lanes.
  td::LoopSet serial = 0;

  void emit();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::ValueRange carried)>;

  void orderLoops();
  void chooseFactors();
  int64_t getUnit(unsigned loop) const;
  mlir::Value getExtent(unsigned loop);

  /// Emits `body` for every block of the loop; the carried values go from one
  /// block to the next.
  Values openLoop(unsigned loop, mlir::ValueRange carried, Body body);
  Values emitBlock(unsigned loop, mlir::Value position, int64_t factor,
                   mlir::Value lastMask, mlir::ValueRange carried, Body body);
  Values emitCounted(unsigned loop, mlir::Value from, mlir::Value to,
                     int64_t step, int64_t factor, bool isMasked,
                     mlir::ValueRange carried, Body body);
  void openLoops(llvm::ArrayRef<unsigned> loops,
                 llvm::function_ref<void()> body);

  void emitReductions();
  void emitGroup(llvm::ArrayRef<const td::Reduction *> group);
  void storeRoots(td::LoopSet open);
  /// All offsets of the register tile over `loops`.
  llvm::SmallVector<Tile> getTiles(td::LoopSet loops) const;

  KernelFunction &function;
  mlir::OpBuilder &b;
  const td::LoopNest &nest;
  mlir::Value flatSize;
  int64_t lanes;
  td::VectorPlan plan;
  TileEvaluator evaluator;
  /// Per loop: how many elements (on lanes: vectors) one block holds.
  llvm::SmallVector<int64_t, 8> factors;
  /// Root loops around the reductions, and those that open after them.
  llvm::SmallVector<unsigned> outer, later;
};

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOCPU_NESTEMITTER_H
