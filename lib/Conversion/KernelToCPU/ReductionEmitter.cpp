//===- ReductionEmitter.cpp - accumulators in registers -------------------===//

#include "ReductionEmitter.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/BF16Pairs.h"
#include "CodeGen/ElementOps.h"
#include "PrefetchEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The index of the best value among lanes: the smallest index of the lanes
/// that have this value. If it is NaN, only lanes with NaN count.
static Value emitBestLane(OpBuilder &b, Location loc, Type element,
                          Value values, Value indices, Value best) {
  Value isBest;
  if (isa<FloatType>(element)) {
    Value isEqual =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UEQ, values, best);
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                        values, values);
    Value bestIsNumber =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, best, best);
    isBest = arith::AndIOp::create(
        b, loc, isEqual, arith::OrIOp::create(b, loc, isNaN, bestIsNumber));
  } else {
    isBest =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, values, best);
  }
  Value none = makeIntConstant(b, loc, indices.getType(), INT64_MAX);
  return vector::ReductionOp::create(
      b, loc, vector::CombiningKind::MINSI,
      arith::SelectOp::create(b, loc, isBest, indices, none));
}

//===----------------------------------------------------------------------===//
// Reductions that share their loops
//===----------------------------------------------------------------------===//

namespace {

/// The part of a reduction that one accumulator collects.
struct Accumulator {
  const Reduction *reduction;
  Tile tile;
  /// The sum of the result and another value, from which the accumulator
  /// starts; null if it starts from the neutral element.
  AddOp sum;

  bool isArg() const { return reduction->givesIndex(); }
};

class ReductionEmitter {
public:
  /// `reductions`: a run (see LoopNest); `isSecond`: whether it is the second.
  ReductionEmitter(NestLoops &loops, ArrayRef<Reduction> reductions,
                   bool isSecond, const Keeper &keeper);

  void emit();

private:
  /// Creates the accumulators. `initial` gets their start values, `neutral`
  /// their neutral elements.
  void makeAccumulators(NestLoops::Values &initial, NestLoops::Values &neutral);
  AddOp findSum(const Reduction &reduction) const;
  /// Adds the operands at the loops' position to the carried accumulators.
  NestLoops::Values step(ValueRange carried);
  Partial stepOne(const Accumulator &accumulator, Partial best);
  /// The same for both terms of a pair.
  Partial stepPairs(const Accumulator &accumulator, Partial sum);
  /// Whether the accumulator has a term in the tile: a last block holds fewer
  /// vectors.
  bool hasTerm(const Accumulator &accumulator) const;
  /// `next` on the real lanes, `best` on the others.
  Partial keepMasked(const Accumulator &accumulator, Partial next,
                     Partial best);
  Value getOperand(Operation *op, unsigned index, const Coordinates &at,
                   const Tile &tile, bool isVector);
  NestLoops::Values join(ValueRange before, ValueRange next);
  /// Passes the results to the evaluator.
  void finish(ValueRange finals);
  Value combineLanes(const Reduction &reduction, Partial best);
  /// Rounds a result to its dtype and passes it to the evaluator.
  void setResult(const Accumulator &accumulator, Value result);
  bool isSameElement(const Accumulator &a, const Accumulator &b) const;

  NestLoops &loops;
  TileEvaluator &evaluator;
  OpBuilder &b;
  Location loc;
  ArrayRef<Reduction> reductions;
  const bool isSecond;
  const Keeper &keeper;
  /// The reduction loop that is on lanes, or -1.
  int laneSum = -1;
  /// The reduction loop whose positions in a tile have an accumulator each, or
  /// -1: the one on lanes, or another one with several positions.
  int split = -1;
  SmallVector<Accumulator> accumulators;
};

} // namespace

ReductionEmitter::ReductionEmitter(NestLoops &loops,
                                   ArrayRef<Reduction> reductions,
                                   bool isSecond, const Keeper &keeper)
    : loops(loops), evaluator(loops.evaluator), b(loops.function.builder),
      loc(loops.function.loc), reductions(reductions), isSecond(isSecond),
      keeper(keeper) {
  for (unsigned loop : reductions.front().loops)
    if (loops.isOnLanes(loop))
      laneSum = split = loop;
    else if (split < 0 && loops.factors[loop] > 1 && !loops.hasPairs())
      split = loop;
}

/// If a sum starts from a large value, every term is rounded to the last bit of
/// that value. So only a short sum may, and only there it saves much.
constexpr int64_t kShortSum = 32;

/// The only use of the result, if it is an addition of a value that is known
/// before the reduction, usually a bias: the accumulator starts from that
/// value, which saves the addition. Null if the result is rounded before the
/// addition.
AddOp ReductionEmitter::findSum(const Reduction &reduction) const {
  Value result = reduction.op->getResult(0);
  if (split >= 0 || reduction.getCombination() != ReduceKind::Sum ||
      td::isNarrowFloat(getElement(reduction)) || !result.hasOneUse() ||
      loops.countBlocks(reduction.loops) > kShortSum)
    return {};
  auto add = dyn_cast<AddOp>(*result.user_begin());
  if (!add || !loops.nest.isInside(add))
    return {};
  Value other = add.getLhs() == result ? add.getRhs() : add.getLhs();
  bool isKnown =
      !loops.nest.needsReduction(other, *reduction.at) &&
      loops.nest.getLoopsOf(add, *reduction.at) == reduction.parallel;
  return isKnown ? add : AddOp();
}

void ReductionEmitter::makeAccumulators(NestLoops::Values &initial,
                                        NestLoops::Values &neutral) {
  for (const Reduction &reduction : reductions) {
    LoopSet tiled = reduction.parallel;
    if (split >= 0)
      tiled |= toLoopSet(split);
    bool isVector =
        laneSum >= 0 || (evaluator.laneLoop >= 0 &&
                         contains(reduction.parallel, evaluator.laneLoop));
    AddOp sum = findSum(reduction);
    bool isLeft = sum && sum.getLhs() == reduction.op->getResult(0);
    for (const Tile &tile : loops.getTiles(tiled)) {
      accumulators.push_back({&reduction, tile, sum});
      Partial none = makeNeutral(b, loc, reduction,
                                 isVector ? evaluator.getWidth(tile) : 0);
      putPartial(none, neutral);
      Partial first = none;
      if (sum)
        first.value =
            getOperand(sum, isLeft ? 1 : 0, *reduction.at, tile, isVector);
      putPartial(first, initial);
    }
  }
}

Value ReductionEmitter::getOperand(Operation *op, unsigned index,
                                   const Coordinates &at, const Tile &tile,
                                   bool isVector) {
  Value value = evaluator.evaluate(op->getOperand(index),
                                   loops.nest.operandAt(op, index, at), tile);
  return isVector ? evaluator.toVector(value, tile) : value;
}

Partial ReductionEmitter::stepOne(const Accumulator &accumulator,
                                  Partial best) {
  if (loops.hasPairs())
    return stepPairs(accumulator, best);
  const Reduction &reduction = *accumulator.reduction;
  bool isVector = isa<VectorType>(best.value.getType());
  SmallVector<Value, 2> operands;
  for (unsigned i = 0; i < reduction.countFactors(); ++i)
    operands.push_back(
        getOperand(reduction.op, i, *reduction.at, accumulator.tile, isVector));
  Value position;
  if (accumulator.isArg()) {
    position =
        evaluator.evaluateCoordinate(reduction.getPosition(), accumulator.tile);
    if (isVector)
      position = evaluator.toVector(position, accumulator.tile);
  }
  return accumulate(b, loc, reduction, best, operands, position);
}

Partial ReductionEmitter::stepPairs(const Accumulator &accumulator,
                                    Partial sum) {
  const Reduction &product = *accumulator.reduction;
  auto getPairs = [&](unsigned index) {
    Value pairs = loops.evaluatePairs(loops.nest.getOperand(product, index),
                                      accumulator.tile);
    return evaluator.toVector(pairs, accumulator.tile);
  };
  return {emitBF16PairProduct(b, loc, sum.value, getPairs(0), getPairs(1)), {}};
}

Partial ReductionEmitter::keepMasked(const Accumulator &accumulator,
                                     Partial next, Partial best) {
  Value mask = laneSum >= 0 ? evaluator.getMask(accumulator.tile) : Value();
  if (!mask)
    return next;
  auto choose = [&](Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, mask, x, y);
  };
  return {choose(next.value, best.value),
          next.index ? choose(next.index, best.index) : Value()};
}

bool ReductionEmitter::hasTerm(const Accumulator &accumulator) const {
  return split < 0 ||
         accumulator.tile[split] <
             loops.factors[split] * (laneSum < 0 ? 1 : loops.lanes);
}

NestLoops::Values ReductionEmitter::step(ValueRange carried) {
  NestLoops::Values next;
  emitPrefetches(loops);
  if (isSecond)
    emitNextRow(loops, toLoopSet(reductions.front().loops));
  for (const Accumulator &accumulator : accumulators) {
    Partial best = takePartial(*accumulator.reduction, carried);
    putPartial(hasTerm(accumulator)
                   ? keepMasked(accumulator, stepOne(accumulator, best), best)
                   : best,
               next);
  }
  for (const Accumulator &accumulator : accumulators)
    if (accumulator.reduction->op == keeper.reduction && hasTerm(accumulator))
      evaluator.store(keeper.target,
                      evaluator.evaluate(keeper.value.tensor, *keeper.value.at,
                                         accumulator.tile),
                      accumulator.tile);
  return next;
}

Value ReductionEmitter::combineLanes(const Reduction &reduction, Partial best) {
  Type element = getElement(reduction);
  Value value = emitLaneReduction(b, loc, reduction.getCombination(), element,
                                  best.value);
  if (!best.index)
    return value;
  return emitBestLane(
      b, loc, element, best.value, best.index,
      vector::BroadcastOp::create(b, loc, best.value.getType(), value));
}

bool ReductionEmitter::isSameElement(const Accumulator &a,
                                     const Accumulator &b) const {
  if (split < 0 || a.reduction != b.reduction)
    return false;
  Tile tile = b.tile;
  tile[split] = a.tile[split];
  return tile == a.tile;
}

/// Adds up the lanes of each vector; returns the sums as one vector. Pairs of
/// vectors are added up half by half, then quarter by quarter, and so on.
static Value sumTogether(OpBuilder &b, Location loc, SmallVector<Value> rows) {
  auto type = cast<VectorType>(rows.front().getType());
  int64_t lanes = type.getNumElements();
  if (int64_t missing = lanes - int64_t(rows.size()))
    rows.append(missing,
                arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
  for (int64_t part = lanes / 2; part > 0; part /= 2) {
    // The even parts of both vectors, and the odd ones.
    SmallVector<int64_t> even, odd;
    for (int64_t lane = 0; lane < 2 * lanes; ++lane)
      (lane / part % 2 == 0 ? even : odd).push_back(lane);
    SmallVector<Value> sums;
    for (size_t i = 0; i < rows.size(); i += 2) {
      auto shuffle = [&](ArrayRef<int64_t> order) -> Value {
        return vector::ShuffleOp::create(b, loc, rows[i], rows[i + 1], order);
      };
      sums.push_back(
          arith::AddFOp::create(b, loc, shuffle(even), shuffle(odd)));
    }
    rows = std::move(sums);
  }
  return rows.front();
}

void ReductionEmitter::setResult(const Accumulator &accumulator, Value result) {
  const Reduction &reduction = *accumulator.reduction;
  Operation *op = accumulator.sum ? accumulator.sum : reduction.op;
  evaluator.setResult(op->getResult(0), reduction, accumulator.tile,
                      roundResult(b, loc, reduction, op, result));
}

/// Combines the accumulators of each element of the result: first those of the
/// split loop, then the lanes of a lane sum.
void ReductionEmitter::finish(ValueRange finals) {
  SmallVector<std::pair<const Accumulator *, SmallVector<Value>>> together;
  for (size_t i = 0; i < accumulators.size();) {
    const Accumulator &first = accumulators[i];
    Partial best = takePartial(*first.reduction, finals);
    for (++i; i < accumulators.size() && isSameElement(first, accumulators[i]);
         ++i)
      best = combine(b, loc, *first.reduction, best,
                     takePartial(*accumulators[i].reduction, finals));
    if (loops.sumsTogether()) {
      if (together.empty() ||
          together.back().first->reduction != first.reduction)
        together.push_back({&first, {}});
      together.back().second.push_back(best.value);
      continue;
    }
    Value result = first.isArg() ? best.index : best.value;
    if (laneSum >= 0)
      result = combineLanes(*first.reduction, best);
    setResult(first, result);
  }
  if (together.empty())
    return;
  loops.putRowsOnLanes();
  for (auto &[first, rows] : together)
    setResult(*first, sumTogether(b, loc, std::move(rows)));
}

NestLoops::Values ReductionEmitter::join(ValueRange before, ValueRange next) {
  NestLoops::Values joined;
  for (const Accumulator &accumulator : accumulators)
    putPartial(combine(b, loc, *accumulator.reduction,
                       takePartial(*accumulator.reduction, before),
                       takePartial(*accumulator.reduction, next)),
               joined);
  return joined;
}

void ReductionEmitter::emit() {
  // The lane loop is innermost.
  SmallVector<unsigned> order(reductions.front().loops.begin(),
                              reductions.front().loops.end());
  llvm::sort(order, [&](unsigned x, unsigned y) {
    return std::make_pair(loops.isOnLanes(x), x) <
           std::make_pair(loops.isOnLanes(y), y);
  });
  NestLoops::Values initial, neutral;
  makeAccumulators(initial, neutral);
  auto joinSums = [&](ValueRange before, ValueRange next) {
    return join(before, next);
  };
  NestLoops::PartialSums sums{neutral, joinSums};
  bool rounds = llvm::any_of(reductions, isFloatSum);
  finish(loops.open(
      order, initial, [&](ValueRange carried) { return step(carried); },
      rounds ? &sums : nullptr));
}

void emitReductions(NestLoops &loops, const Keeper &keeper) {
  for (auto [i, run] : llvm::enumerate(loops.nest.getReductionRuns()))
    ReductionEmitter(loops, run, /*isSecond=*/i == 1, keeper).emit();
}

} // namespace tdc
