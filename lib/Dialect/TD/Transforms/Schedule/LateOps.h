//===- LateOps.h - ops that can run one iteration later -------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_LATEOPS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_LATEOPS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// The tensors that the host reads back from GPUs in each iteration of a loop,
/// and all ops of the iteration that must move with these reads if they happen
/// one iteration later. These ops are called late.
class LateOps {
public:
  explicit LateOps(mlir::scf::ForOp loop);

  llvm::ArrayRef<ToDeviceOp> getReads() const { return reads; }
  /// Finds the ops; false if some of them must stay in their iteration.
  bool find() { return find(reads); }
  /// After find() has failed: marks each read with the reason why it is not
  /// late.
  void explain();

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  /// Indices of the carried values that late ops compute.
  llvm::ArrayRef<unsigned> getResults() const { return results; }
  /// Numbers of their iteration that late ops need.
  llvm::ArrayRef<mlir::Value> getNumbers() const {
    return numbers.getArrayRef();
  }

private:
  bool find(llvm::ArrayRef<ToDeviceOp> roots);
  bool refuse(llvm::StringRef why, mlir::Operation *by = nullptr);
  bool refuseInOrder(mlir::Operation *op, mlir::Operation *obstacle);
  bool findLoop();
  bool findOps(llvm::ArrayRef<ToDeviceOp> roots);
  bool mayKernelsFail();
  void findEffects();
  bool isLate(mlir::Operation &op) const;
  void spread();
  void sink();
  bool canBePassed();
  bool findResults();
  bool findNumbers();

  mlir::scf::ForOp loop;
  llvm::SmallVector<ToDeviceOp> reads;
  llvm::StringRef why; ///< for a refusal, one of not_pipelined
  mlir::Operation *by = nullptr;

  llvm::SetVector<mlir::Operation *> ops; ///< causes first
  /// Values that are available only after late ops have run, and the arguments
  /// of the loop that carry them.
  llvm::DenseSet<mlir::Value> values;
  /// `hasEffects`: late ops are observable, so all observable ops of an
  /// iteration must follow the late ops of the previous one. `hasChecks`: some
  /// late ops are checks.
  bool hasEffects = false, hasChecks = false;
  llvm::SmallVector<unsigned> results;
  llvm::SetVector<mlir::Value> numbers;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_LATEOPS_H
