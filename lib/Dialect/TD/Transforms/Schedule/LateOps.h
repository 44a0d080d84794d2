//===- LateOps.h - what can be done in the next iteration ------------*- C++
//-*-===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_LATEOPS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_LATEOPS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tdc::td {

/// What the host reads of GPUs in each iteration of a loop, and all ops of the
/// iteration that come with that when it is read one iteration later.
class LateOps {
public:
  explicit LateOps(mlir::scf::ForOp loop);

  llvm::ArrayRef<ToDeviceOp> getReads() const { return reads; }
  /// Finds the ops; false if some of them have their place in the iteration.
  bool find() { return find(reads); }
  /// When they have: says of each read why it is not late.
  void explain();

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  /// Which values that the loop carries they make.
  llvm::ArrayRef<unsigned> getResults() const { return results; }
  /// Numbers of their iteration that they need.
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
  llvm::StringRef why; ///< they cannot be late, one of not_pipelined
  mlir::Operation *by = nullptr;

  llvm::SetVector<mlir::Operation *> ops; ///< causes first
  /// What is there only when they have run; also what the loop carries of it.
  llvm::DenseSet<mlir::Value> values;
  /// What is seen in an iteration comes behind what is late of the previous
  /// iteration.
  bool hasEffects = false, hasChecks = false;
  llvm::SmallVector<unsigned> results;
  llvm::SetVector<mlir::Value> numbers;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SCHEDULE_LATEOPS_H
