//===- Rings.cpp - double buffers of loops --------------------------------===//
//
// A copy that a loop starts ahead of its use has two buffers: the current
// iteration reads one, while the copy writes the other for the next. The copy
// selects its buffer by the number of its iteration; from there on the address
// is passed around the loop. The ring belongs to the loop as long as it runs.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tdc {

void Planner::joinRings() {
  // Merges the values that loops and branches pass on, until nothing changes.
  auto isRing = [&](Value value) {
    return isTensor(value) && at(idOf(value)).kind == Storage::Kind::Ring;
  };
  bool changed = true;
  auto join = [&](Value a, Value b) {
    if (isRing(b))
      std::swap(a, b);
    if (!isRing(a) || b.getDefiningOp<ub::PoisonOp>() || idOf(a) == idOf(b))
      return;
    merge(idOf(a), idOf(b));
    changed = true;
  };
  while (changed) {
    changed = false;
    for (Operation *op : liveness.getOps()) {
      if (td::CarryingLoop loop(op); loop) {
        for (auto [initial, argument, next, result] :
             llvm::zip(loop.getInits(), loop.getArguments(),
                       loop.getYield()->getOperands(), loop.getResults()))
          for (Value other : {initial.get(), next, Value(result)})
            join(argument, other);
      } else if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
        for (OpResult result : branch.getResults())
          for (Operation *yield : {branch.thenYield(), branch.elseYield()})
            join(result, yield->getOperand(result.getResultNumber()));
      }
    }
  }
  for (Operation *op : liveness.getOps())
    if (td::CarryingLoop loop(op); loop)
      for (Value argument : loop.getArguments())
        if (isRing(argument))
          at(idOf(argument))
              .buffer.ranges.push_back(
                  {liveness.getBegin(op), liveness.getEnd(op)});
  // All sources of the copies into one ring become one ring too, which is live
  // as long: the copies are asynchronous.
  llvm::DenseMap<unsigned, unsigned> sources; // source by destination ring
  for (Operation *op : liveness.getOps()) {
    auto copy = dyn_cast_or_null<td::CopyStartOp>(op);
    if (!copy || !copy.isUpload() || !isRing(copy.getInput()))
      continue;
    unsigned ring = idOf(copy.getResult()), source = idOf(copy.getInput());
    auto [known, isNew] = sources.try_emplace(ring, source);
    if (isNew)
      llvm::append_range(plan.storages[source].buffer.ranges,
                         plan.storages[ring].buffer.ranges);
    else if (find(known->second) != source)
      merge(find(known->second), source);
  }
}

} // namespace tdc
