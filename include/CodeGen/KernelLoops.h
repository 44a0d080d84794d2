//===- KernelLoops.h - opening the loops of a nest ------------------------===//
//
// The parts of emitting a nest's loops that both back ends share: the position
// of each loop, the number of its elements held in registers at once, and loops
// that carry values, with sums cut into partial sums. NestLoops and GridLoops
// choose the positions that a processor or a thread takes.
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

  /// Cuts the sums that loops carry into partial sums of a few hundred
  /// iterations, so that rounding errors do not grow with the number of terms
  /// (Higham, The Accuracy of Floating Point Summation, SIAM J. Sci. Comput.
  /// 14, 1993). A partial sum starts from `neutral`; `join` combines it with
  /// the sums before it.
  struct PartialSums {
    Values neutral;
    llvm::function_ref<Values(mlir::ValueRange before, mlir::ValueRange next)>
        join;
  };

  /// The offsets of all elements that are held now over `loops`.
  llvm::SmallVector<Tile> getTiles(td::LoopSet loops) const;
  bool isOnLanes(unsigned loop) const { return td::contains(onLanes, loop); }

  KernelFunction &function;
  const td::LoopNest &nest;
  TileEvaluator evaluator;
  /// Elements of a vector.
  const int64_t lanes;
  /// Per loop: the number of elements (on lanes: of vectors) held now.
  llvm::SmallVector<int64_t, 8> factors;

protected:
  KernelLoops(KernelFunction &function, const td::LoopNest &nest, int64_t lanes,
              llvm::ArrayRef<int64_t> factors, td::LoopSet onLanes = 0)
      : function(function), nest(nest), evaluator(function, nest, lanes),
        lanes(lanes), factors(factors), b(function.builder), onLanes(onLanes) {}

  /// Most terms, or vectors of them, that add up in one chain.
  static constexpr int64_t kLongestChain = 256;

  struct Range {
    mlir::Value from, to;
    int64_t step;
  };
  /// `lengths`: the number of iterations per section of each level of partial
  /// sums, the longest first.
  struct Sections {
    const PartialSums *sums = nullptr;
    llvm::ArrayRef<int64_t> lengths;
  };
  /// `entry`: the outermost loop that has been opened for the range.
  using AtPosition = llvm::function_ref<Values(
      mlir::Value position, mlir::Operation *entry, mlir::ValueRange carried)>;
  /// Emits `body` in a loop over the positions of a range that carries values.
  /// With sections, this is one loop per level, inside each other.
  Values openRange(const Range &range, Sections sections,
                   mlir::ValueRange carried, AtPosition body,
                   mlir::Operation *entry = nullptr);

  int64_t getUnit(unsigned loop) const { return isOnLanes(loop) ? lanes : 1; }

  mlir::OpBuilder &b;
  td::LoopSet onLanes; ///< loops now on the lanes of vectors
};

} // namespace tdc

#endif // TDC_CODEGEN_KERNELLOOPS_H
