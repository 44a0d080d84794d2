//===- Sizes.h - sizes of tensors, at run time and estimated --------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_SIZES_H
#define TDC_DIALECT_TD_ANALYSIS_SIZES_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc::td {

/// The size of dim `dim` of `tensor` as an i64: a constant, an operand that
/// already holds it, or a td.dim of the value it comes from, so that the size
/// keeps no tensor alive that fusion could remove. New ops are made at the
/// insertion point of the builder, which the definition of `tensor` must
/// dominate.
mlir::Value getSize(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value tensor, unsigned dim);

/// The sizes of all `?` dims, in order.
llvm::SmallVector<mlir::Value> getRunTimeSizes(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               mlir::Value tensor);

/// Whether the sizes of two dims are known to be equal.
bool haveEqualSize(TensorDim a, TensorDim b);

/// The size that cost estimates use: a run-time size counts as 64, a batch of
/// medium size.
inline int64_t estimateSize(int64_t size) {
  return mlir::ShapedType::isDynamic(size) ? 64 : size;
}
/// The largest number up to `most`, which is at least 1, that divides `size`.
int64_t findDivisor(int64_t size, int64_t most);
/// The elements of a tensor by estimateSize(); a size of 0 counts as 1.
int64_t estimateElements(mlir::RankedTensorType type);
/// The terms of each result of the reduction by estimateSize().
int64_t estimateTerms(ReductionOp reduction);
/// The bytes of the elements by estimateElements().
int64_t estimateBytes(mlir::RankedTensorType type);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_SIZES_H
