//===- HeapLifetimes.cpp - ownership of heap values -----------------------===//
//
// Every heap value has one owner, the block that defines it. The block frees it
// after its last use, unless that use passes it on: into a loop, to the next
// iteration, or out of a branch. Then the receiving value owns it. So does the
// result of a kernel that may work in place, if it has the same size. A slot of
// run-time size takes ownership of the value written into it, once, and keeps
// it. A use that cannot hand over ownership (because the value is needed later,
// or is passed twice) passes a copy.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;

namespace tdc {

/// The value that receives operand `index` of an op that passes values on, or
/// null.
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

/// Whether dim `dim` of the tensor is known to have the size.
static bool hasSize(Value tensor, unsigned dim, Value size) {
  if (auto known = size.getDefiningOp<td::DimOp>())
    if (known.getInput() == tensor && known.getIndex() == dim)
      return true;
  auto launch = tensor.getDefiningOp<td::LaunchOp>();
  auto type = cast<RankedTensorType>(tensor.getType());
  return launch && launch.getSizesOf(cast<OpResult>(
                       tensor))[type.getDynamicDimIndex(dim)] == size;
}

/// The result of the launch that may take over the memory of the operand, the
/// last use of its value; null if there is none.
Value Planner::findHeir(td::LaunchOp launch, OpOperand &operand) const {
  Value input = operand.get();
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (!type)
    return nullptr;
  llvm::ArrayRef<int64_t> pairs = launch.getInPlace();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    OpResult result = launch->getResult(pairs[i + 1]);
    if (pairs[i] != operand.getOperandNumber() || result.getType() != type ||
        !isHeap(result) || plan.takenOver.contains(result) ||
        !mayOverwrite(launch, idOf(input), idOf(result)))
      continue;
    ValueRange sizes = launch.getSizesOf(result);
    if (llvm::all_of(llvm::seq<unsigned>(0, type.getRank()), [&](unsigned dim) {
          return !type.isDynamicDim(dim) ||
                 hasSize(input, dim, sizes[type.getDynamicDimIndex(dim)]);
        }))
      return result;
  }
  return nullptr;
}

void Planner::planHeap(Value root) {
  const Liveness::Facts &facts = liveness.getFacts(root);
  Operation *last = facts.lastUser;
  if (!last) {
    Operation *definition = root.getDefiningOp();
    // An unused argument of a loop is freed at the end of each iteration.
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
      if (auto launch = dyn_cast<td::LaunchOp>(last)) {
        if (Value heir = findHeir(launch, operand)) {
          plan.takenOver[heir] = operand.get();
          return;
        }
        continue;
      }
      Value receiver = getReceiver(last, operand);
      if (receiver && isHeap(receiver)) {
        plan.handedOver.insert(&operand);
        return;
      }
    }
  plan.dead[last].push_back(root);
}

} // namespace tdc
