//===- TOps.h - ops that give the same bits on every device ---------------===//
//
// A T-op (T for transferable) may run on another device than the program says,
// where that saves bytes: conversions with defined rounding, movement of
// elements, and IEEE arithmetic of single numbers. A constructor reads no
// tensor; it can run on every device that needs its result.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_TOPS_H
#define TDC_DIALECT_TD_ANALYSIS_TOPS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"

namespace tdc::td {

bool isConstructor(mlir::Operation *op);

/// Whether the op is a T-op; constructors are not.
bool isTOp(mlir::Operation *op);

/// Whether the module's T-ops keep their devices (--no-t-ops, or transfers as
/// written).
bool areTOpsFixed(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_TOPS_H
