//===- DeviceCut.h - the cheapest devices for ops -------------------------===//
//
// Stone's assignment of modules to two processors by minimum cut (H. S. Stone,
// "Multiprocessor scheduling with the aid of network flow algorithms", IEEE
// Trans. Software Eng. 3, 1977), extended by shared copies and control flow. It
// uses the network of td-place, with a variable of its own for each op that may
// move. An op on the cpu needs its operands there and has its result there.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_DEVICECUT_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_DEVICECUT_H

#include "Dialect/TD/Analysis/Placement/MinCut.h"
#include "Dialect/TD/Analysis/Placement/ValueFlow.h"

namespace tdc::td {

/// An op that may move, with the options that the cut has for it.
struct FreeOp {
  mlir::Operation *op;
  /// It may run on both devices: it computes twice instead of copying.
  bool isReplicable = false;
  /// The time to compute it counts, not only copies.
  bool hasCost = false;
};

class DeviceCut {
public:
  /// `flow` has two devices, and `ops` are movable in it.
  DeviceCut(const ValueFlow &flow, llvm::ArrayRef<FreeOp> ops);

  /// Returns for each op the devices that it should run on; none if its result
  /// is not needed.
  llvm::SmallVector<DeviceSet> solve();

private:
  void addNode(unsigned node);
  void addOp(const FreeOp &free);
  void addCosts(mlir::Operation *op, double runs);

  const ValueFlow &flow;
  llvm::ArrayRef<FreeOp> ops;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 2>> results,
      operands;
  MinCut cut;
  /// Variables of the cut. By node of the flow: the value is held on the cpu;
  /// it is not held on the other device. By op: it runs on the cpu; it does not
  /// run on the other device.
  llvm::DenseMap<unsigned, MinCut::Node> onCpu, notOnGpu;
  llvm::DenseMap<mlir::Operation *, MinCut::Node> runsOnCpu, runsNotOnGpu;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_DEVICECUT_H
