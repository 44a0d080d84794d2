//===- LowerToLLVM.h - the last step inside MLIR --------------------------===//

#ifndef TDC_TARGET_LOWERTOLLVM_H
#define TDC_TARGET_LOWERTOLLVM_H

#include <memory>

namespace mlir {
class Pass;
class RewritePatternSet;
} // namespace mlir

namespace tdc {

/// A module pass: bodies of llvm.func ops in scf, arith, math and vector become
/// the llvm dialect. One conversion does it all, where the stock passes would
/// walk the module once per dialect. `convertsF16`: the processor does, else
/// integers do.
std::unique_ptr<mlir::Pass> createLowerToLLVMPass(bool convertsF16);

/// Its conversions between f32 and narrow floats that the processor has not.
void populateNarrowFloatPatterns(mlir::RewritePatternSet &patterns,
                                 bool convertsF16);

} // namespace tdc

#endif // TDC_TARGET_LOWERTOLLVM_H
