//===- MatrixProduct.h - nests that are one matrix product ----------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_MATRIXPRODUCT_H
#define TDC_DIALECT_TD_ANALYSIS_MATRIXPRODUCT_H

#include "Dialect/TD/Analysis/LoopNest.h"
#include "mlir/IR/TypeUtilities.h"

namespace tdc::td {

/// One matrix product with elementwise work before and after it: every element
/// of a root is made of one element of the product.
struct MatrixProduct {
  const Reduction *reduction;
  llvm::SmallVector<unsigned> batch; ///< loops around, the outermost first
  unsigned rows, columns, terms;     ///< loops
  /// What is multiplied: the operands of td.matmul, or where both widen floats
  /// of one narrow dtype, as layers do, those. The products are the same, and
  /// the sums are of the dtype of the result.
  Access left, right;

  mlir::Type getFactorType() const {
    return mlir::getElementTypeOrSelf(left.tensor.getType());
  }

  /// The nest as a product that the blocks of a GPU should compute tile by
  /// tile, each element of an operand being read once per tile; none if it is
  /// smaller, or anything else.
  static std::optional<MatrixProduct> getTiled(const LoopNest &nest);

  void print(const LoopNest &nest, llvm::raw_ostream &os,
             mlir::AsmState &names) const;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_MATRIXPRODUCT_H
