//===- SlotAliasing.cpp - values that live in a slot ----------------------===//
//
// td.read gives a value and td.write changes the slot; the value must not
// change with it. The result of a read is an alias of the slot if no write
// precedes the value's last use, else a copy. A write costs nothing if the op
// that produces the value can write into the slot directly: between that op and
// the td.write there must be no access to the slot, and no value that lives in
// the slot may be needed later, unless the producer itself is its last reader
// and works in place.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tdc {

void Planner::aliasSlots() {
  llvm::MapVector<int32_t, SlotEvents> events;
  auto of = [&](FlatSymbolRefAttr slot) -> SlotEvents & {
    return events[slots.get(slot).index];
  };
  auto ofAll = [&](ArrayAttr list) {
    return llvm::map_range(
        list.getAsRange<FlatSymbolRefAttr>(),
        [&](FlatSymbolRefAttr slot) -> SlotEvents & { return of(slot); });
  };
  for (auto [position, op] : llvm::enumerate(liveness.getOps())) {
    if (!op)
      continue;
    if (auto read = dyn_cast<td::ReadOp>(op);
        read && slots.isPlanned(read.getSlotAttr()))
      of(read.getSlotAttr()).reads.push_back(read);
    else if (auto write = dyn_cast<td::WriteOp>(op);
             write && slots.isPlanned(write.getSlotAttr()))
      of(write.getSlotAttr()).writes.push_back(write);
    else if (auto save = dyn_cast<td::SaveOp>(op))
      for (SlotEvents &slot : ofAll(save.getSlots()))
        slot.saves.push_back(position);
    else if (auto restore = dyn_cast<td::RestoreOp>(op))
      for (SlotEvents &slot : ofAll(restore.getSlots()))
        slot.restores.push_back(position);
  }
  for (auto &[index, slotEvents] : events) {
    const SlotRow &row = slots.getRows()[index];
    aliasReads(row, slotEvents);
    for (td::WriteOp write : slotEvents.writes)
      forwardWrite(row, slotEvents, write);
  }
}

void Planner::aliasReads(const SlotRow &row, SlotEvents &events) {
  for (td::ReadOp read : events.reads) {
    if (read->hasAttr(kRowMajorAttr))
      continue;
    const Liveness::Facts &facts = liveness.getFacts(read.getResult());
    if (isOverwritten(events, read.getResult(), facts.getDefinition(),
                      facts.getLastUse()))
      continue;
    moveToSlot(read.getResult(), row);
    events.values.push_back(
        {read.getResult(), facts.getDefinition(), facts.getLastUse()});
  }
}

/// Whether the slot gets a value other than `value` after position `after` and
/// not later than position `until`.
bool Planner::isOverwritten(const SlotEvents &events, Value value,
                            unsigned after, unsigned until) const {
  auto within = [&](unsigned position) {
    return after < position && position <= until;
  };
  return llvm::any_of(events.restores, within) ||
         llvm::any_of(events.writes, [&](td::WriteOp write) {
           return within(liveness.getBegin(write)) &&
                  getRoot(write.getValue()) != value;
         });
}

/// Whether an op can write its result to any address.
static bool canWriteTo(Operation *producer) {
  auto copy = dyn_cast_or_null<td::CopyStartOp>(producer);
  bool isPeerCopy = copy && copy.isBetweenGPUs();
  return isPeerCopy || isa_and_nonnull<td::LaunchOp, td::LoadOp, td::RandomOp,
                                       td::ToDeviceOp>(producer);
}

void Planner::forwardWrite(const SlotRow &row, SlotEvents &events,
                           td::WriteOp write) {
  Value root = getRoot(write.getValue());
  Operation *producer = root.getDefiningOp();
  if (!canWriteTo(producer) || !isArena(root) ||
      producer->getBlock() != write->getBlock())
    return;
  if (row.layout && !writesPhysicalOrder(write))
    return;

  unsigned begin = liveness.getBegin(producer);
  unsigned end = liveness.getBegin(write);
  auto between = [&](unsigned position) {
    return begin < position && position < end;
  };
  auto opBetween = [&](Operation *op) {
    return between(liveness.getBegin(op));
  };
  if (llvm::any_of(events.reads, opBetween) ||
      llvm::any_of(events.writes, opBetween) ||
      llvm::any_of(events.saves, between))
    return;
  unsigned lastUse = liveness.getFacts(root).getLastUse();
  if (isOverwritten(events, root, begin, lastUse))
    return;

  unsigned own = plan.ids.find(root)->second;
  for (const SlotValue &other : events.values) {
    if (other.first >= begin || other.last < begin)
      continue;
    auto launch = dyn_cast<td::LaunchOp>(producer);
    if (other.last > begin || !launch ||
        !mayOverwrite(launch, idOf(other.value), own))
      return;
  }
  moveToSlot(root, row);
  events.values.push_back({root, begin, lastUse});
  if (auto launch = dyn_cast<td::LaunchOp>(producer); launch && !row.layout)
    forwardInput(row, events, launch);
}

void Planner::forwardInput(const SlotRow &row, SlotEvents &events,
                           td::LaunchOp launch) {
  unsigned end = liveness.getBegin(launch);
  unsigned own = slotStorages.find(row.index)->second;
  llvm::ArrayRef<int64_t> pairs = launch.getInPlace();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (idOf(launch.getResult(pairs[i + 1])) != own)
      continue;
    Value input = getRoot(launch.getInputs()[pairs[i]]);
    Operation *producer = input.getDefiningOp();
    if (!canWriteTo(producer) || !isArena(input) ||
        producer->getBlock() != launch->getBlock() ||
        liveness.getFacts(input).getLastUse() != end ||
        at(idOf(input)).device != row.device ||
        at(idOf(input)).buffer.bytes != getByteSize(row.type) ||
        !mayOverwrite(launch, idOf(input), own))
      continue;
    unsigned begin = liveness.getBegin(producer);
    auto within = [&](unsigned position) {
      return begin < position && position < end;
    };
    bool isRead = llvm::any_of(events.saves, within) ||
                  llvm::any_of(events.reads, [&](td::ReadOp read) {
                    return within(liveness.getBegin(read));
                  });
    bool isInUse = llvm::any_of(events.values, [&](const SlotValue &other) {
      return other.first < end && other.last >= begin;
    });
    if (isRead || isInUse || isOverwritten(events, input, begin, end))
      continue;
    moveToSlot(input, row);
    events.values.push_back({input, begin, end});
    return;
  }
}

void Planner::moveToSlot(Value root, const SlotRow &row) {
  auto [it, inserted] = slotStorages.try_emplace(row.index, 0);
  if (inserted) {
    it->second = addArena(row.device, getByteSize(row.type), {});
    Storage &storage = plan.storages[it->second];
    storage.kind = Storage::Kind::Slot;
    storage.buffer.offset = row.offset;
  }
  parents[plan.ids.find(root)->second] = it->second;
}

} // namespace tdc
