//===- DeviceMemory.cpp - liveness of tensors on a device -----------------===//

#include "Dialect/TD/Analysis/Placement/DeviceMemory.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tdc::td {

/// Calls `visit` with each op that uses the value, its handle or a replica of
/// it; the handle keeps the replicas.
static void forEachUser(Value value,
                        llvm::function_ref<void(Operation *)> visit) {
  for (Operation *user : value.getUsers()) {
    visit(user);
    if (isa<HandleOp, ReplicaGetOp>(user))
      forEachUser(user->getResult(0), visit);
  }
}

/// The last op of the value's block that needs it, null if none does.
static Operation *getLastUser(Value value) {
  Operation *last = nullptr;
  forEachUser(value, [&](Operation *user) {
    Operation *op = value.getParentBlock()->findAncestorOpInBlock(*user);
    if (!last || last->isBeforeInBlock(op))
      last = op;
  });
  return last;
}

static bool isUsedInside(Value value, Operation *op) {
  bool isUsed = false;
  forEachUser(value,
              [&](Operation *user) { isUsed |= op->isProperAncestor(user); });
  return isUsed;
}

DeviceMemory::DeviceMemory(ModuleOp module, const Place &device)
    : module(module), device(device) {
  module.walk([&](Operation *op) { addAccesses(op); });
  for (auto slot : module.getOps<SlotOp>())
    addSlot(slot);
}

void DeviceMemory::addAccesses(Operation *op) {
  auto addReplica = [&](RankedTensorType type) {
    if (getPlace(type) == device)
      replicas.insert(withPlace(type, Place()));
  };
  if (auto handle = dyn_cast<HandleOp>(op))
    addReplica(handle.getInput().getType());
  else if (auto replica = dyn_cast<ReplicaGetOp>(op))
    addReplica(replica.getType());
  else if (auto user = dyn_cast<SlotUser>(op))
    for (StringAttr slot : user.getWrittenSlots())
      writers[slot].push_back(op);
}

void DeviceMemory::addSlot(SlotOp slot) {
  if (auto handle = dyn_cast<HandleType>(slot.getType())) {
    if (replicas.contains(handle.getTensor()))
      slotBytes += estimateBytes(handle.getTensor());
    return;
  }
  auto type = cast<RankedTensorType>(slot.getType());
  if (getPlace(type) == device)
    slotBytes += estimateBytes(type);
}

/// Whether the slot is written after `read`, while the value from it is still
/// needed: up to `last`, its last user.
bool DeviceMemory::isRewritten(StringAttr slot, Operation *read,
                               Operation *last) {
  return llvm::any_of(writers.lookup(slot), [&](Operation *write) {
    Operation *op = read->getBlock()->findAncestorOpInBlock(*write);
    return op && read->isBeforeInBlock(op) &&
           (op->isBeforeInBlock(last) || (op == last && op != write));
  });
}

int64_t DeviceMemory::getBytes(Value value, Operation *last) {
  Operation *op = value.getDefiningOp();
  auto user = dyn_cast_or_null<SlotUser>(op);
  if (user && user.getReadValue() == value) {
    if (!isRewritten(user.getReadSlots().front(), op, last))
      return 0;
  } else if (isa_and_nonnull<HandleOp, ReplicaGetOp, ub::PoisonOp>(op)) {
    return 0; // counted for the tensor, for the handle, and no memory
  }
  if (auto handle = dyn_cast<HandleType>(value.getType()))
    return replicas.contains(handle.getTensor())
               ? estimateBytes(handle.getTensor())
               : 0;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  bool isHere = getPlace(type) == device;
  if (!isHere && !replicas.empty())
    isHere = llvm::any_of(value.getUsers(), llvm::IsaPred<HandleOp>) &&
             replicas.contains(withPlace(type, Place()));
  return isHere ? estimateBytes(type) : 0;
}

int64_t DeviceMemory::getBytes() const {
  int64_t bytes = slotBytes;
  for (const LiveTensor &tensor : live)
    bytes += tensor.bytes;
  return bytes;
}

int64_t DeviceMemory::getPeak() {
  int64_t peak = slotBytes;
  walk([&](Operation *) {
    peak = std::max(peak, getBytes());
    return WalkResult::advance();
  });
  return peak;
}

/// Adds values that have memory on the device to the live ones. `unused`: the
/// last user of a value without users; null if it is not live.
void DeviceMemory::addLive(ValueRange values, Operation *unused) {
  for (Value value : values) {
    Operation *last = getLastUser(value);
    if (!last)
      last = unused;
    if (!last)
      continue;
    if (int64_t bytes = getBytes(value, last))
      live.push_back({value, last, bytes});
  }
}

void DeviceMemory::dropLast(Operation *op) {
  llvm::erase_if(live,
                 [&](const LiveTensor &tensor) { return tensor.last == op; });
}

void DeviceMemory::remove(Value value) {
  llvm::erase_if(
      live, [&](const LiveTensor &tensor) { return tensor.value == value; });
}

void DeviceMemory::add(Value value, Operation *op) {
  Operation *here = value.getParentBlock()->findAncestorOpInBlock(*op);
  if (!here || !value.getDefiningOp()->isBeforeInBlock(here))
    return;
  Operation *last = getLastUser(value);
  if (here->isBeforeInBlock(last) ||
      (here == last && isUsedInside(value, here)))
    addLive(value, nullptr);
}

WalkResult DeviceMemory::walk(Visitor visit) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        walk(function.getBody().front(), visit).wasInterrupted())
      return WalkResult::interrupt();
  return WalkResult::advance();
}

WalkResult DeviceMemory::walk(Block &block, Visitor visit) {
  if (block.getNumArguments() != 0) {
    addLive(block.getArguments(), nullptr);
    if (visit(block.getParentOp()).wasInterrupted())
      return WalkResult::interrupt();
  }
  for (Operation &op : block) {
    if (isStructured(&op)) {
      if (walkRegions(&op, visit).wasInterrupted())
        return WalkResult::interrupt();
      continue;
    }
    addLive(op.getResults(), &op);
    if (visit(&op).wasInterrupted())
      return WalkResult::interrupt();
    dropLast(&op);
  }
  return WalkResult::advance();
}

WalkResult DeviceMemory::walkRegions(Operation *op, Visitor visit) {
  llvm::erase_if(live, [&](const LiveTensor &tensor) {
    return tensor.last == op && !isUsedInside(tensor.value, op);
  });
  for (Region &region : op->getRegions())
    if (!region.empty() && walk(region.front(), visit).wasInterrupted())
      return WalkResult::interrupt();
  dropLast(op);
  addLive(op->getResults(), nullptr);
  return WalkResult::advance();
}

} // namespace tdc::td
