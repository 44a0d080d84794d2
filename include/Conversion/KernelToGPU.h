//===- KernelToGPU.h - kernels become GPU functions -----------------------===//

#ifndef TDC_CONVERSION_KERNELTOGPU_H
#define TDC_CONVERSION_KERNELTOGPU_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tdc {

/// The name of the module, inside of the program's, that holds the code of its
/// GPU kernels.
inline constexpr llvm::StringLiteral kGPUCode = "gpu_code";

/// On a module: products of f32 matrices may round their factors to tf32, which
/// has 10 fraction bits, to use tensor cores.
inline constexpr llvm::StringLiteral kTF32Attr = "td.tf32";

#define GEN_PASS_DECL_MERGELAUNCHESPASS
#define GEN_PASS_DECL_KERNELTOGPUPASS
#include "Conversion/Passes.h.inc"

} // namespace tdc

#endif // TDC_CONVERSION_KERNELTOGPU_H
