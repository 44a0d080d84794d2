//===- TOps.h - ops that give the same bits on every device ---------------===//
//
// Such an op (T for transferable) may run on another device than the program
// says, where that saves bytes: conversions with defined rounding, movement of
// elements, and IEEE arithmetic of single numbers. A constructor reads no
// tensor at all: it can run on each device that wants its result.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_TOPS_H
#define TDC_DIALECT_TD_ANALYSIS_TOPS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"

namespace tdc::td {

bool isConstructor(mlir::Operation *op);

/// Whether it is one that reads tensors.
bool isTOp(mlir::Operation *op);

/// Whether the module's T-ops are to stay where they are (--no-t-ops, or
/// transfers as written).
bool areTOpsFixed(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_TOPS_H
