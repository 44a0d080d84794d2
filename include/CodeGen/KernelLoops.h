//===- KernelLoops.h - opening the loops of a nest ------------------------===//
//
// What both back ends need to emit the loops of a nest: where each stands, how
// many elements of it are held in registers at once, and loops that carry
// values, whose sums are cut into partial ones. Which positions a processor or
// a thread takes is the back end's: NestLoops, GridLoops.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_KERNELLOOPS_H
#define TDC_CODEGEN_KERNELLOOPS_H

#include "CodeGen/TileEvaluator.h"

namespace tdc {

class KernelLoops {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<Values(mlir::ValueRange carried)>;

  /// Cuts what loops carry into partial sums of some hundred iterations, so
  /// that rounding errors do not grow with the number of terms (Higham, The
  /// Accuracy of Floating Point Summation, SIAM J. Sci. Comput. 14, 1993). A
  /// partial sum starts from `neutral` and is then joined with those before it.
  struct PartialSums {
    Values neutral;
    llvm::function_ref<Values(mlir::ValueRange before, mlir::ValueRange next)>
        join;
  };

  /// All offsets of the elements held now over `loops`.
  llvm::SmallVector<Tile> getTiles(td::LoopSet loops) const;
  bool isOnLanes(unsigned loop) const { return onLanes >> loop & 1; }

  KernelFunction &function;
  const td::LoopNest &nest;
  TileEvaluator evaluator;
  /// Elements of a vector.
  const int64_t lanes;
  /// Per loop: how many elements (on lanes: vectors) are held now.
  llvm::SmallVector<int64_t, 8> factors;

protected:
  KernelLoops(KernelFunction &function, const td::LoopNest &nest, int64_t lanes,
              llvm::ArrayRef<int64_t> factors, td::LoopSet onLanes = 0)
      : function(function), nest(nest), evaluator(function, nest, lanes),
        lanes(lanes), factors(factors), b(function.builder), onLanes(onLanes) {}

  /// Iterations that add up in one chain: some hundred terms, or vectors.
  static constexpr int64_t kLongestChain = 256;

  struct Range {
    mlir::Value from, to;
    int64_t step;
  };
  /// How many iterations are in one partial sum, how many of a longer sum in
  /// each sum of those, …; longest first.
  struct Sections {
    const PartialSums *sums = nullptr;
    llvm::ArrayRef<int64_t> lengths;
  };
  /// `entry`: the outermost of the loops that have been opened for a range.
  using AtPosition = llvm::function_ref<Values(
      mlir::Value position, mlir::Operation *entry, mlir::ValueRange carried)>;
  /// Emits `body` in a loop over positions of a range, which carries values, or
  /// in one per level of sections.
  Values openRange(const Range &range, Sections sections,
                   mlir::ValueRange carried, AtPosition body,
                   mlir::Operation *entry = nullptr);

  int64_t getUnit(unsigned loop) const { return isOnLanes(loop) ? lanes : 1; }

  mlir::OpBuilder &b;
  td::LoopSet onLanes; ///< loops that are on the lanes of vectors now
};

} // namespace tdc

#endif // TDC_CODEGEN_KERNELLOOPS_H
