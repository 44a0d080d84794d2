//===- Contraction.h - nests that sum products ----------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_CONTRACTION_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_CONTRACTION_H

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"
#include "mlir/IR/TypeUtilities.h"

namespace tdc::td {

/// The loops of a contraction that the blocks of a GPU compute tile by tile: a
/// tile reads the elements of both factors that it needs once. Several row
/// loops, column loops or term loops of a tile are iterated as one loop. A tile
/// covers all terms.
struct ContractionTiles {
  llvm::SmallVector<unsigned, 2> rows, columns;
  llvm::SmallVector<unsigned>
      around; ///< root loops other than rows and columns
};

/// One contraction with elementwise work before and after it: every element of
/// a root is computed from one sum of products.
struct Contraction {
  const Reduction *reduction;
  /// The loops of the sums: loops of both factors or of neither, of the left
  /// one only, of the right one only, and loops that are summed over. Each list
  /// goes from the outermost to the innermost loop.
  llvm::SmallVector<unsigned, 2> batch, rows, columns, terms;
  /// The factors: the operands of the op or, if both of them widen floats of
  /// one narrow dtype, as layers do, the narrow tensors. The products are the
  /// same, and the sums have the dtype of the result.
  Access left, right;

  /// The factor with the number of its operand.
  const Access &getFactor(unsigned operand) const {
    return operand ? right : left;
  }
  mlir::Type getFactorType() const {
    return mlir::getElementTypeOrSelf(left.tensor.getType());
  }

  /// The nest as a contraction; nullopt if it is anything else.
  static std::optional<Contraction> get(const LoopNest &nest);

  /// Nullopt if the contraction is too small for tiles.
  std::optional<ContractionTiles> findTiles(const LoopNest &nest) const;

  void print(const LoopNest &nest, llvm::raw_ostream &os,
             mlir::AsmState &names) const;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_CONTRACTION_H
