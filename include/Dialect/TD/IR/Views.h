//===- Views.h - values with the memory or content of other values --------===//

#ifndef TDC_DIALECT_TD_IR_VIEWS_H
#define TDC_DIALECT_TD_IR_VIEWS_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// The operand that holds `tensor` in its memory (ComputeOp::getViewed); null
/// if the tensor has memory of its own.
mlir::Value getViewed(mlir::Value tensor);
/// Whether the result of the op lies in the memory of an operand.
bool isView(mlir::Operation *op);
/// The tensor that owns the memory of `tensor`: itself, or the tensor that it
/// is a view of.
mlir::Value getRoot(mlir::Value tensor);

/// The value before all td.to_device ops that lead to `value`.
mlir::Value getContent(mlir::Value value);
/// The operands that read a value, directly or through td.to_device.
llvm::SmallVector<mlir::OpOperand *> getContentUses(mlir::Value value);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_VIEWS_H
