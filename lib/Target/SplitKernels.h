//===- SplitKernels.h - cutting a module for several threads --------------===//

#ifndef TDC_LIB_TARGET_SPLITKERNELS_H
#define TDC_LIB_TARGET_SPLITKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tdc {

/// Moves kernels of `module`, which is in the llvm dialect, to further modules,
/// so that up to `parts` modules take about the same time to compile. What the
/// modules use of each other is declared there; together they link to what
/// `module` was. A program that is too small to gain from it stays whole.
llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>>
splitKernels(mlir::ModuleOp module, unsigned parts);

} // namespace tdc

#endif // TDC_LIB_TARGET_SPLITKERNELS_H
