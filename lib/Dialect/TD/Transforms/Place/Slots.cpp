//===- Slots.cpp - slots on several devices -------------------------------===//

#include "Slots.h"

using namespace mlir;

namespace tdc::td {

PlacedSlots::PlacedSlots(ModuleOp module, const Devices &devices)
    : devices(devices) {
  for (auto slot : module.getOps<SlotOp>())
    slots[slot.getSymNameAttr()] = slot;
}

RankedTensorType PlacedSlots::getType(StringAttr slot, unsigned device) const {
  Type type = SlotOp(slots.lookup(slot)).getType();
  auto handle = dyn_cast<HandleType>(type);
  return withPlace(handle ? handle.getTensor() : cast<RankedTensorType>(type),
                   devices.getPlace(device));
}

HandleType PlacedSlots::getHandleType(StringAttr slot) const {
  return HandleType::get(slot.getContext(),
                         withPlace(getType(slot, 0), Place()));
}

void PlacedSlots::makeHandle(StringAttr slot) {
  SlotOp(slots.lookup(slot)).setType(getHandleType(slot));
  isTaken[slot] = true;
}

FlatSymbolRefAttr PlacedSlots::get(StringAttr slot, unsigned device) {
  FlatSymbolRefAttr &known = made[{slot, device}];
  if (known)
    return known;
  SlotOp own = slots.lookup(slot);
  RankedTensorType type = getType(slot, device);
  bool &taken = isTaken[slot];
  if (!taken) {
    taken = true;
    own.setType(type);
    return known = FlatSymbolRefAttr::get(slot);
  }
  OpBuilder builder(own->getContext());
  builder.setInsertionPointAfter(own);
  std::string name = slot.str() + "@" + spelling(devices.getPlace(device));
  SlotOp::create(builder, own.getLoc(), name, own.getKind(), own.getKey(),
                 own.getInstance(), type, /*aliases=*/nullptr);
  return known = FlatSymbolRefAttr::get(slot.getContext(), name);
}

} // namespace tdc::td
