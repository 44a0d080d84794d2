//===- HeapLifetimes.cpp - who owns a run-time allocation -----------------===//
//
// Every heap value has one owner, the block that defines it. The block frees it
// after its last use, unless that use passes it on: into a loop, around it, out
// of a branch. Then the receiving value owns it. A slot of run-time size takes
// what is written into it, once, and keeps it. A use that cannot hand over
// (the value is needed later, or passed twice) passes a copy.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;

namespace tdc {

/// What operand `index` of an op that passes values on becomes, or null.
static Value getReceiver(Operation *op, OpOperand &operand) {
  unsigned index = operand.getOperandNumber();
  if (td::CarryingLoop loop(op); loop) {
    unsigned first = loop.getFirstInit();
    return index < first ? Value() : loop.getArguments()[index - first];
  }
  if (!isa<scf::YieldOp>(op))
    return nullptr;
  if (td::CarryingLoop loop(op->getParentOp()); loop)
    return loop.getArguments()[index];
  return op->getParentOp()->getResult(index);
}

void Planner::planHeap(Value root) {
  const Liveness::Facts &facts = liveness.getFacts(root);
  Operation *last = facts.lastUser;
  if (!last) {
    Operation *definition = root.getDefiningOp();
    // An unused argument of a loop is freed before the next one comes.
    last = definition ? definition : root.getParentBlock()->getTerminator();
    plan.dead[last].push_back(root);
    return;
  }
  // A function's result belongs to the caller.
  if (isa<func::ReturnOp>(last))
    return;
  if (auto write = dyn_cast<td::WriteOp>(last);
      write && !slots.isPlanned(write.getSlotAttr())) {
    plan.handedOver.insert(&write.getValueMutable());
    return;
  }
  if (!facts.usedInRegion)
    for (OpOperand &operand : last->getOpOperands()) {
      if (!isTensor(operand.get()) || getRoot(operand.get()) != root)
        continue;
      Value receiver = getReceiver(last, operand);
      if (receiver && isHeap(receiver)) {
        plan.handedOver.insert(&operand);
        return;
      }
    }
  plan.dead[last].push_back(root);
}

} // namespace tdc
