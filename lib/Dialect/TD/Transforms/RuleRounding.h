//===- RuleRounding.h - a gradient rule rounds once -----------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_RULEROUNDING_H
#define TDC_DIALECT_TD_TRANSFORMS_RULEROUNDING_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// A gradient rule of several ops is one op to PyTorch. Where the ops that it
/// `made`, in their order, round f16 or bf16 one after the other, they compute
/// in f32, and the gradients that come out are rounded.
void roundOnce(mlir::ArrayRef<mlir::Operation *> made,
               mlir::MutableArrayRef<mlir::Value> gradients);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_RULEROUNDING_H
