//===- ContentFlow.cpp - the sources and readers of a value ---------------===//

#include "ContentFlow.h"
#include "Dialect/TD/Analysis/Reporting/Transfers.h"
#include "Dialect/TD/IR/CarryingLoop.h"

using namespace mlir;

namespace tdc::td {

ContentFlow::ContentFlow(ModuleOp module) {
  module.walk([&](Operation *op) {
    auto of = [&](FlatSymbolRefAttr name) -> Slot & {
      return slots[name.getAttr()];
    };
    if (auto read = dyn_cast<ReadOp>(op))
      of(read.getSlotAttr()).reads.push_back(op);
    else if (auto read = dyn_cast<ReadHandleOp>(op))
      of(read.getSlotAttr()).reads.push_back(op);
    else if (auto write = dyn_cast<WriteOp>(op))
      of(write.getSlotAttr()).writes.push_back(op);
    else if (auto write = dyn_cast<WriteHandleOp>(op))
      of(write.getSlotAttr()).writes.push_back(op);
    else if (auto save = dyn_cast<SaveOp>(op))
      for (auto name : save.getSlots().getAsRange<FlatSymbolRefAttr>())
        of(name).saves.push_back(op);
  });
}

const ContentFlow::Slot &ContentFlow::slotOf(FlatSymbolRefAttr name) const {
  auto found = slots.find(name.getAttr());
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
      FlatSymbolRefAttr slot;
      if (auto write = dyn_cast<WriteOp>(op))
        slot = write.getSlotAttr();
      else if (auto write = dyn_cast<WriteHandleOp>(op))
        slot = write.getSlotAttr();
      if (!slot)
        continue;
      llvm::append_range(readers, slotOf(slot).saves);
      for (Operation *read : slotOf(slot).reads)
        reached.insert(read->getResult(0));
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
    } else if (auto read = dyn_cast_or_null<ReadHandleOp>(op)) {
      for (Operation *write : slotOf(read.getSlotAttr()).writes)
        reached.insert(write->getOperand(0));
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
  auto found = slots.find(slot);
  if (found != slots.end())
    for (Operation *write : found->second.writes)
      if (loop->isAncestor(write))
        return write;
  return nullptr;
}

} // namespace tdc::td
