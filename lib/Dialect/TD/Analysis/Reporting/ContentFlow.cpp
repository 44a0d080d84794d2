//===- ContentFlow.cpp - the sources and readers of a value ---------------===//

#include "ContentFlow.h"
#include "Dialect/TD/Analysis/Reporting/Transfers.h"
#include "Dialect/TD/IR/CarryingLoop.h"

using namespace mlir;

namespace tdc::td {

ContentFlow::ContentFlow(ModuleOp module) {
  module.walk([&](SlotUser user) {
    if (user.getReadValue())
      slots[user.getReadSlots().front()].reads.push_back(user);
    else if (user.getWrittenValue())
      slots[user.getWrittenSlots().front()].writes.push_back(user);
    else if (isa<SaveOp>(user))
      for (StringAttr slot : user.getReadSlots())
        slots[slot].saves.push_back(user);
  });
}

const ContentFlow::Slot &ContentFlow::slotOf(StringAttr name) const {
  auto found = slots.find(name);
  return found == slots.end() ? none : found->second;
}

/// The values that take over the operand of a loop or of a yield; empty for
/// other ops.
static SmallVector<Value> getPassed(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (CarryingLoop loop(op); loop)
    return {loop.getArguments()[index - loop.getFirstInit()]};
  if (!isa<scf::YieldOp>(op))
    return {};
  Operation *parent = op->getParentOp();
  SmallVector<Value> passed = {parent->getResult(index)};
  if (CarryingLoop loop(parent); loop)
    passed.push_back(loop.getArguments()[index]);
  return passed;
}

SmallVector<Operation *> ContentFlow::getReaders(Value value) const {
  SmallVector<Operation *> readers;
  llvm::SetVector<Value> reached;
  reached.insert(value);
  Devices devices;
  for (size_t i = 0; i != reached.size(); ++i) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : reached[i].getUses())
      uses.push_back(&use);
    // A use list starts with the last use.
    for (OpOperand *use : llvm::reverse(uses)) {
      Operation *op = use->getOwner();
      if (getNeed(op, use->getOperandNumber(), devices) >= 0)
        readers.push_back(op);
      for (Value passed : getPassed(*use))
        reached.insert(passed);
      auto user = dyn_cast<SlotUser>(op);
      if (!user || !user.getWrittenValue())
        continue;
      const Slot &slot = slotOf(user.getWrittenSlots().front());
      llvm::append_range(readers, slot.saves);
      for (SlotUser read : slot.reads)
        reached.insert(read.getReadValue());
    }
  }
  return readers;
}

llvm::SetVector<HandleOp> ContentFlow::getHandles(Value handle) const {
  llvm::SetVector<HandleOp> made;
  llvm::SetVector<Value> reached;
  reached.insert(handle);
  for (size_t i = 0; i != reached.size(); ++i) {
    Value value = reached[i];
    Operation *op = value.getDefiningOp();
    if (CarryingLoop loop = CarryingLoop::ofArgument(value); loop) {
      unsigned index = loop.getIndex(value);
      reached.insert(loop.getInits()[index].get());
      reached.insert(loop.getYield()->getOperand(index));
    } else if (auto own = dyn_cast_or_null<HandleOp>(op)) {
      made.insert(own);
    } else if (auto read = dyn_cast_or_null<SlotUser>(op)) {
      for (SlotUser write : slotOf(read.getReadSlots().front()).writes)
        reached.insert(write.getWrittenValue());
    } else if (isa_and_nonnull<scf::IfOp, scf::ForOp, scf::WhileOp>(op)) {
      unsigned index = cast<OpResult>(value).getResultNumber();
      for (Region &region : op->getRegions())
        if (auto yield = dyn_cast<scf::YieldOp>(region.front().getTerminator()))
          reached.insert(yield->getOperand(index));
    }
  }
  return made;
}

Operation *ContentFlow::getWriteIn(StringAttr slot, Operation *loop) const {
  for (SlotUser write : slotOf(slot).writes)
    if (loop->isAncestor(write))
      return write;
  return nullptr;
}

} // namespace tdc::td
