//===- Coalescing.cpp - values that share a buffer ------------------------===//
//
// Two values may share one buffer if their live ranges do not overlap. For
// values that a loop carries, that a branch gives, or that a kernel updates in
// place, this saves not only memory but also the copy.
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;

namespace tdc {

//===----------------------------------------------------------------------===//
// Merging
//===----------------------------------------------------------------------===//

bool Planner::mayOverwrite(td::LaunchOp launch, unsigned ending,
                           unsigned starting) const {
  auto startsAs = [&](int64_t result) {
    return idOf(launch.getResult(result)) == starting;
  };
  if (llvm::count_if(llvm::seq<int64_t>(0, launch.getNumResults()), startsAs) !=
      1)
    return false;
  llvm::ArrayRef<int64_t> pairs = launch.getInPlace();
  for (auto [index, input] : llvm::enumerate(launch.getInputs())) {
    if (!isTensor(input) || idOf(input) != ending)
      continue;
    bool paired = false;
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
      paired |= pairs[i] == int64_t(index) && startsAs(pairs[i + 1]);
    if (!paired)
      return false;
  }
  return true;
}

/// Whether two merged buffers may meet at a position, where one ends and the
/// other starts: the op there reads the first before it writes the second.
bool Planner::mayTouch(unsigned position, unsigned ending,
                       unsigned starting) const {
  Operation *op = liveness.getOps()[position];
  if (auto launch = dyn_cast_or_null<td::LaunchOp>(op))
    return mayOverwrite(launch, ending, starting);
  // An edge into a loop, to its next iteration, or out of a branch: the
  // received value is the value that was in the buffer.
  ValueRange passed, received;
  if (td::CarryingLoop loop(op); loop) {
    passed = op->getOperands().drop_front(loop.getFirstInit());
    received = loop.getArguments();
  } else if (auto yield = dyn_cast_or_null<scf::YieldOp>(op)) {
    passed = yield.getOperands();
    if (td::CarryingLoop loop(yield->getParentOp()); loop)
      received = loop.getArguments();
    else
      received = yield->getParentOp()->getResults();
  } else {
    return false;
  }
  bool isPassed = false;
  for (auto [from, to] : llvm::zip(passed, received)) {
    if (!isTensor(to) || idOf(to) != starting)
      continue;
    if (idOf(from) != ending)
      return false;
    isPassed = true;
  }
  return isPassed;
}

bool Planner::tryMerge(unsigned a, unsigned b) {
  if (a == b)
    return false;
  const Storage &first = plan.storages[a], &second = plan.storages[b];
  if (first.kind != Storage::Kind::Arena ||
      second.kind != Storage::Kind::Arena || first.device != second.device ||
      first.buffer.bytes != second.buffer.bytes)
    return false;
  for (LiveRange x : first.buffer.ranges)
    for (LiveRange y : second.buffer.ranges) {
      if (x.last < y.first || y.last < x.first)
        continue;
      // A range that both starts and ends here is written here, not read.
      auto touch = [&](LiveRange ending, unsigned from, LiveRange starting,
                       unsigned to) {
        return ending.first < ending.last && ending.last == starting.first &&
               mayTouch(ending.last, from, to);
      };
      bool fine = touch(x, a, y, b) || touch(y, b, x, a);
      if (!fine)
        return false;
    }
  merge(a, b);
  return true;
}

/// Merges two storages. `a` stays, or of two storages of one kind the one with
/// more ranges: in a chain of many branches, each of which passes on the result
/// of the one before, ranges are then copied once.
void Planner::merge(unsigned a, unsigned b) {
  auto getRanges = [&](unsigned id) -> auto & {
    return plan.storages[id].buffer.ranges;
  };
  if (plan.storages[a].kind == plan.storages[b].kind &&
      getRanges(a).size() < getRanges(b).size())
    std::swap(a, b);
  parents[b] = a;
  llvm::append_range(getRanges(a), getRanges(b));
  getRanges(b).clear();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Gives a carried value one buffer, in the loop and after it. From the end of
/// the body on it holds the next value.
void Planner::unifyCarried(td::CarryingLoop loop) {
  unsigned back = liveness.getBegin(loop.getYield());
  for (auto [argument, result] :
       llvm::zip(loop.getArguments(), loop.getResults())) {
    if (!isTensor(argument) || passesPointer(argument))
      continue;
    merge(idOf(argument), idOf(result));
    at(idOf(argument))
        .buffer.ranges.push_back({back, liveness.getEnd(loop.getOperation())});
  }
}

void Planner::shareCarried(td::CarryingLoop loop) {
  for (auto [initial, argument, next] :
       llvm::zip(loop.getInits(), loop.getArguments(),
                 loop.getYield()->getOperands())) {
    if (!isTensor(argument) || passesPointer(argument))
      continue;
    tryMerge(idOf(argument), idOf(next));
    tryMerge(idOf(argument), idOf(initial.get()));
  }
}

/// Makes the results of a branch live from the end of either side on.
void Planner::extendJoined(scf::IfOp branch) {
  for (Value result : branch.getResults())
    if (isTensor(result) && !passesPointer(result))
      for (Operation *yield : {branch.thenYield(), branch.elseYield()}) {
        unsigned position = liveness.getBegin(yield);
        at(idOf(result)).buffer.ranges.push_back({position, position});
      }
}

void Planner::shareJoined(scf::IfOp branch) {
  if (branch.getNumResults() == 0)
    return;
  for (Operation *yield : {branch.thenYield(), branch.elseYield()})
    for (auto [value, result] :
         llvm::zip(yield->getOperands(), branch.getResults()))
      if (isTensor(result) && !passesPointer(result))
        tryMerge(idOf(result), idOf(value));
}

void Planner::shareInPlace(td::LaunchOp launch) {
  llvm::ArrayRef<int64_t> pairs = launch.getInPlace();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    tryMerge(idOf(launch.getInputs()[pairs[i]]),
             idOf(launch.getResult(pairs[i + 1])));
}

/// The copies at the end of a loop's body execute one after another, but must
/// act as if simultaneous: a value in the buffer of another carried value that
/// is overwritten gets a staging buffer.
void Planner::stageLoopEdge(td::CarryingLoop loop) {
  Operation *yield = loop.getYield();
  unsigned back = liveness.getBegin(yield);
  auto arguments = loop.getArguments();
  auto isCopied = [&](unsigned index) {
    return isTensor(arguments[index]) && !passesPointer(arguments[index]) &&
           idOf(arguments[index]) != idOf(yield->getOperand(index));
  };
  for (OpOperand &operand : yield->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (!isCopied(index))
      continue;
    for (auto [other, argument] : llvm::enumerate(arguments))
      if (other != index && isCopied(other) &&
          idOf(argument) == idOf(operand.get())) {
        auto type = llvm::cast<RankedTensorType>(arguments[index].getType());
        plan.staging[&operand] =
            addArena(getDevice(type), getByteSize(type), {back, back});
        break;
      }
  }
}

/// Plans the outputs of a function. A result must be in memory of the function,
/// on the cpu: an input, or a value on a GPU, is copied to a staging buffer.
/// Sizes known only at run time get a buffer that outlives the call.
void Planner::planOutputs(func::ReturnOp op) {
  unsigned position = liveness.getBegin(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = llvm::cast<RankedTensorType>(operand.get().getType());
    if (!type.hasStaticShape())
      plan.sizeTables[&operand] = addArena(
          /*device=*/0, type.getRank() * int64_t(sizeof(int64_t)),
          {position, position});
    else if (at(idOf(operand.get())).kind == Storage::Kind::Input ||
             getDevice(type) != 0)
      plan.staging[&operand] =
          addArena(/*device=*/0, getByteSize(type), {position, position});
  }
}

} // namespace tdc
