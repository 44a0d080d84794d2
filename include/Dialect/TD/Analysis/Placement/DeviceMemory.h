//===- DeviceMemory.h - bytes of live tensors on one device ---------------===//
//
// A tensor occupies its bytes on its device from the op that makes it to the
// last op of the same block that uses it or contains a use: a tensor that a
// loop reads is live in every iteration. The initial value of a carried value
// is counted only until the loop starts, unless the body uses it, too. Slots
// are always live, and a value that is read from a slot is the slot's memory,
// unless the slot is written while the value is still needed. A handle counts
// one replica on each device on which any handle of the same tensor type needs
// one.
//
// Computed before kernels are formed: tensors that kernels will not write to
// memory count as well. So it is an upper bound, and an estimate if sizes are
// unknown.
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
    mlir::Operation *last; ///< the last user, in the block of `value`
    int64_t bytes;
  };
  using Visitor = llvm::function_ref<mlir::WalkResult(mlir::Operation *op)>;

  /// Visits ops in program order. A loop or function with arguments is visited
  /// at the start of each of its regions, when these arguments are live. A
  /// branch is not visited, only the ops in it.
  mlir::WalkResult walk(Visitor visit);

  /// The tensors that are live while the visited op runs, its results included.
  llvm::ArrayRef<LiveTensor> getLive() const { return live; }
  int64_t getSlotBytes() const { return slotBytes; }
  /// The bytes of slots and live tensors together.
  int64_t getBytes() const;
  /// The maximum of getBytes() over the module.
  int64_t getPeak();

  /// For a visitor that has ended the life of `value` before the visited op.
  void remove(mlir::Value value);
  /// For a visitor that has given uses of a removed value to `value`: makes it
  /// live. Does nothing if `value` is made after `op`, the visited op, or is no
  /// longer needed.
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
  /// The types, without a place, of the tensors of which handles need a replica
  /// on this device.
  llvm::DenseSet<mlir::Type> replicas;
  llvm::DenseMap<mlir::StringAttr, llvm::SmallVector<mlir::Operation *>>
      writers;
  llvm::SmallVector<LiveTensor> live;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_DEVICEMEMORY_H
