//===- KernelOutlining.h - a td.kernel leaves a td.launch -----------------===//

#ifndef TDC_CONVERSION_KERNELBODY_KERNELOUTLINING_H
#define TDC_CONVERSION_KERNELBODY_KERNELOUTLINING_H

#include "Conversion/KernelBody/KernelFunction.h"

namespace tdc {

/// The functions of a module's kernels. Two that come out alike are one.
class KernelLibrary {
public:
  /// The function, or an earlier one that does the same; then it is erased.
  /// What reports an error does so with the line of its own program.
  mlir::LLVM::LLVMFuncOp share(mlir::LLVM::LLVMFuncOp function, bool reports);
  /// How many there are.
  size_t size() const { return functions.size(); }

private:
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp> functions;
};

/// The number of elements of a tensor of the host part, as an i64.
mlir::Value getElementCount(mlir::OpBuilder &builder, mlir::Value tensor);

/// Whether nothing of an input is read but the element on which the root will
/// stand, so that both may share a buffer if no element is computed twice.
bool mayStandOn(const KernelFunction &function, const td::LoopNest &nest,
                mlir::BlockArgument input, unsigned root);

} // namespace tdc

#endif // TDC_CONVERSION_KERNELBODY_KERNELOUTLINING_H
