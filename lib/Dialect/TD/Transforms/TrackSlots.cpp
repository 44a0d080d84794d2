//===- TrackSlots.cpp - slots that a program moves ------------------------===//
//
// A program that is compiled as written moves the contents of its slots, and
// the device that they come from may depend on the run: `model.to(cuda)` in a
// loop copies in the first iteration only. Such slots become slots of handles,
// which know where their tensors are. Files are read and written through a slot
// on the cpu.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/Transforms/Passes.h"

using namespace mlir;

namespace tdc::td {
#define GEN_PASS_DEF_TDTRACKSLOTSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"

namespace {

class SlotTracker {
public:
  explicit SlotTracker(ModuleOp module) : module(module) {}

  void run() {
    for (auto slot : module.getOps<SlotOp>())
      slots[slot.getSymNameAttr()] = {
          slot, cast<RankedTensorType>(slot.getType()), {}, {}};
    for (auto &[name, slot] : slots)
      if (isMoving(slot))
        slot.op.setType(getHandleType(slot));
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (auto read = dyn_cast<ReadOp>(op))
        rewrite(read);
      else if (auto write = dyn_cast<WriteOp>(op))
        rewrite(write);
      else if (auto move = dyn_cast<MoveOp>(op))
        rewrite(move);
      else if (auto save = dyn_cast<SaveOp>(op))
        rewrite(save);
      else if (auto restore = dyn_cast<RestoreOp>(op))
        rewrite(restore);
    }
  }

private:
  struct Slot {
    SlotOp op;
    RankedTensorType type;
    FlatSymbolRefAttr onCpu; ///< for files; null if not needed
    /// Its place after the ops visited so far; free before the first write.
    Place place;
  };

  /// Whether the slot is on several devices: then its type has no place.
  static bool isMoving(const Slot &slot) {
    return getPlace(slot.type) == Place();
  }
  static HandleType getHandleType(const Slot &slot) {
    return HandleType::get(slot.type.getContext(), slot.type);
  }
  static FlatSymbolRefAttr nameOf(Slot &slot) {
    return FlatSymbolRefAttr::get(slot.op.getSymNameAttr());
  }

  static Value read(OpBuilder &builder, Location loc, Slot &slot,
                    const Place &place) {
    RankedTensorType type = withPlace(slot.type, place);
    if (!isMoving(slot))
      return ReadOp::create(builder, loc, type, nameOf(slot));
    Value handle =
        ReadHandleOp::create(builder, loc, getHandleType(slot), nameOf(slot));
    return ReplicaGetOp::create(builder, loc, type, handle);
  }

  static void write(OpBuilder &builder, Location loc, Slot &slot, Value value) {
    slot.place = getPlace(value);
    if (!isMoving(slot)) {
      WriteOp::create(builder, loc, value, nameOf(slot));
      return;
    }
    Value handle = HandleOp::create(builder, loc, getHandleType(slot), value);
    WriteHandleOp::create(builder, loc, handle, nameOf(slot));
  }

  void rewrite(ReadOp op) {
    Slot &slot = slots[op.getSlotAttr().getAttr()];
    if (!isMoving(slot))
      return;
    OpBuilder builder(op);
    op.replaceAllUsesWith(
        read(builder, op.getLoc(), slot, getPlace(op.getResult())));
    op.erase();
  }

  void rewrite(WriteOp op) {
    Slot &slot = slots[op.getSlotAttr().getAttr()];
    if (!isMoving(slot))
      return;
    OpBuilder builder(op);
    write(builder, op.getLoc(), slot, op.getValue());
    op.erase();
  }

  /// Tracks a move. The zeros that a slot holds before its first write are on
  /// every device.
  void rewrite(MoveOp op) {
    Slot &slot = slots[op.getSlotAttr().getAttr()];
    if (!isMoving(slot))
      op.erase();
    else if (slot.place != Place())
      slot.place = getPlace(op.getDevice());
  }

  //===--- Files ----------------------------------------------------------===//

  static Place getFilePlace(const Slot &slot) {
    Place place = isMoving(slot) ? slot.place : getPlace(slot.type);
    return place == Place() ? getCpu() : place;
  }

  static Value copy(OpBuilder &builder, Location loc, Value value,
                    const Place &place) {
    if (getPlace(value) == place)
      return value;
    auto type = withPlace(cast<RankedTensorType>(value.getType()), place);
    auto copied = ToDeviceOp::create(builder, loc, type, value);
    copied.setImplied(true);
    return copied;
  }

  /// Returns the extra slot on the cpu that files use for `slot`; creates it on
  /// first use.
  FlatSymbolRefAttr getOnCpu(Slot &slot) {
    if (!slot.onCpu) {
      OpBuilder builder(slot.op->getContext());
      builder.setInsertionPointAfter(slot.op);
      std::string name = slot.op.getSymName().str() + "@cpu";
      SlotOp::create(builder, slot.op.getLoc(), name, slot.op.getKind(),
                     slot.op.getKey(), slot.op.getInstance(),
                     withPlace(slot.type, getCpu()), /*aliases=*/nullptr);
      slot.onCpu = FlatSymbolRefAttr::get(slot.op->getContext(), name);
    }
    return slot.onCpu;
  }

  /// Makes a save or restore use slots on the cpu: replaces each slot that is
  /// not always there and calls `visit` with it.
  template <typename OpT>
  void useSlotsOnCpu(OpT op, llvm::function_ref<void(Slot &)> visit) {
    SmallVector<Attribute> names;
    for (auto name : op.getSlots().template getAsRange<FlatSymbolRefAttr>()) {
      Slot &slot = slots[name.getAttr()];
      if (getPlace(slot.type) == getCpu()) {
        names.push_back(name);
        continue;
      }
      names.push_back(getOnCpu(slot));
      visit(slot);
    }
    op.setSlotsAttr(ArrayAttr::get(op->getContext(), names));
  }

  void fetch(OpBuilder &builder, Location loc, Slot &slot) {
    Value value = read(builder, loc, slot, getFilePlace(slot));
    WriteOp::create(builder, loc, copy(builder, loc, value, getCpu()),
                    getOnCpu(slot));
  }

  void rewrite(SaveOp op) {
    OpBuilder builder(op);
    useSlotsOnCpu(op, [&](Slot &slot) { fetch(builder, op.getLoc(), slot); });
  }

  /// A restored value is copied to where the slot was.
  void rewrite(RestoreOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    useSlotsOnCpu(op, [&](Slot &slot) {
      if (op.getLenient()) {
        builder.setInsertionPoint(op);
        fetch(builder, loc, slot);
      }
      builder.setInsertionPointAfter(op);
      Value value = ReadOp::create(builder, loc, withPlace(slot.type, getCpu()),
                                   getOnCpu(slot));
      write(builder, loc, slot, copy(builder, loc, value, getFilePlace(slot)));
    });
  }

  ModuleOp module;
  llvm::DenseMap<StringAttr, Slot> slots;
};

struct TrackSlotsPass : public impl::TDTrackSlotsPassBase<TrackSlotsPass> {
  void runOnOperation() override {
    if (getOperation()->hasAttr(kAsWrittenAttr))
      SlotTracker(getOperation()).run();
  }
};

} // namespace
} // namespace tdc::td
