//===- SplitKernels.h - cutting a module for several threads --------------===//

#ifndef TDC_LIB_TARGET_SPLITKERNELS_H
#define TDC_LIB_TARGET_SPLITKERNELS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tdc {

/// Moves kernels of `module`, which is in the llvm dialect, to new modules, so
/// that up to `parts` modules take about the same time to compile. Returns the
/// new modules. Symbols that one module uses of another are declared there;
/// together the modules link to the original program. A program that is too
/// small to gain from it stays whole.
llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>>
splitKernels(mlir::ModuleOp module, unsigned parts);

} // namespace tdc

#endif // TDC_LIB_TARGET_SPLITKERNELS_H
