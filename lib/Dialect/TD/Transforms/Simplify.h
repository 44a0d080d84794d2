//===- Simplify.h - the steps of td-simplify ------------------------------===//
//
// Each step is one walk over the module. Placement passes call sweepDead(),
// too.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SIMPLIFY_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SIMPLIFY_H

#include "mlir/IR/BuiltinOps.h"

namespace tdc::td {

/// Replaces reads of slots by the values written or read before, and drops
/// writes that change nothing or are overwritten before any read.
void forwardSlots(mlir::ModuleOp module);

/// Removes everything without effect: unused values (also values that a loop
/// carries only for itself), writes to slots that are never read, and these
/// slots.
void sweepDead(mlir::ModuleOp module);

/// Returns the outermost loops that compute tensors, with no result used and no
/// other effect than to advance the random counter. A loop of the source that
/// occurs several times, because it is in a function, is returned only if all
/// its copies are unused.
llvm::SmallVector<mlir::Operation *> findUnusedLoops(mlir::ModuleOp module);

/// Whether an op costs nothing inside a kernel: fills, broadcasts and views.
bool isFreeInKernels(mlir::Operation *op);

/// Hoists loop-invariant arithmetic out of loops.
void hoistInvariants(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SIMPLIFY_H
