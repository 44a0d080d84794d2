//===- Memory.cpp - the memory of a run on each device --------------------===//

#include "Memory.h"
#include "Dialect/TD/IR/CarryingLoop.h"

using namespace mlir;

namespace tdc {

Memory::Memory(ModuleOp module) {
  module.walk([&](Operation *op) { addLastUses(op); });
  for (auto op : module.getOps<td::SlotOp>())
    addSlot(op);
}

void Memory::addLastUses(Operation *op) {
  for (Value value : op->getResults())
    addLastUse(value);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value value : block.getArguments())
        addLastUse(value);
}

void Memory::addLastUse(Value value) {
  Operation *last = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *op = value.getParentBlock()->findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(op))
      last = op;
  }
  if (!last)
    return;
  isUsed.insert(value);
  bool staysInside = llvm::any_of(value.getUsers(), [&](Operation *user) {
    return last->isProperAncestor(user);
  });
  bool isTaken = td::CarryingLoop(last) && !staysInside;
  (isTaken ? takenOver : lastUses)[last].push_back(value);
}

void Memory::addSlot(td::SlotOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return;
  std::string device = spelling(td::getPlace(type));
  int64_t size = type.hasStaticShape()
                     ? countElements(type.getShape()) *
                           byteSize(td::getDType(type.getElementType()))
                     : 0;
  slots[op.getSymName()] = {device, size, TensorRef()};
  add(device, size);
}

void Memory::add(const std::string &device, int64_t count) {
  // A tensor without a place is not counted on any device.
  if (device.empty())
    return;
  int64_t &now = bytes[device];
  now += count;
  int64_t &peak = peaks[device];
  peak = std::max(peak, now);
}

void Memory::keep(const Tensor &tensor, int64_t others, int64_t inSlots) {
  Owners &known = owners[&tensor];
  bool wasCounted = known.others && !known.slots;
  known.others += others;
  known.slots += inSlots;
  bool isCounted = known.others && !known.slots;
  if (isCounted != wasCounted)
    add(spelling(tensor.place), (isCounted ? 1 : -1) * tensor.countBytes());
  if (!known.others && !known.slots)
    owners.erase(&tensor);
}

void Memory::keep(const Datum &datum, int64_t count) {
  if (auto *tensor = std::get_if<TensorRef>(&datum); tensor && *tensor)
    keep(**tensor, count, 0);
  auto *handle = std::get_if<HandleRef>(&datum);
  if (!handle)
    return;
  for (const TensorRef &replica : **handle)
    keep(*replica, count, 0);
  int64_t &kept = handles[handle->get()];
  kept += count;
  if (kept == 0)
    handles.erase(handle->get());
}

void Memory::addReplica(const HandleRef &handle, const TensorRef &replica) {
  if (int64_t kept = handles.lookup(handle.get()))
    keep(*replica, kept, 0);
}

void Memory::setValue(Value value, const Datum &datum) {
  keep(datum, 1);
  if (!isUsed.contains(value)) {
    keep(datum, -1);
    return;
  }
  drop(value);
  values[value] = datum;
}

void Memory::drop(Value value) {
  auto known = values.find(value);
  if (known == values.end())
    return;
  keep(known->second, -1);
  values.erase(known);
}

void Memory::setSlot(llvm::StringRef name, const Datum &datum) {
  Slot &slot = slots[name];
  auto *next = std::get_if<TensorRef>(&datum);
  if (!next) {
    keep(datum, 1);
    keep(slot.held, -1);
    slot.held = datum;
    return;
  }
  keep(**next, 0, 1);
  if (auto &old = std::get<TensorRef>(slot.held))
    keep(*old, 0, -1);
  slot.held = datum;
  // A program that is compiled as written moves its slots while it runs.
  std::string device = spelling((*next)->place);
  if (device == slot.device)
    return;
  add(slot.device, -slot.bytes);
  add(device, slot.bytes);
  slot.device = device;
}

void Memory::enterLoop(Operation *loop) {
  for (Value value : takenOver.lookup(loop))
    drop(value);
}

void Memory::leave(Operation *op) {
  for (Value value : lastUses.lookup(op))
    drop(value);
}

} // namespace tdc
