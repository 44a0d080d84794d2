//===- FreeOps.h - ops that may run on another device ---------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_FREEOPS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_FREEOPS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

using OpSet = llvm::SetVector<mlir::Operation *>;

/// Returns the T-ops for which a move saves bytes on every run of the program
/// or on none.
OpSet findFreeTOps(mlir::ModuleOp module);

/// Returns the ops that may move if costs decide (--placement=optimize): every
/// compute op that is not pinned. An op is pinned if it reads or produces a
/// parameter of a model that the program moved, or if an annotation gives the
/// device of its result. Constructors, and ops that read a part of a very large
/// tensor, are left out, too.
OpSet findFreeOps(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_FREEOPS_H
