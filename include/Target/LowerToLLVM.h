//===- LowerToLLVM.h - the last step inside MLIR --------------------------===//

#ifndef TDC_TARGET_LOWERTOLLVM_H
#define TDC_TARGET_LOWERTOLLVM_H

#include <memory>

namespace mlir {
class Pass;
class RewritePatternSet;
} // namespace mlir

namespace tdc {

struct TargetInfo;

/// A module pass: bodies of llvm.func ops in scf, arith, math and vector become
/// the llvm dialect. One conversion does it all, where the stock passes would
/// walk the module once per dialect. `processor` says what it converts itself.
std::unique_ptr<mlir::Pass> createLowerToLLVMPass(const TargetInfo &processor);

/// Its conversions between f32 and narrow floats.
void populateNarrowFloatPatterns(mlir::RewritePatternSet &patterns,
                                 const TargetInfo &processor);

} // namespace tdc

#endif // TDC_TARGET_LOWERTOLLVM_H
