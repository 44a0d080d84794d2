//===- Planner.h - computes a MemoryPlan ----------------------------------===//
//
// One class, with a file per question: SlotAliasing.cpp (values that live in a
// slot), Rings.cpp (buffers of copies ahead of their use), Coalescing.cpp
// (values that share a buffer), HeapLifetimes.cpp (ownership of heap values),
// MemoryPlan.cpp (the order of these steps).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CONVERSION_TDTORUNTIME_PLANNER_H
#define TDC_LIB_CONVERSION_TDTORUNTIME_PLANNER_H

#include "Dialect/TD/IR/CarryingLoop.h"
#include "MemoryPlan.h"

namespace tdc {

class Planner {
public:
  Planner(mlir::func::FuncOp function, const SlotTable &slots, MemoryPlan &plan)
      : function(function), slots(slots), plan(plan), liveness(function) {}
  void run();

private:
  /// Gives every root a storage of its own, by its definition.
  void assignStorages();
  Storage makeStorage(mlir::Value root);
  /// Merges the values that pass on a ring's buffer into the ring's storage,
  /// which lives as long as the loop runs.
  void joinRings();
  /// Sets the offset of every planned buffer of a device; returns the end of
  /// the last.
  int64_t layOut(int32_t device, int64_t start);
  unsigned addArena(int32_t device, int64_t bytes, LiveRange range);

  // Slots. ------------------------------------------------------------------
  /// A value that lives in the slot from `first` to `last`.
  struct SlotValue {
    mlir::Value value;
    unsigned first, last;
  };
  /// The accesses to one slot, by position.
  struct SlotEvents {
    llvm::SmallVector<td::ReadOp> reads;
    llvm::SmallVector<td::WriteOp> writes;
    llvm::SmallVector<unsigned> saves, restores;
    llvm::SmallVector<SlotValue> values;
  };
  void aliasSlots();
  void aliasReads(const SlotRow &row, SlotEvents &events);
  /// Lets the producer of the written value write into the slot directly, if no
  /// read of the slot or of a value in it is affected.
  void forwardWrite(const SlotRow &row, SlotEvents &events, td::WriteOp write);
  /// Lets the input of such a producer that works in place be in the slot, too:
  /// the initial values of a parameter need no second buffer.
  void forwardInput(const SlotRow &row, SlotEvents &events,
                    td::LaunchOp launch);
  bool isOverwritten(const SlotEvents &events, mlir::Value value,
                     unsigned after, unsigned until) const;
  void moveToSlot(mlir::Value root, const SlotRow &row);

  // Sharing. ----------------------------------------------------------------
  // First extends live ranges for control flow, then merges.
  void unifyCarried(td::CarryingLoop loop);
  void extendJoined(mlir::scf::IfOp branch);
  void shareCarried(td::CarryingLoop loop);
  void shareJoined(mlir::scf::IfOp branch);
  void shareInPlace(td::LaunchOp launch);
  void stageLoopEdge(td::CarryingLoop loop);
  void planOutputs(mlir::func::ReturnOp op);
  bool tryMerge(unsigned a, unsigned b);
  void merge(unsigned a, unsigned b);
  bool mayTouch(unsigned position, unsigned ending, unsigned starting) const;
  /// Whether the launch allows an input with the storage `ending`, which ends
  /// at the launch, and its result with the storage `starting` to share bytes.
  bool mayOverwrite(td::LaunchOp launch, unsigned ending,
                    unsigned starting) const;

  // Heap. -------------------------------------------------------------------
  void planHeap(mlir::Value root);
  mlir::Value findHeir(td::LaunchOp launch, mlir::OpOperand &operand) const;

  unsigned find(unsigned id) const {
    while (parents[id] != id)
      id = parents[id];
    return id;
  }
  unsigned idOf(mlir::Value tensor) const {
    return find(plan.ids.find(getRoot(tensor))->second);
  }
  Storage &at(unsigned id) const { return plan.storages[find(id)]; }
  bool isArena(mlir::Value tensor) const {
    return at(idOf(tensor)).kind == Storage::Kind::Arena;
  }
  /// Whether the tensor's address is known only at run time.
  bool passesPointer(mlir::Value tensor) const {
    Storage::Kind kind = at(idOf(tensor)).kind;
    return kind == Storage::Kind::Heap || kind == Storage::Kind::Ring;
  }
  bool isHeap(mlir::Value tensor) const {
    return at(idOf(tensor)).kind == Storage::Kind::Heap;
  }
  static bool isTensor(mlir::Value value) {
    return llvm::isa<mlir::RankedTensorType>(value.getType());
  }

  mlir::func::FuncOp function;
  const SlotTable &slots;
  MemoryPlan &plan;
  Liveness liveness;
  /// Union-find over plan.storages.
  llvm::SmallVector<unsigned> parents;
  llvm::DenseMap<int32_t, unsigned> slotStorages;
};

} // namespace tdc

#endif // TDC_LIB_CONVERSION_TDTORUNTIME_PLANNER_H
