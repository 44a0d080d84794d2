//===- LowerToLLVM.h - the last step inside MLIR --------------------------===//

#ifndef TDC_TARGET_LOWERTOLLVM_H
#define TDC_TARGET_LOWERTOLLVM_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace tdc {

/// A module pass: bodies of llvm.func ops in scf, arith, math and vector become
/// the llvm dialect. One conversion does it all, where the stock passes would
/// walk the module once per dialect.
std::unique_ptr<mlir::Pass> createLowerToLLVMPass();

} // namespace tdc

#endif // TDC_TARGET_LOWERTOLLVM_H
