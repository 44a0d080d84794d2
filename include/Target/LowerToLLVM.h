//===- LowerToLLVM.h - the last pass inside MLIR --------------------------===//

#ifndef TDC_TARGET_LOWERTOLLVM_H
#define TDC_TARGET_LOWERTOLLVM_H

#include <memory>

namespace mlir {
class ModuleOp;
class Pass;
class RewritePatternSet;
} // namespace mlir

namespace tdc {

struct TargetInfo;

/// Creates a module pass that lowers the bodies of llvm.func ops from scf,
/// arith, math and vector to the llvm dialect, in one conversion; the stock
/// passes would walk the module once per dialect. `processor` says which
/// instructions the processor has.
std::unique_ptr<mlir::Pass> createLowerToLLVMPass(const TargetInfo &processor);

/// Adds the pass's conversions between f32 and narrow floats.
void populateNarrowFloatPatterns(mlir::RewritePatternSet &patterns,
                                 const TargetInfo &processor);
/// Lowers the module's math.erf.
void lowerErrorFunction(mlir::ModuleOp module, const TargetInfo &processor);
/// Lowers the multiplications by powers of two of the module's kernels.
void lowerScaling(mlir::ModuleOp module, const TargetInfo &processor);
/// Lowers the module's math.fma where the processor has no such instruction.
void lowerMultiplyAdd(mlir::ModuleOp module, const TargetInfo &processor);

} // namespace tdc

#endif // TDC_TARGET_LOWERTOLLVM_H
