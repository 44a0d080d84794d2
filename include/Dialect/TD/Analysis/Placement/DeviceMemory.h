//===- DeviceMemory.h - what tensors take on each device ------------------===//
//
// A tensor takes its bytes on its device from the op that makes it to the last
// op of the same block that uses it or has a use inside: what a loop reads is
// there in every iteration. A loop takes over the values that it starts from.
// Slots stay, and what is read from one is the slot itself unless it is written
// while that value is still needed. A handle takes a replica on each device
// that any handle of such a tensor is asked for on.
//
// This is before kernels are formed: what they will not write to memory counts
// as well, so it is an upper bound, and an estimate where sizes are unknown.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_PLACEMENT_DEVICEMEMORY_H
#define TDC_DIALECT_TD_ANALYSIS_PLACEMENT_DEVICEMEMORY_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tdc::td {

/// The tensors on one device of a placed module.
class DeviceMemory {
public:
  DeviceMemory(mlir::ModuleOp module, const Place &device);

  struct LiveTensor {
    mlir::Value value;
    mlir::Operation *last; ///< in the block of the value
    int64_t bytes;
  };
  using Visitor = llvm::function_ref<mlir::WalkResult(mlir::Operation *op)>;

  /// Visits ops in program order. Loops and functions are visited as they
  /// start, with their arguments; branches by what is in them.
  mlir::WalkResult walk(Visitor visit);

  /// What takes memory while the visited op runs, results included.
  llvm::ArrayRef<LiveTensor> getLive() const { return live; }
  int64_t getSlotBytes() const { return slotBytes; }
  /// What slots and live tensors take together.
  int64_t getBytes() const;
  /// The most of that while the module runs.
  int64_t getPeak();

  /// A visitor has made the value leave before the visited op...
  void remove(mlir::Value value);
  /// ...and given uses of it to this one. If that is made behind `op`, the
  /// visited one, it is not live yet.
  void add(mlir::Value value, mlir::Operation *op);

private:
  mlir::WalkResult walk(mlir::Block &block, Visitor visit);
  mlir::WalkResult walkRegions(mlir::Operation *op, Visitor visit);
  void addSlot(SlotOp slot);
  void addAccesses(mlir::Operation *op);
  void addLive(mlir::ValueRange values, mlir::Operation *unused);
  void dropLast(mlir::Operation *op);
  int64_t getBytes(mlir::Value value, mlir::Operation *last);
  bool isRewritten(mlir::StringAttr slot, mlir::Operation *read,
                   mlir::Operation *last);

  mlir::ModuleOp module;
  Place device;
  int64_t slotBytes = 0;
  /// Types, without a place, of the tensors whose handles are asked for a
  /// replica here.
  llvm::DenseSet<mlir::Type> replicas;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::Operation *>>
      writers;
  llvm::SmallVector<LiveTensor> live;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_DEVICEMEMORY_H
