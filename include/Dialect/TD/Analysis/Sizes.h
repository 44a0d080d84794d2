//===- Sizes.h - run-time sizes of tensors --------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_SIZES_H
#define TDC_DIALECT_TD_ANALYSIS_SIZES_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc::td {

/// The size of dim `dim` of `tensor` as an i64: a constant, an operand that
/// already holds it, or a td.dim of the value it comes from, so that asking for
/// a size keeps no tensor alive that fusion wants to remove. New ops are made
/// at the builder's insertion point, which `tensor`'s definition dominates.
mlir::Value getSize(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value tensor, unsigned dim);

/// A size as costs count it: one that only a run knows is taken for 64, a batch
/// of medium size.
inline int64_t estimateSize(int64_t size) {
  return mlir::ShapedType::isDynamic(size) ? 64 : size;
}

/// The sizes of all `?` dims, in order.
llvm::SmallVector<mlir::Value> getRunTimeSizes(mlir::OpBuilder &builder,
                                               mlir::Location loc,
                                               mlir::Value tensor);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_SIZES_H
