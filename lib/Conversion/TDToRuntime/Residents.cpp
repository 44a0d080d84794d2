//===- Residents.cpp - memory in use at each position of a function -------===//

#include "Residents.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"

using namespace mlir;

namespace tdc {

HandleCopies::HandleCopies(ModuleOp module) {
  auto add = [&](Type type, const Place &device) {
    auto &known = devices[td::withPlace(cast<RankedTensorType>(type), Place())];
    if (!llvm::is_contained(known, device))
      known.push_back(device);
  };
  module.walk([&](Operation *op) {
    if (auto handle = dyn_cast<td::HandleOp>(op))
      add(handle.getInput().getType(), td::getPlace(handle.getInput()));
    else if (auto replica = dyn_cast<td::ReplicaGetOp>(op))
      add(replica.getType(), td::getPlace(replica.getType()));
    else if (auto move = dyn_cast<td::MoveOp>(op))
      if (auto slot = SymbolTable::lookupNearestSymbolFrom<td::SlotOp>(
              move, move.getSlotAttr()))
        add(cast<td::HandleType>(slot.getType()).getTensor(),
            td::getPlace(move.getDevice()));
  });
}

SmallVector<RankedTensorType, 2> HandleCopies::getCopies(Type type) const {
  SmallVector<RankedTensorType, 2> copies;
  if (auto handle = dyn_cast<td::HandleType>(type))
    for (const Place &device : devices.lookup(handle.getTensor()))
      copies.push_back(td::withPlace(handle.getTensor(), device));
  return copies;
}

static SmallVector<LiveRange, 2> unite(ArrayRef<LiveRange> ranges) {
  SmallVector<LiveRange> sorted(ranges);
  llvm::sort(sorted,
             [](LiveRange a, LiveRange b) { return a.first < b.first; });
  SmallVector<LiveRange, 2> united;
  for (LiveRange range : sorted)
    if (!united.empty() && range.first <= united.back().last)
      united.back().last = std::max(united.back().last, range.last);
    else
      united.push_back(range);
  return united;
}

/// Whether a handle that was read from a slot may be the last owner of its
/// tensor, because the function writes to the slot.
static bool isReplaced(td::ReadHandleOp read, func::FuncOp function) {
  return function
      .walk([&](td::WriteHandleOp write) {
        return write.getSlotAttr() == read.getSlotAttr()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Adds the tensors of handles. A handle keeps its tensor until the end of its
/// block.
static void addHandles(func::FuncOp function, const Liveness &liveness,
                       const HandleCopies &handles,
                       std::vector<Resident> &residents) {
  auto add = [&](Value value, unsigned from) {
    Operation *end = value.getParentBlock()->getTerminator();
    for (RankedTensorType copy : handles.getCopies(value.getType()))
      residents.push_back({{value},
                           getDevice(copy),
                           td::estimateBytes(copy),
                           {{from, liveness.getBegin(end)}},
                           /*isPlanned=*/false});
  };
  for (auto [position, op] : llvm::enumerate(liveness.getOps())) {
    auto read = dyn_cast_or_null<td::ReadHandleOp>(op);
    if (!op || (read && !isReplaced(read, function)))
      continue;
    for (Value result : op->getResults())
      add(result, liveness.getEnd(op));
    if (td::CarryingLoop loop(op); loop)
      for (Value argument : loop.getArguments())
        add(argument, position);
  }
}

std::vector<Resident> getResidents(func::FuncOp function,
                                   const MemoryPlan &plan,
                                   const Liveness &liveness,
                                   const HandleCopies &handles) {
  std::vector<Resident> residents;
  llvm::DenseMap<const Storage *, size_t> ofStorage;
  for (const Storage *storage : plan.getBuffers()) {
    ofStorage[storage] = residents.size();
    residents.push_back({{},
                         storage->device,
                         storage->buffer.bytes,
                         unite(storage->buffer.ranges),
                         /*isPlanned=*/true});
  }
  for (Value root : liveness.getRoots()) {
    const Storage &storage = plan.getStorage(root);
    const Liveness::Facts &facts = liveness.getFacts(root);
    if (auto found = ofStorage.find(&storage); found != ofStorage.end())
      residents[found->second].values.push_back(root);
    else if (storage.kind == Storage::Kind::Heap)
      residents.push_back(
          {{root},
           storage.device,
           td::estimateBytes(cast<RankedTensorType>(root.getType())),
           {{facts.getDefinition(), facts.getLastUse()}},
           /*isPlanned=*/false});
  }
  addHandles(function, liveness, handles, residents);
  return residents;
}

} // namespace tdc
