//===- FreeOps.h - ops whose device is still to be chosen -----------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_FREEOPS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_FREEOPS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

using OpSet = llvm::SetVector<mlir::Operation *>;

/// T-ops whose move saves bytes on every run of the program or on none.
OpSet findFreeTOps(mlir::ModuleOp module);

/// Where costs decide (--placement=optimize): every compute op that nothing
/// pins. Pinned are ops that read or give a parameter of a model that the
/// program moved, and those whose result an annotation says the device of.
OpSet findFreeOps(mlir::ModuleOp module);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_FREEOPS_H
