//===- GroupReductions.cpp - reductions that a group shares ---------------===//

#include "GroupReductions.h"
#include "CodeGen/Accumulation.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

/// Reductions over the same loops.
class ReductionGroup {
public:
  ReductionGroup(GridLoops &loops, ArrayRef<const Reduction *> reductions)
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
  Values shareThroughMemory(Values own, Value isWriter, Value place,
                            int64_t slots,
                            llvm::function_ref<Value(int64_t)> placeOf,
                            int64_t places);
  Values shareWithBlock(Values own);
  Values shareApart(Values own);

  GridLoops &loops;
  OpBuilder &b;
  Location loc;
  ArrayRef<const Reduction *> reductions;
  SmallVector<Accumulator> accumulators;
};

} // namespace

ReductionGroup::Values ReductionGroup::getNeutral() {
  Values neutral;
  for (const Accumulator &accumulator : accumulators)
    putPartial(makeNeutral(b, loc, *accumulator.reduction, /*lanes=*/0),
               neutral);
  return neutral;
}

ReductionGroup::Values ReductionGroup::step(ValueRange carried) {
  LoopSet summed = toLoopSet(reductions.front()->loops);
  Values next;
  for (const Accumulator &accumulator : accumulators) {
    const Reduction &reduction = *accumulator.reduction;
    Partial partial = takePartial(*accumulator.reduction, carried);
    for (const Tile &offset : loops.getTiles(summed)) {
      Tile tile = accumulator.tile;
      for (size_t loop = 0; loop < tile.size(); ++loop)
        tile[loop] += offset[loop];
      SmallVector<Value, 2> operands;
      for (unsigned i = 0; i < reduction.countFactors(); ++i)
        operands.push_back(loops.evaluator.evaluate(
            reduction.op->getOperand(i),
            loops.nest.operandAt(reduction.op, i, *reduction.at), tile));
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

ReductionGroup::Values ReductionGroup::join(ValueRange one, ValueRange other) {
  Values joined;
  for (const Accumulator &accumulator : accumulators)
    putPartial(combine(b, loc, *accumulator.reduction,
                       takePartial(*accumulator.reduction, one),
                       takePartial(*accumulator.reduction, other)),
               joined);
  return joined;
}

/// A butterfly: both lanes of an exchange compute the same sum.
ReductionGroup::Values ReductionGroup::shareWithinWarp(Values own,
                                                       int64_t members) {
  for (int64_t distance = members / 2; distance > 0; distance /= 2) {
    Values others;
    for (Value value : own)
      others.push_back(loops.device.exchange(value, distance));
    own = join(own, others);
  }
  return own;
}

/// Every thread for which `isWriter` holds writes its values to `place`; then
/// all threads read the values at `placeOf(0)` … `placeOf(places - 1)` and
/// combine them in that order.
ReductionGroup::Values ReductionGroup::shareThroughMemory(
    Values own, Value isWriter, Value place, int64_t slots,
    llvm::function_ref<Value(int64_t)> placeOf, int64_t places) {
  SmallVector<SharedArray> arrays;
  for (Value value : own)
    arrays.push_back(loops.device.makeShared(value.getType(), slots));
  loops.openIf(isWriter, [&] {
    for (auto [array, value] : llvm::zip(arrays, own))
      loops.device.store(array, place, value);
  });
  loops.device.wait();
  Values all;
  for (int64_t i = 0; i < places; ++i) {
    Values next;
    for (auto [array, value] : llvm::zip(arrays, own))
      next.push_back(loops.device.load(array, placeOf(i), value.getType()));
    all = i == 0 ? next : join(all, next);
  }
  return all;
}

/// Combines within warps, then across the block through shared memory.
ReductionGroup::Values ReductionGroup::shareWithBlock(Values own) {
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
ReductionGroup::Values ReductionGroup::shareApart(Values own) {
  int64_t groups = loops.schedule.getGroups();
  auto placeOf = [&](Value member) -> Value {
    return arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, member, loops.device.i32(groups)),
        loops.group);
  };
  return shareThroughMemory(
      std::move(own), /*isWriter=*/Value(), placeOf(loops.member),
      loops.schedule.threads,
      [&](int64_t i) { return placeOf(loops.device.i32(i)); },
      loops.schedule.groupSize);
}

void ReductionGroup::emit() {
  LoopSet held = 0;
  for (unsigned loop = 0; loop < loops.factors.size(); ++loop)
    if (loops.factors[loop] != 1)
      held |= toLoopSet(loop);
  for (const Reduction *reduction : reductions)
    for (const Tile &tile : loops.getTiles(reduction->parallel & held))
      accumulators.push_back({reduction, tile});

  Values neutral = getNeutral();
  auto joinSums = [&](ValueRange before, ValueRange next) {
    return join(before, next);
  };
  GridLoops::PartialSums sums{neutral, joinSums};
  bool rounds = llvm::any_of(
      reductions, [](const Reduction *one) { return isFloatSum(*one); });
  ArrayRef<unsigned> over = reductions.front()->loops;
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
  ArrayRef<Reduction> all = loops.nest.getReductions();
  for (size_t i = 0; i < all.size();) {
    SmallVector<const Reduction *> group;
    do
      group.push_back(&all[i++]);
    while (i < all.size() && all[i].loops == group.front()->loops &&
           !loops.nest.isLaterStage(all[i]));
    ReductionGroup(loops, group).emit();
  }
}

} // namespace tdc
