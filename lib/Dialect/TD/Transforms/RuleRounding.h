//===- RuleRounding.h - a gradient rule rounds once -----------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_RULEROUNDING_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_RULEROUNDING_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// Makes a gradient rule of several ops round only once, since PyTorch runs it
/// as one op. `made` are the ops of the rule in program order. If a result that
/// one of them rounds to f16 or bf16 reaches another one that rounds, all of
/// them compute in f32, and only `gradients` are rounded.
void roundOnce(mlir::ArrayRef<mlir::Operation *> made,
               mlir::MutableArrayRef<mlir::Value> gradients);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_RULEROUNDING_H
