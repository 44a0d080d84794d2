//===- MemoryPlan.cpp - the storage of a function's tensors ---------------===//

#include "MemoryPlan.h"
#include "Planner.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "tdc_runtime.h"

using namespace mlir;

namespace tdc {

bool writesPhysicalOrder(td::WriteOp write) {
  return write.getValue().getDefiningOp<td::LaunchOp>() &&
         write.getValue().hasOneUse();
}

td::CopyStartOp getRingCopy(Value root) {
  if (auto copy = root.getDefiningOp<td::CopyStartOp>())
    return copy.getIteration() ? copy : nullptr;
  if (!root.getDefiningOp<td::LaunchOp>())
    return nullptr;
  td::CopyStartOp first;
  for (Operation *user : root.getUsers()) {
    auto copy = dyn_cast<td::CopyStartOp>(user);
    if (!copy || !copy.isUpload() || copy->getBlock() != root.getParentBlock())
      return nullptr;
    if (!first || copy->isBeforeInBlock(first))
      first = copy;
  }
  return first;
}

MemoryPlan::MemoryPlan(func::FuncOp function, const SlotTable &slots) {
  Planner(function, slots, *this).run();
}

void Planner::run() {
  assignStorages();
  joinRings();
  aliasSlots();
  llvm::SmallVector<td::CarryingLoop> loops;
  llvm::SmallVector<scf::IfOp> branches;
  llvm::SmallVector<td::LaunchOp> launches;
  for (Operation *op : liveness.getOps())
    if (td::CarryingLoop loop(op); loop)
      loops.push_back(loop);
    else if (auto branch = dyn_cast_or_null<scf::IfOp>(op))
      branches.push_back(branch);
    else if (auto launch = dyn_cast_or_null<td::LaunchOp>(op))
      launches.push_back(launch);
  for (td::CarryingLoop loop : loops)
    unifyCarried(loop);
  for (scf::IfOp branch : branches)
    extendJoined(branch);
  for (td::CarryingLoop loop : loops)
    shareCarried(loop);
  for (scf::IfOp branch : branches)
    shareJoined(branch);
  for (td::LaunchOp launch : launches)
    shareInPlace(launch);
  for (td::CarryingLoop loop : loops)
    stageLoopEdge(loop);
  planOutputs(llvm::cast<func::ReturnOp>(function.front().getTerminator()));
  for (Value root : liveness.getRoots())
    if (isHeap(root))
      planHeap(root);

  for (auto &[value, id] : plan.ids)
    id = find(id);
  for (int32_t device = 0; device < slots.getNumDevices(); ++device)
    plan.arenaBytes.push_back(layOut(device, slots.getBytes(device)));
  plan.pinnedBytes = layOut(kPinned, /*start=*/0);
}

int64_t Planner::layOut(int32_t device, int64_t start) {
  llvm::SmallVector<PlannedBuffer *> buffers;
  for (auto [id, storage] : llvm::enumerate(plan.storages))
    if (find(id) == id && storage.device == device &&
        (storage.kind == Storage::Kind::Arena ||
         storage.kind == Storage::Kind::Ring)) {
      buffers.push_back(&storage.buffer);
      plan.buffers.push_back(id);
    }
  return layOutArena(buffers, start);
}

void Planner::assignStorages() {
  for (Value root : liveness.getRoots()) {
    plan.ids[root] = plan.storages.size();
    parents.push_back(plan.storages.size());
    plan.storages.push_back(makeStorage(root));
  }
}

Storage Planner::makeStorage(Value root) {
  Storage storage;
  auto type = llvm::cast<RankedTensorType>(root.getType());
  storage.device = getDevice(type);
  auto argument = dyn_cast<BlockArgument>(root);
  if (matchPattern(root, m_Constant())) {
    storage.kind = Storage::Kind::Constant;
  } else if (root.getDefiningOp<ub::PoisonOp>()) {
    storage.kind = Storage::Kind::None;
  } else if ((argument && argument.getOwner()->getParentOp() == function &&
              storage.device == 0) ||
             root.getDefiningOp<td::ReplicaGetOp>() ||
             (root.getDefiningOp<td::ReadOp>() && !type.hasStaticShape())) {
    storage.kind = Storage::Kind::Input;
  } else if (!type.hasStaticShape() || (root.getDefiningOp<td::LoadOp>() &&
                                        getByteSize(type) >= TDRT_MAP_FROM)) {
    // A large file is not read into the arena but mapped.
    storage.kind = Storage::Kind::Heap;
  } else {
    storage.buffer.bytes = getByteSize(type);
    llvm::append_range(storage.buffer.ranges, liveness.getFacts(root).ranges);
    if (getRingCopy(root)) {
      storage.kind = Storage::Kind::Ring;
      storage.buffer.bytes = 2 * llvm::alignTo(getByteSize(type), kAlignment);
    }
    if (storage.device == 0 && (storage.kind == Storage::Kind::Ring ||
                                root.getDefiningOp<td::CopyStartOp>()))
      storage.device = kPinned;
  }
  return storage;
}

unsigned Planner::addArena(int32_t device, int64_t bytes, LiveRange range) {
  unsigned id = plan.storages.size();
  parents.push_back(id);
  Storage &storage = plan.storages.emplace_back();
  storage.device = device;
  storage.buffer.bytes = bytes;
  storage.buffer.ranges.push_back(range);
  return id;
}

} // namespace tdc
