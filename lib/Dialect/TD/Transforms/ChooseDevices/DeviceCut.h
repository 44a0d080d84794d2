//===- DeviceCut.h - the cheapest devices for ops -------------------------===//
//
// Stone's assignment of modules to two processors by minimum cut (H. S. Stone,
// "Multiprocessor scheduling with the aid of network flow algorithms", IEEE
// Trans. Software Eng. 3, 1977), with copies that are shared and control flow:
// the network of td-place, in which the ops that may move have variables of
// their own. An op on the cpu wants its operands there and gives its result
// there.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_DEVICECUT_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_DEVICECUT_H

#include "Dialect/TD/Analysis/Placement/MinCut.h"
#include "Dialect/TD/Analysis/Placement/ValueFlow.h"

namespace tdc::td {

/// What choosing may do, and what it counts.
struct FreeOp {
  mlir::Operation *op;
  /// May run on both devices: computing twice instead of copying.
  bool isReplicable = false;
  /// Computing costs something, and not only copies.
  bool hasCost = false;
};

class DeviceCut {
public:
  /// `flow` knows two devices, and `ops` as movable.
  DeviceCut(const ValueFlow &flow, llvm::ArrayRef<FreeOp> ops);

  /// For each op the devices that it is to run on; none if nobody needs it.
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
  /// By node of the flow: the value is held on the cpu; not on the other
  /// device. By op: it runs on the cpu; not on the other device.
  llvm::DenseMap<unsigned, MinCut::Node> onCpu, notOnGpu;
  llvm::DenseMap<mlir::Operation *, MinCut::Node> runsOnCpu, runsNotOnGpu;
};

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_CHOOSEDEVICES_DEVICECUT_H
