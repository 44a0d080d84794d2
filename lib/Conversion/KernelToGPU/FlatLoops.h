//===- FlatLoops.h - several loops of a nest as one -----------------------===//
//
// A tile of a product may run over several loops as over one: over the rows of
// all images, or over the channels and the places of a window. Positions are
// counted row by row, the last loop the fastest.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_FLATLOOPS_H
#define TDC_CONVERSION_KERNELTOGPU_FLATLOOPS_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

/// The positions along several dims of `sizes` of element `number` of them all,
/// counted row by row; beyond the last one the first dim is exceeded. The first
/// size is not asked for and may be null.
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
  /// How many positions there are, as an index.
  mlir::Value count() const;
  /// Whether that is known to be a multiple of `number`.
  bool isMultipleOf(int64_t number) const;
  /// `condition`, if there is one, and that the position is one of them.
  mlir::Value requireInside(mlir::Value condition, mlir::Value position) const;

  /// Moves to position `first + offset`. If it is one loop the offset goes into
  /// the tile, so that its elements share address arithmetic.
  void standAt(TileEvaluator &evaluator, Tile &tile, mlir::Value first,
               int64_t offset) const;
  /// A scope (see TileEvaluator) in which all of them have positions.
  void pushScopes(TileEvaluator &evaluator, mlir::Operation *entry) const;
  void popScopes(TileEvaluator &evaluator) const;

private:
  KernelFunction &function;
  const td::LoopNest &nest;
  llvm::ArrayRef<unsigned> loops;
};

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_FLATLOOPS_H
