//===- Stages.h - nests that a kernel runs block by block -----------------===//
//
// The products and the softmax of an attention are nests that share the loops
// of their rows. A kernel with td.stage ops runs them one after the other for a
// block of these rows, so that only a block of what they pass on is in memory,
// in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_KERNELS_STAGES_H
#define TDC_DIALECT_TD_ANALYSIS_KERNELS_STAGES_H

#include "Dialect/TD/Analysis/Kernels/Vectorization.h"

namespace tdc::td {

struct Stage {
  /// Null if the roots are those results of the kernel that have no td.stage.
  StageOp op;
  LoopNest nest;
  /// Per root: the number of the kernel's result that it is, or -1: only later
  /// stages read it, to which it is passed on.
  llvm::SmallVector<int, 1> results = {};
  /// Per shared dim the loop over it, or -1: the dim has one element.
  llvm::SmallVector<int, 4> rows = {};
  /// Whether the stage has a sum over the last shared dim, to which each block
  /// adds its rows.
  bool addsUp = false;

  /// The numbers of the roots that are passed on.
  llvm::SmallVector<unsigned, 2> getPassedRoots() const;
  /// The value that later stages read for a root; not if `op` is null.
  mlir::Value getPassed(unsigned root) const;
  /// The layout of a root that is passed on.
  Layout getLayout(unsigned root) const;
};

/// The stages of a kernel. Shared dims are the first dims of everything that a
/// stage passes on; later stages read it at the positions of their own results,
/// or add it up over the last of them.
struct Stages {
  llvm::SmallVector<Stage, 4> stages;
  llvm::SmallVector<int64_t, 4> extents; ///< of the shared dims
  /// Positions of the last shared dim in a block; of the others it has one. The
  /// last block may have fewer.
  int64_t rowsOfBlock = 0;

  /// The stages of a kernel with td.stage ops; nullopt if it has none, or if
  /// they do not share dims of static size. What the stages pass on in a block
  /// has at most `mostBytes`, unless that is less than a few rows.
  static std::optional<Stages> find(KernelOp kernel, int64_t mostBytes);

  /// The nest of the stage for `rows` positions of the last shared dim.
  LoopNest getPart(const Stage &stage, int64_t rows) const;
  /// The type of a block of what is passed on.
  mlir::RankedTensorType getTypeOfBlock(mlir::Value passed) const;
  /// Whether blocks add to the same sums.
  bool addsUp() const;
  /// The number of blocks, in row-major order.
  int64_t countBlocks() const;
  /// The number of consecutive blocks that add to the same sums, and therefore
  /// run one after the other.
  int64_t countSerialBlocks() const;
  /// The bytes that stages pass on, in all blocks.
  int64_t getBytesPassed() const;
  /// The bytes that a stage reads of the kernel's inputs because it read them
  /// for another block already, and those of sums that blocks add to.
  int64_t getBytesReadAgain() const;

private:
  bool addStage(StageOp op, llvm::ArrayRef<mlir::Value> roots,
                llvm::ArrayRef<int> results);
  bool shareDims(unsigned count);
  std::optional<int64_t> getUnit(KernelOp kernel) const;
  bool chooseBlock(int64_t unit, int64_t mostBytes);
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_KERNELS_STAGES_H
