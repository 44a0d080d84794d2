//===- Contraction.h - nests that sum products ----------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_CONTRACTION_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_CONTRACTION_H

#include "Dialect/TD/Analysis/Kernels/LoopNest.h"
#include "mlir/IR/TypeUtilities.h"

namespace tdc::td {

/// The loops of a contraction that the blocks of a GPU compute tile by tile:
/// the elements of both factors that a tile needs are read once for it. A tile
/// runs over several rows, or columns, or terms as over one, and over all
/// terms.
struct ContractionTiles {
  llvm::SmallVector<unsigned, 2> rows, columns;
  llvm::SmallVector<unsigned>
      around; ///< of the roots, but for rows and columns
};

/// One contraction with elementwise work before and after it: every element of
/// a root is made of one sum of products.
struct Contraction {
  const Reduction *reduction;
  /// The loops of the sums: those that both factors have, those of the left and
  /// of the right one alone, and those that are summed over, each from the
  /// outermost to the innermost.
  llvm::SmallVector<unsigned, 2> batch, rows, columns, terms;
  /// What is multiplied: the operands of the op, or where both widen floats of
  /// one narrow dtype, as layers do, those. The products are the same, and the
  /// sums are of the dtype of the result.
  Access left, right;

  mlir::Type getFactorType() const {
    return mlir::getElementTypeOrSelf(left.tensor.getType());
  }

  /// The nest as a contraction, if it is nothing else.
  static std::optional<Contraction> get(const LoopNest &nest);

  /// Nullopt if the contraction is too small for tiles.
  std::optional<ContractionTiles> findTiles(const LoopNest &nest) const;

  void print(const LoopNest &nest, llvm::raw_ostream &os,
             mlir::AsmState &names) const;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_CONTRACTION_H
