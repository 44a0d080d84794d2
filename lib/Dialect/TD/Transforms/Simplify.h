//===- Simplify.h - the steps of td-simplify ------------------------------===//
//
// Each step is one walk over the module. Passes of placement sweep, too.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SIMPLIFY_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SIMPLIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace tdc::td {

/// Replaces reads of slots by the values written or read before, and drops
/// writes that change nothing or are overwritten before any read.
void forwardSlots(mlir::ModuleOp module);

/// Drops everything that has no effect: unused values (also those that a loop
/// only carries for itself), writes to slots that are never used, such slots.
void sweepDead(mlir::ModuleOp module);

/// The outermost loops that compute tensors, of which nothing is used, and
/// leave nothing else behind. A loop of the program's text that is there
/// several times, in a function, is one of them if all are.
llvm::SmallVector<mlir::Operation *> findUnusedLoops(mlir::ModuleOp module);

/// Whether an op costs nothing inside a kernel: fills, broadcasts and views.
bool isFreeInKernels(mlir::Operation *op);

/// Moves arithmetic that is the same in all iterations in front of its loop.
void hoistInvariants(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SIMPLIFY_H
