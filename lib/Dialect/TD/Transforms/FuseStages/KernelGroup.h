//===- KernelGroup.h - kernels that may become one ------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_KERNELGROUP_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_KERNELGROUP_H

#include "Dialect/TD/IR/TD.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// Whether the kernel reads its inputs at loops, each alone: no windows, and no
/// positions that are picked. Inputs that `head`'s group does not pass on may
/// be slices.
bool readsAtLoops(KernelOp kernel, KernelOp head);

/// Whether nothing is written between the two, which are in one block.
bool isPureBetween(mlir::Operation *first, mlir::Operation *last);

/// Takes the kernels, which are in one block, in its order.
llvm::SmallVector<KernelOp> takeInOrder(llvm::SetVector<KernelOp> &set);

/// Whether a group that begins with `head` passes the value on. Values with at
/// most half as many elements as the result of `head` are results of the group.
bool isPassedOn(mlir::Value value, KernelOp head);

/// All kernels that pass on values as large as the result of `head`, from there
/// on: the products and the softmax of an attention's gradient. Empty if there
/// is no other, or if a reader of such a value cannot be merged.
llvm::SmallVector<KernelOp> findGroup(KernelOp head);

/// The ops between kernels of a group that need its results, and the kernels
/// that need theirs.
struct GroupReaders {
  llvm::SetVector<mlir::Operation *> others;
  llvm::SmallVector<KernelOp> late;

  explicit GroupReaders(llvm::ArrayRef<KernelOp> group);
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_KERNELGROUP_H
