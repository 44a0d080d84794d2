//===- GroupReductions.cpp - reductions that a group shares ---------------===//

#include "GroupReductions.h"
#include "CodeGen/Accumulation.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

/// Reductions that share their loops.
class GroupReductions {
public:
  /// `reductions`: a run (see LoopNest).
  GroupReductions(GridLoops &loops, ArrayRef<Reduction> reductions)
      : loops(loops), b(loops.function.builder), loc(loops.function.loc),
        reductions(reductions) {}

  void emit();

private:
  using Values = GridLoops::Values;
  /// The part of a reduction that one accumulator collects.
  struct Accumulator {
    const Reduction *reduction;
    Tile tile;
  };

  Values getNeutral();
  Values step(ValueRange carried);
  Values join(ValueRange one, ValueRange other);
  /// Each combines the partial results of all members of the group, and gives
  /// every member the result.
  Values shareWithinWarp(Values own, int64_t members);
  Values shareThroughMemory(Values own, Value isWriter, Value index,
                            int64_t length,
                            llvm::function_ref<Value(int64_t)> indexOf,
                            int64_t count);
  Values shareWithBlock(Values own);
  Values shareApart(Values own);

  GridLoops &loops;
  OpBuilder &b;
  Location loc;
  ArrayRef<Reduction> reductions;
  SmallVector<Accumulator> accumulators;
};

} // namespace

GroupReductions::Values GroupReductions::getNeutral() {
  Values neutral;
  for (const Accumulator &accumulator : accumulators)
    putPartial(makeNeutral(b, loc, *accumulator.reduction, /*lanes=*/0),
               neutral);
  return neutral;
}

GroupReductions::Values GroupReductions::step(ValueRange carried) {
  LoopSet summed = toLoopSet(reductions.front().loops);
  Values next;
  for (const Accumulator &accumulator : accumulators) {
    const Reduction &reduction = *accumulator.reduction;
    Partial partial = takePartial(*accumulator.reduction, carried);
    for (const Tile &offset : loops.getTiles(summed)) {
      Tile tile = accumulator.tile;
      for (size_t loop = 0; loop < tile.size(); ++loop)
        tile[loop] += offset[loop];
      SmallVector<Value, 2> operands;
      for (unsigned i = 0; i < reduction.countFactors(); ++i) {
        Access operand = loops.nest.getOperand(reduction, i);
        operands.push_back(
            loops.evaluator.evaluate(operand.tensor, *operand.at, tile));
      }
      Value position;
      if (partial.index)
        position = loops.function.toI64(
            loops.evaluator.evaluateCoordinate(reduction.getPosition(), tile));
      partial = accumulate(b, loc, reduction, partial, operands, position);
    }
    putPartial(partial, next);
  }
  return next;
}

GroupReductions::Values GroupReductions::join(ValueRange one,
                                              ValueRange other) {
  Values joined;
  for (const Accumulator &accumulator : accumulators)
    putPartial(combine(b, loc, *accumulator.reduction,
                       takePartial(*accumulator.reduction, one),
                       takePartial(*accumulator.reduction, other)),
               joined);
  return joined;
}

/// A butterfly: both lanes of an exchange compute the same sum.
GroupReductions::Values GroupReductions::shareWithinWarp(Values own,
                                                         int64_t members) {
  for (int64_t distance = members / 2; distance > 0; distance /= 2) {
    Values others;
    for (Value value : own)
      others.push_back(loops.device.exchange(value, distance));
    own = join(own, others);
  }
  return own;
}

/// Every thread for which `isWriter` holds writes its values to element `index`
/// of arrays of `length` elements; then all threads read the elements
/// `indexOf(0)` … `indexOf(count - 1)` and combine them in that order.
GroupReductions::Values GroupReductions::shareThroughMemory(
    Values own, Value isWriter, Value index, int64_t length,
    llvm::function_ref<Value(int64_t)> indexOf, int64_t count) {
  SmallVector<SharedArray> arrays;
  for (Value value : own)
    arrays.push_back(loops.device.makeShared(value.getType(), length));
  loops.openIf(isWriter, [&] {
    for (auto [array, value] : llvm::zip(arrays, own))
      loops.device.store(array, index, value);
  });
  loops.device.wait();
  Values all;
  for (int64_t i = 0; i < count; ++i) {
    Values next;
    for (auto [array, value] : llvm::zip(arrays, own))
      next.push_back(loops.device.load(array, indexOf(i), value.getType()));
    all = i == 0 ? next : join(all, next);
  }
  return all;
}

/// Combines within warps, then across the block through shared memory.
GroupReductions::Values GroupReductions::shareWithBlock(Values own) {
  own = shareWithinWarp(own, gpu::kWarpSize);
  int64_t warps = loops.schedule.groupSize / gpu::kWarpSize;
  if (warps == 1)
    return own;
  Value lane = arith::RemUIOp::create(b, loc, loops.member,
                                      loops.device.i32(gpu::kWarpSize));
  Value warp = arith::DivUIOp::create(b, loc, loops.member,
                                      loops.device.i32(gpu::kWarpSize));
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                        loops.device.i32(0));
  return shareThroughMemory(
      own, isFirst, warp, warps, [&](int64_t i) { return loops.device.i32(i); },
      warps);
}

/// For `interleaved`: each member has a row of shared memory.
GroupReductions::Values GroupReductions::shareApart(Values own) {
  int64_t groups = loops.schedule.getGroups();
  auto indexOf = [&](Value member) -> Value {
    return arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, member, loops.device.i32(groups)),
        loops.group);
  };
  return shareThroughMemory(
      std::move(own), /*isWriter=*/Value(), indexOf(loops.member),
      loops.schedule.threads,
      [&](int64_t i) { return indexOf(loops.device.i32(i)); },
      loops.schedule.groupSize);
}

void GroupReductions::emit() {
  LoopSet held = 0;
  for (unsigned loop = 0; loop < loops.factors.size(); ++loop)
    if (loops.factors[loop] != 1)
      held |= toLoopSet(loop);
  for (const Reduction &reduction : reductions)
    for (const Tile &tile : loops.getTiles(reduction.parallel & held))
      accumulators.push_back({&reduction, tile});

  Values neutral = getNeutral();
  auto joinSums = [&](ValueRange before, ValueRange next) {
    return join(before, next);
  };
  GridLoops::PartialSums sums{neutral, joinSums};
  bool rounds = llvm::any_of(reductions, isFloatSum);
  ArrayRef<unsigned> over = reductions.front().loops;
  Values results;
  if (over.empty()) { // one element: every member takes it
    results = step(neutral);
  } else {
    results = loops.openShared(
        over, neutral, [&](ValueRange carried) { return step(carried); },
        rounds ? &sums : nullptr);
    int64_t members = loops.schedule.groupSize;
    if (loops.schedule.interleaved)
      results = shareApart(results);
    else if (members > gpu::kWarpSize)
      results = shareWithBlock(results);
    else
      results = shareWithinWarp(results, members);
  }
  ValueRange rest = results;
  for (const Accumulator &accumulator : accumulators) {
    const Reduction &reduction = *accumulator.reduction;
    Partial partial = takePartial(*accumulator.reduction, rest);
    loops.evaluator.setResult(
        reduction.op->getResult(0), reduction, accumulator.tile,
        roundResult(b, loc, reduction, reduction.op,
                    partial.index ? partial.index : partial.value));
  }
}

void emitGroupReductions(GridLoops &loops) {
  for (ArrayRef<Reduction> run : loops.nest.getReductionRuns())
    GroupReductions(loops, run).emit();
}

} // namespace tdc
