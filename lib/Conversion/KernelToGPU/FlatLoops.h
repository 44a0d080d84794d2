//===- FlatLoops.h - several loops of a nest as one -----------------------===//
//
// A tile of a contraction may run over several loops as if they were one: over
// the rows of all images, or over the channels and the elements of a window.
// Positions are linearized in row-major order, the last loop fastest.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_KERNELTOGPU_FLATLOOPS_H
#define TDC_LIB_CONVERSION_KERNELTOGPU_FLATLOOPS_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// Splits the row-major `number` of an element into its positions along dims of
/// `sizes`. For a number past the last element, the first position exceeds its
/// size. The first size is not used and may be null.
llvm::SmallVector<mlir::Value> splitNumber(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           mlir::Value number,
                                           llvm::ArrayRef<mlir::Value> sizes);

class FlatLoops {
public:
  /// `loops` from the outermost to the innermost; one at least.
  FlatLoops(KernelFunction &function, const td::LoopNest &nest,
            llvm::ArrayRef<unsigned> loops)
      : function(function), nest(nest), loops(loops) {}

  bool isOne() const { return loops.size() == 1; }
  /// The number of positions, as an index.
  mlir::Value count() const;
  /// Whether the number of positions is known to be a multiple of `number`.
  bool isMultipleOf(int64_t number) const;
  /// `condition`, if it is not null, and that `position` is less than count().
  mlir::Value requireInside(mlir::Value condition, mlir::Value position) const;

  /// Moves the evaluator to position `first + offset`. If there is one loop,
  /// the offset goes into the tile, so that its elements share address
  /// arithmetic.
  void setPosition(TileEvaluator &evaluator, Tile &tile, mlir::Value first,
                   int64_t offset) const;
  /// Opens and closes scopes (see TileEvaluator) in which all loops have
  /// positions.
  void pushScopes(TileEvaluator &evaluator, mlir::Operation *entry) const;
  void popScopes(TileEvaluator &evaluator) const;

private:
  KernelFunction &function;
  const td::LoopNest &nest;
  llvm::ArrayRef<unsigned> loops;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_KERNELTOGPU_FLATLOOPS_H
