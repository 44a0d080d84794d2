//===- MemoryPlan.h - the storage of a function's tensors -----------------===//
//
// Decides, without changing the IR, where each tensor value of a structured
// function is stored and which copies remain:
//
//   Slot      td.read of a slot that is not written while the value is live;
//             the result of a launch that td.write puts into a slot
//   Constant  td.constant: read-only data of the program, on a GPU a part of
//             its arena
//   Input     an input of an exported function, owned by the caller (an input
//             that a GPU needs is copied there first), or a replica, owned by
//             its handle, or a td.read of a slot of run-time size, which owns
//             it
//   Arena     any other value of static size: a fixed offset, shared by values
//             with disjoint live ranges. Host buffers that a GPU copies from or
//             to asynchronously lie in a pinned arena of their own
//   Ring      the source or the destination of a copy that each iteration of a
//             loop starts ahead of its use: two buffers of an arena, used in
//             alternation
//   Heap      a value of run-time size: allocated when it is made, freed after
//             its last use
//   None      ub.poison, which has no reader
//
// A value that a loop carries has one buffer for all iterations. Its initial
// and next values are produced in that buffer where possible, else copied.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_MEMORYPLAN_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_MEMORYPLAN_H

#include "ArenaLayout.h"
#include "Liveness.h"
#include "SlotTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace tdc {

struct Storage {
  enum class Kind : uint8_t { Arena, Ring, Slot, Constant, Input, Heap, None };
  Kind kind = Kind::Arena;
  int32_t device = 0; ///< see getDevice; or kPinned
  /// Set for Arena, Ring and Slot: the bytes (of a ring, of both buffers), and
  /// the offset from the start of the device's arena.
  PlannedBuffer buffer;
};

/// If `root` has a ring, returns the copy that its buffer is made or written
/// for: `root` is then the copy's result, or the result of a launch that the
/// copy uploads. Else returns null.
td::CopyStartOp getRingCopy(mlir::Value root);

/// Marks a td.read with a result that must be row-major although its slot is
/// not.
inline constexpr llvm::StringLiteral kRowMajorAttr = "row_major";

/// Whether `write` stores a value that is already in the slot's physical order:
/// only a kernel with a result that has no other use produces such a value. (If
/// that order is row-major, as always on a GPU, every value has it.)
bool writesPhysicalOrder(td::WriteOp write);

/// The memory plan of a function that has been through td-split-reads.
class MemoryPlan {
public:
  MemoryPlan(mlir::func::FuncOp function, const SlotTable &slots);

  const Storage &getStorage(mlir::Value tensor) const {
    return storages[ids.find(getRoot(tensor))->second];
  }
  /// Whether two tensors have the same bytes, so that no copy between them is
  /// needed. Never true for two heap values: those are handed over.
  bool isShared(mlir::Value a, mlir::Value b) const {
    return &getStorage(a) == &getStorage(b);
  }
  /// The staging buffer for an operand of a terminator that must be copied
  /// twice: at the end of an iteration because another copy would overwrite it,
  /// or at a return because its bytes do not belong to the function. Null if
  /// none is needed.
  const Storage *getStaging(mlir::OpOperand &operand) const {
    return find(staging, operand);
  }
  /// The buffer for the sizes of an exported function's result of run-time
  /// size.
  const Storage *getSizeTable(mlir::OpOperand &operand) const {
    return find(sizeTables, operand);
  }
  /// Whether a heap value changes its owner at this edge of control flow. Other
  /// edges copy it.
  bool isHandedOver(mlir::OpOperand &operand) const {
    return handedOver.contains(&operand);
  }
  /// The heap value whose memory the launch's result has; null if the result
  /// has its own.
  mlir::Value getTakenOver(mlir::Value result) const {
    return takenOver.lookup(result);
  }
  /// The heap values to free after `op`, or before it if it is a terminator.
  llvm::ArrayRef<mlir::Value> getDeadAfter(mlir::Operation *op) const {
    auto it = dead.find(op);
    return it == dead.end() ? llvm::ArrayRef<mlir::Value>() : it->second;
  }
  /// All storages with an offset in an arena, after the slots.
  llvm::SmallVector<const Storage *> getBuffers() const {
    return llvm::map_to_vector(buffers,
                               [&](unsigned id) { return &storages[id]; });
  }
  /// The end of the last planned buffer, per device.
  llvm::ArrayRef<int64_t> getArenaBytes() const { return arenaBytes; }
  int64_t getPinnedBytes() const { return pinnedBytes; }

private:
  friend class Planner;
  using OperandTable = llvm::DenseMap<mlir::OpOperand *, unsigned>;

  const Storage *find(const OperandTable &table,
                      mlir::OpOperand &operand) const {
    auto it = table.find(&operand);
    return it == table.end() ? nullptr : &storages[it->second];
  }

  llvm::SmallVector<Storage, 0> storages;
  llvm::DenseMap<mlir::Value, unsigned> ids;
  OperandTable staging, sizeTables;
  llvm::DenseSet<mlir::OpOperand *> handedOver;
  llvm::DenseMap<mlir::Value, mlir::Value> takenOver;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> dead;
  llvm::SmallVector<unsigned> buffers;
  llvm::SmallVector<int64_t> arenaBytes;
  int64_t pinnedBytes = 0;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_MEMORYPLAN_H
