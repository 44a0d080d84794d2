//===- MergedKernel.h - one kernel in the place of several ----------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_MERGEDKERNEL_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_MERGEDKERNEL_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// A kernel that could take the place of others: each but the last of these
/// becomes a td.stage. It is erased unless it does.
class MergedKernel {
public:
  /// `parts` are in one block, in its order. The kernel is before the last.
  explicit MergedKernel(llvm::ArrayRef<KernelOp> parts);
  MergedKernel(MergedKernel &&other);
  ~MergedKernel();

  llvm::ArrayRef<KernelOp> getParts() const { return parts; }
  /// The bytes of memory traffic that the stages save; 0 if the kernel cannot
  /// run.
  int64_t getSaved() const;
  /// Makes stages of the factors of products that are computed from what other
  /// stages pass on: vectors compute each element once, where a product
  /// computes single elements, for every tile that reads them. Only if the
  /// kernel can still run: with more stages, matrices of a head may be too
  /// large for a block.
  void stageFactors();
  /// Puts the kernel in the place of the others, which are erased.
  void replaceParts();

private:
  /// Makes the kernel of the parts' ops.
  void merge();

  llvm::SmallVector<KernelOp> parts;
  /// The results of `parts` that others read: those of the kernel.
  llvm::SmallVector<mlir::Value> results;
  KernelOp kernel;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_FUSESTAGES_MERGEDKERNEL_H
