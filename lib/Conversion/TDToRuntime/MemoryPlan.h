//===- MemoryPlan.h - the bytes of every tensor of a function -------------===//
//
// Decides, without changing the IR, where each tensor value of a structured
// function lives and which copies are left:
//
//   Slot      td.read of a slot that is not written while the value is needed;
//             the result of a launch that td.write puts into a slot
//   Constant  td.constant: read-only data of the program, on a GPU a part of
//             its arena
//   Input     an input of an exported function, owned by the caller (those that
//             a GPU needs are copied there first), or a replica, owned by its
//             handle, or a td.read of a slot of run-time size, which owns it
//   Arena     any other value of static size: a fixed offset, shared by values
//             that live at different times. What a GPU copies beside its
//             kernels lies on the host in an arena of its own, which is pinned
//   Ring      what is copied in each iteration of a loop ahead of its use, and
//   what
//             it is copied from: two buffers of an arena that take turns
//   Heap      a value of run-time size: allocated when it is made, freed after
//             its last use
//   None      ub.poison, which nobody reads
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
  /// Arena, Ring and Slot: bytes, of a ring both buffers, and offset from the
  /// start of the device's arena.
  PlannedBuffer buffer;
};

/// The copy ahead that a ring's buffer is made or written for, if `root` is
/// made by a launch or is the copy's result; else null.
td::CopyStartOp getRingCopy(mlir::Value root);

/// Marks a td.read whose result must be row-major although its slot is not.
inline constexpr llvm::StringLiteral kRowMajorAttr = "row_major";

/// Whether `write` stores a value that is already in the slot's physical order:
/// only a kernel whose result goes nowhere else produces one. (Where that order
/// is row by row, as always on a GPU, every value is.)
bool writesPhysicalOrder(td::WriteOp write);

/// Of a function that td-split-reads has been through.
class MemoryPlan {
public:
  MemoryPlan(mlir::func::FuncOp function, const SlotTable &slots);

  const Storage &getStorage(mlir::Value tensor) const {
    return storages[ids.find(getRoot(tensor))->second];
  }
  /// Whether two tensors have the same bytes, so that nothing is to be copied
  /// between them. Never true of two heap values: they are handed over.
  bool isShared(mlir::Value a, mlir::Value b) const {
    return &getStorage(a) == &getStorage(b);
  }
  /// A buffer for an operand of a terminator that must be copied twice: on its
  /// way round a loop because the others would overwrite it, or out of a
  /// function because its bytes are not the function's. Null if none.
  const Storage *getStaging(mlir::OpOperand &operand) const {
    return find(staging, operand);
  }
  /// Room for the sizes of a result of run-time size of an exported function.
  const Storage *getSizeTable(mlir::OpOperand &operand) const {
    return find(sizeTables, operand);
  }
  /// Whether a heap value changes its owner at this edge of control flow. The
  /// other edges copy it.
  bool isHandedOver(mlir::OpOperand &operand) const {
    return handedOver.contains(&operand);
  }
  /// The heap values to free after `op`, or before it if it is a terminator.
  llvm::ArrayRef<mlir::Value> getDeadAfter(mlir::Operation *op) const {
    auto it = dead.find(op);
    return it == dead.end() ? llvm::ArrayRef<mlir::Value>() : it->second;
  }
  /// All that have an offset in an arena, behind the slots.
  llvm::SmallVector<const Storage *> getBuffers() const {
    return llvm::map_to_vector(buffers,
                               [&](unsigned id) { return &storages[id]; });
  }
  /// The end of the last planned buffer, by device.
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
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> dead;
  llvm::SmallVector<unsigned> buffers;
  llvm::SmallVector<int64_t> arenaBytes;
  int64_t pinnedBytes = 0;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_MEMORYPLAN_H
