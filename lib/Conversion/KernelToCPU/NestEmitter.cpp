//===- NestEmitter.cpp - loops, register tiles and reductions -------------===//

#include "NestEmitter.h"
#include "ElementOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <algorithm>
#include <cmath>
#include <functional>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The widest type that the nest computes with decides how many lanes fit.
static int64_t chooseLanes(const LoopNest &nest, int64_t vectorBits) {
  int64_t bits = 8;
  auto widen = [&](Value tensor) {
    bits = std::max<int64_t>(
        bits, getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth());
  };
  for (const Access &root : nest.getRoots())
    widen(root.tensor);
  for (const Access &input : nest.getInputs())
    widen(input.tensor);
  // Bytes alone would make vectors that their neighbours cannot follow.
  return vectorBits / std::max<int64_t>(bits, 32);
}

bool isFlatNest(const LoopNest &nest, const KernelFunction &function) {
  if (!nest.getReductions().empty() || nest.getLoops().empty())
    return false;
  KernelOp kernel = function.kernel;
  if (llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
        return nest.isInside(&op) && isa<IotaOp>(op);
      }))
    return false; // asks for coordinates
  SmallVector<int> first;
  auto isAlike = [&](const Access &access, const Layout &layout) {
    SmallVector<int> order;
    for (int64_t dim : layout) {
      const Coordinate &at = (*access.at)[dim];
      if (!at.isLoop() && !at.isZero())
        return false;
      if (at.isLoop())
        order.push_back(at.loop);
    }
    if (order.empty())
      return true;
    if (first.empty())
      first = order;
    return order == first && order.size() == nest.getLoops().size();
  };
  for (auto [i, root] : llvm::enumerate(nest.getRoots()))
    if (!isAlike(root, function.resultLayouts[i]))
      return false;
  for (const Access &input : nest.getInputs())
    if (!isAlike(input, function.getLayout(input.tensor)))
      return false;
  return true;
}

NestEmitter::NestEmitter(KernelFunction &function, const LoopNest &nest,
                         Value flatSize)
    : function(function), b(function.builder), nest(nest), flatSize(flatSize),
      lanes(chooseLanes(nest, function.vectorBits)),
      evaluator(function, nest, lanes, flatSize != nullptr),
      factors(nest.getLoops().size(), 1) {}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

void NestEmitter::orderLoops() {
  auto layoutOf = [&](Value tensor) {
    for (auto [i, root] : llvm::enumerate(nest.getRoots()))
      if (root.tensor == tensor && i < function.resultLayouts.size() &&
          function.resultLayouts[i].size() == root.at->size())
        return function.resultLayouts[i];
    return function.getLayout(tensor);
  };
  plan = planVectors(nest, layoutOf, lanes, serial);

  LoopSet reduced = 0;
  for (const Reduction &reduction : nest.getReductions())
    reduced |= reduction.parallel;
  // In memory order of the first root that has the loop; the lanes innermost
  // where elements are moved, outermost where a reduction streams the operand
  // that lies along them.
  bool hasReductions = !nest.getReductions().empty();
  auto add = [&](unsigned loop) {
    auto &list = !hasReductions || (reduced >> loop & 1) ? outer : later;
    if (!llvm::is_contained(list, loop))
      list.push_back(loop);
  };
  for (const Access &root : nest.getRoots())
    for (int64_t dim : layoutOf(root.tensor))
      if (int loop = (*root.at)[dim].loop; loop >= 0)
        add(loop);
  for (auto *list : {&outer, &later}) {
    bool lanesFirst = hasReductions && list == &outer;
    auto isLane = [&](unsigned loop) { return plan.lanes >> loop & 1; };
    if (auto *lane = llvm::find_if(*list, isLane); lane != list->end())
      lanesFirst ? std::rotate(list->begin(), lane, lane + 1)
                 : std::rotate(lane, lane + 1, list->end());
  }
}

/// Register tiles: as many accumulators as the register file holds beside the
/// operands, in the shape that needs the fewest loads per multiplication.
void NestEmitter::chooseFactors() {
  if (nest.getReductions().empty())
    return;
  const int64_t budget = function.vectorRegisters * 3 / 4;

  // Loops that only some reductions run over are held in full.
  LoopSet common = ~LoopSet(0);
  for (const Reduction &reduction : nest.getReductions())
    common &= reduction.parallel;
  for (unsigned loop : outer)
    if (!(common >> loop & 1))
      factors[loop] = std::max<int64_t>(nest.getLoops()[loop].extent, 1);
  if (!later.empty())
    return; // a row at a time: several stages follow each other

  auto countAccumulators = [&] {
    int64_t count = 0;
    for (const Reduction &reduction : nest.getReductions()) {
      int64_t each = 1;
      for (unsigned loop = 0; loop < factors.size(); ++loop)
        if (reduction.parallel >> loop & 1)
          each *= factors[loop];
      count += each;
    }
    return count;
  };

  auto extentOf = [&](unsigned loop) { return nest.getLoops()[loop].extent; };
  auto vectorsOf = [&](unsigned loop) {
    int64_t extent = extentOf(loop);
    return ShapedType::isDynamic(extent) ? 4 : llvm::divideCeil(extent, lanes);
  };
  int lane = -1, row = -1;
  for (unsigned loop : outer) {
    if (plan.lanes >> loop & 1)
      lane = loop;
    else if ((common >> loop & 1) && extentOf(loop) != 0)
      row = loop; // the innermost one
  }

  double bestScore = -1;
  int64_t bestColumns = 1, bestRows = 1;
  int64_t maxColumns = lane >= 0 ? std::min<int64_t>(vectorsOf(lane), 4) : 1;
  for (int64_t columns = 1; columns <= maxColumns; ++columns)
    for (int64_t rows = 1; rows <= (row >= 0 ? 12 : 1); ++rows) {
      if (lane >= 0)
        factors[lane] = columns;
      if (row >= 0)
        factors[row] = rows;
      int64_t extent = row >= 0 ? extentOf(row) : 1;
      bool isDynamic = ShapedType::isDynamic(extent);
      if ((!isDynamic && rows > extent) || countAccumulators() > budget)
        continue;
      double score = double(rows * columns) / (rows + columns + 1);
      if (lane >= 0) {
        double vectors = vectorsOf(lane);
        score *= vectors / (std::ceil(vectors / columns) * columns);
      }
      // A remainder is a second copy of the loop, with a smaller tile.
      if (isDynamic ? rows > 4 : extent % rows != 0)
        score *= 0.8;
      if (score > bestScore) {
        bestScore = score;
        bestColumns = columns;
        bestRows = rows;
      }
    }
  if (lane >= 0)
    factors[lane] = bestColumns;
  if (row >= 0)
    factors[row] = bestRows;
  // One accumulator alone would wait for itself.
  if (lane < 0 && countAccumulators() < 4)
    for (const Reduction &reduction : nest.getReductions())
      for (unsigned loop : reduction.loops)
        if (plan.lanes >> loop & 1)
          factors[loop] = std::clamp<int64_t>(vectorsOf(loop), 1, 4);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

int64_t NestEmitter::getUnit(unsigned loop) const {
  return plan.lanes >> loop & 1 ? lanes : 1;
}

Value NestEmitter::getExtent(unsigned loop) {
  if (flatSize)
    return flatSize;
  const Loop &info = nest.getLoops()[loop];
  return function.getSize(info.tensor, info.dim);
}

NestEmitter::Values NestEmitter::emitBlock(unsigned loop, Value position,
                                           int64_t factor, Value lastMask,
                                           ValueRange carried, Body body) {
  int outerLane = evaluator.laneLoop;
  int64_t wholeFactor = factors[loop];
  Value outerPosition = evaluator.positions[loop];
  bool isLane = plan.lanes >> loop & 1;
  if (isLane) {
    evaluator.laneLoop = loop;
    if (lastMask)
      evaluator.masks[(factor - 1) * lanes] = lastMask;
  }
  factors[loop] = factor;
  evaluator.positions[loop] = position;
  evaluator.pushScope();
  Values results = body(carried);
  evaluator.popScope();
  evaluator.positions[loop] = outerPosition;
  factors[loop] = wholeFactor;
  if (isLane) {
    evaluator.laneLoop = outerLane;
    evaluator.masks.clear();
  }
  return results;
}

NestEmitter::Values NestEmitter::emitCounted(unsigned loop, Value from,
                                             Value to, int64_t step,
                                             int64_t factor, bool isMasked,
                                             ValueRange carried, Body body) {
  Location loc = function.loc;
  auto loopOp =
      scf::ForOp::create(b, loc, from, to, function.i64(step), carried);
  OpBuilder::InsertionGuard guard(b);
  if (carried.empty())
    b.setInsertionPoint(loopOp.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loopOp.getBody());
  Value position = loopOp.getInductionVar(), mask;
  if (isMasked) {
    Value left = arith::SubIOp::create(b, loc, to, position);
    Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), left);
    mask = vector::CreateMaskOp::create(
        b, loc, VectorType::get({lanes}, b.getI1Type()), index);
  }
  Values next =
      emitBlock(loop, position, factor, mask, loopOp.getRegionIterArgs(), body);
  if (!carried.empty())
    scf::YieldOp::create(b, loc, next);
  return Values(loopOp.getResults());
}

NestEmitter::Values NestEmitter::openLoop(unsigned loop, ValueRange carried,
                                          Body body) {
  Location loc = function.loc;
  int64_t unit = getUnit(loop), step = factors[loop] * unit;
  int64_t extent =
      flatSize ? ShapedType::kDynamic : nest.getLoops()[loop].extent;
  if (ShapedType::isDynamic(extent)) {
    Value size = getExtent(loop), zero = function.i64(0);
    if (step == 1)
      return emitCounted(loop, zero, size, 1, 1, false, carried, body);
    Value stepValue = function.i64(step);
    Value whole = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, size, stepValue), stepValue);
    Values values = emitCounted(loop, zero, whole, step, factors[loop], false,
                                carried, body);
    return emitCounted(loop, whole, size, unit, 1, unit > 1, values, body);
  }

  int64_t whole = extent / step * step;
  Values values(carried);
  if (whole == step)
    values =
        emitBlock(loop, function.i64(0), factors[loop], Value(), values, body);
  else if (whole > 0)
    values = emitCounted(loop, function.i64(0), function.i64(whole), step,
                         factors[loop], false, values, body);
  int64_t rest = extent - whole;
  if (rest == 0)
    return values;
  Value mask;
  if (int64_t last = rest % unit) {
    SmallVector<bool> isReal(lanes, false);
    std::fill_n(isReal.begin(), last, true);
    mask = arith::ConstantOp::create(b, loc, b.getBoolVectorAttr(isReal));
  }
  return emitBlock(loop, function.i64(whole), llvm::divideCeil(rest, unit),
                   mask, values, body);
}

void NestEmitter::openLoops(ArrayRef<unsigned> loops,
                            llvm::function_ref<void()> body) {
  if (loops.empty()) {
    body();
    return;
  }
  openLoop(loops.front(), {}, [&](ValueRange) {
    openLoops(loops.drop_front(), body);
    return Values();
  });
}

SmallVector<Tile> NestEmitter::getTiles(LoopSet loops) const {
  SmallVector<Tile> tiles(1, Tile(factors.size(), 0));
  for (unsigned loop = 0; loop < factors.size(); ++loop) {
    if (!(loops >> loop & 1))
      continue;
    SmallVector<Tile> longer;
    for (const Tile &tile : tiles)
      for (int64_t i = 0; i < factors[loop]; ++i) {
        longer.push_back(tile);
        longer.back()[loop] = i * getUnit(loop);
      }
    tiles = std::move(longer);
  }
  return tiles;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// The part of a reduction that one register (two for arg_reduce) collects.
struct Accumulator {
  const Reduction *reduction;
  Tile tile;
};
} // namespace

/// Whether a NaN or a better value should replace the best one so far.
static Value isBetter(OpBuilder &b, Location loc, ReduceKind kind, Value value,
                      Value best, Type element) {
  if (!isa<FloatType>(element)) {
    bool isMax = kind == ReduceKind::Max,
         isUnsigned = element.isUnsignedInteger();
    auto predicate = isMax ? (isUnsigned ? arith::CmpIPredicate::ugt
                                         : arith::CmpIPredicate::sgt)
                           : (isUnsigned ? arith::CmpIPredicate::ult
                                         : arith::CmpIPredicate::slt);
    return arith::CmpIOp::create(b, loc, predicate, value, best);
  }
  auto predicate = kind == ReduceKind::Max ? arith::CmpFPredicate::OGT
                                           : arith::CmpFPredicate::OLT;
  auto isNaN = [&](Value x) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
  };
  Value better = arith::CmpFOp::create(b, loc, predicate, value, best);
  Value one = makeIntConstant(b, loc, better.getType(), -1);
  Value firstNaN = arith::AndIOp::create(
      b, loc, isNaN(value), arith::XOrIOp::create(b, loc, isNaN(best), one));
  return arith::OrIOp::create(b, loc, better, firstNaN);
}

/// As above between two (value, index) pairs; of equal values the first one.
static Value isBetterOrFirst(OpBuilder &b, Location loc, ReduceKind kind,
                             std::pair<Value, Value> candidate,
                             std::pair<Value, Value> best, Type element) {
  Value better = isBetter(b, loc, kind, candidate.first, best.first, element);
  Value worse = isBetter(b, loc, kind, best.first, candidate.first, element);
  Value isEarlier = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          candidate.second, best.second);
  Value no = makeIntConstant(b, loc, worse.getType(), 0);
  return arith::OrIOp::create(
      b, loc, better, arith::SelectOp::create(b, loc, worse, no, isEarlier));
}

static ReduceKind getKind(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getKind();
  if (auto reduce = dyn_cast<ArgReduceOp>(op))
    return reduce.getKind();
  return ReduceKind::Sum;
}

/// Reductions over one set of loops, side by side.
void NestEmitter::emitGroup(ArrayRef<const Reduction *> group) {
  Location loc = function.loc;
  int laneSum = -1; // the reduction loop that is on lanes
  for (unsigned loop : group.front()->loops)
    if (plan.lanes >> loop & 1)
      laneSum = loop;

  auto elementOf = [](const Reduction &reduction) {
    return getElementTypeOrSelf(reduction.op->getOperand(0).getType());
  };
  SmallVector<Accumulator> accumulators;
  Values initial;
  for (const Reduction *reduction : group) {
    LoopSet tiled = reduction->parallel;
    if (laneSum >= 0)
      tiled |= LoopSet(1) << laneSum;
    bool isVector =
        laneSum >= 0 || (evaluator.laneLoop >= 0 &&
                         (reduction->parallel >> evaluator.laneLoop & 1));
    Type element = elementOf(*reduction);
    auto typeOf = [&](Type scalar) -> Type {
      return isVector ? Type(VectorType::get({lanes}, scalar)) : scalar;
    };
    for (const Tile &tile : getTiles(tiled)) {
      accumulators.push_back({reduction, tile});
      initial.push_back(emitNeutral(b, loc, getKind(reduction->op), element,
                                    typeOf(getRegisterType(element))));
      if (isa<ArgReduceOp>(reduction->op))
        initial.push_back(makeIntConstant(b, loc, typeOf(b.getI64Type()), 0));
    }
  }

  auto step = [&](ValueRange carried) {
    Values next;
    unsigned position = 0;
    for (const Accumulator &accumulator : accumulators) {
      const Reduction &reduction = *accumulator.reduction;
      const Tile &tile = accumulator.tile;
      bool isArg = isa<ArgReduceOp>(reduction.op);
      Value best = carried[position++];
      Value bestIndex = isArg ? carried[position++] : Value();
      auto keep = [&](Value value, Value index) {
        next.push_back(value);
        if (isArg)
          next.push_back(index);
      };
      // A last block holds fewer vectors.
      if (laneSum >= 0 && tile[laneSum] >= factors[laneSum] * lanes) {
        keep(best, bestIndex);
        continue;
      }
      bool isVector = isa<VectorType>(best.getType());
      Value mask = laneSum >= 0 ? evaluator.getMask(tile) : Value();
      Type element = elementOf(reduction);
      ReduceKind kind = getKind(reduction.op);
      auto operand = [&](unsigned index) {
        Value value = evaluator.evaluate(
            reduction.op->getOperand(index),
            nest.operandAt(reduction.op, index, *reduction.at), tile);
        if (!isVector)
          return value;
        value = evaluator.toVector(value);
        if (mask)
          value = arith::SelectOp::create(
              b, loc, mask, value,
              emitNeutral(b, loc, kind, element, value.getType()));
        return value;
      };
      if (isa<MatmulOp>(reduction.op)) {
        Value x = operand(0), y = operand(1);
        if (isa<FloatType>(element))
          keep(math::FmaOp::create(b, loc, x, y, best), {});
        else
          keep(arith::AddIOp::create(b, loc, best,
                                     arith::MulIOp::create(b, loc, x, y)),
               {});
      } else if (isArg) {
        Value value = operand(0);
        Coordinate at; // of a dim of size 1: always 0
        if (!reduction.loops.empty())
          at.loop = reduction.loops.front();
        Value index = evaluator.evaluateCoordinate(
            at, tile, reduction.op->getOperand(0), 0);
        if (isVector)
          index = evaluator.toVector(index);
        Value better = isBetter(b, loc, kind, value, best, element);
        keep(arith::SelectOp::create(b, loc, better, value, best),
             arith::SelectOp::create(b, loc, better, index, bestIndex));
      } else {
        keep(emitCombine(b, loc, kind, element, best, operand(0)), {});
      }
    }
    return next;
  };

  // Lanes innermost.
  SmallVector<unsigned> loops(group.front()->loops.begin(),
                              group.front()->loops.end());
  llvm::sort(loops, [&](unsigned x, unsigned y) {
    return std::make_pair(plan.lanes >> x & 1, x) <
           std::make_pair(plan.lanes >> y & 1, y);
  });
  std::function<Values(ArrayRef<unsigned>, ValueRange)> open =
      [&](ArrayRef<unsigned> left, ValueRange carried) -> Values {
    if (left.empty())
      return step(carried);
    return openLoop(left.front(), carried, [&](ValueRange inner) {
      return open(left.drop_front(), inner);
    });
  };
  Values finals = open(loops, initial);

  // Gather what belongs to one element of the result: the vectors of a lane
  // sum, then their lanes.
  unsigned position = 0;
  for (size_t i = 0; i < accumulators.size();) {
    const Reduction &reduction = *accumulators[i].reduction;
    Type element = elementOf(reduction);
    ReduceKind kind = getKind(reduction.op);
    bool isArg = isa<ArgReduceOp>(reduction.op);
    Tile tile = accumulators[i].tile;
    Value value = finals[position++];
    Value index = isArg ? finals[position++] : Value();
    auto isSameElement = [&](size_t j) {
      if (laneSum < 0 || j >= accumulators.size() ||
          accumulators[j].reduction != &reduction)
        return false;
      Tile other = accumulators[j].tile;
      other[laneSum] = tile[laneSum];
      return other == tile;
    };
    for (++i; isSameElement(i); ++i) {
      Value other = finals[position++];
      if (!isArg) {
        value = emitCombine(b, loc, kind, element, value, other);
        continue;
      }
      Value otherIndex = finals[position++];
      Value better = isBetterOrFirst(b, loc, kind, {other, otherIndex},
                                     {value, index}, element);
      value = arith::SelectOp::create(b, loc, better, other, value);
      index = arith::SelectOp::create(b, loc, better, otherIndex, index);
    }
    if (laneSum >= 0 && isArg) {
      // The smallest index among the lanes that hold the best value.
      Value best = emitLaneReduction(b, loc, kind, element, value);
      Value all = evaluator.toVector(best);
      Value isBest = isa<FloatType>(element)
                         ? Value(arith::CmpFOp::create(
                               b, loc, arith::CmpFPredicate::UEQ, value, all))
                         : Value(arith::CmpIOp::create(
                               b, loc, arith::CmpIPredicate::eq, value, all));
      if (isa<FloatType>(element)) {
        // If the best is NaN, only lanes that are NaN count.
        Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                            value, value);
        Value bestIsNumber =
            arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, all, all);
        isBest = arith::AndIOp::create(
            b, loc, isBest, arith::OrIOp::create(b, loc, isNaN, bestIsNumber));
      }
      Value none = makeIntConstant(b, loc, index.getType(), INT64_MAX);
      index = vector::ReductionOp::create(
          b, loc, vector::CombiningKind::MINSI,
          arith::SelectOp::create(b, loc, isBest, index, none));
    } else if (laneSum >= 0) {
      value = emitLaneReduction(b, loc, kind, element, value);
    }
    evaluator.setResult(reduction, tile, isArg ? index : value);
  }
}

void NestEmitter::emitReductions() {
  ArrayRef<Reduction> all = nest.getReductions();
  for (size_t i = 0; i < all.size();) {
    SmallVector<const Reduction *> group;
    do
      group.push_back(&all[i++]);
    while (i < all.size() && all[i].loops == group.front()->loops);
    emitGroup(group);
  }
}

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

/// All roots of a tile element are computed before any is stored, so that a
/// root may overwrite an input that stands at the same place.
void NestEmitter::storeRoots(LoopSet open) {
  auto loopsOf = [](const Access &root) {
    LoopSet loops = 0;
    for (const Coordinate &coordinate : *root.at)
      if (coordinate.loop >= 0)
        loops |= LoopSet(1) << coordinate.loop;
    return loops;
  };
  for (const Tile &tile : getTiles(flatSize ? 1 : open)) {
    SmallVector<std::pair<unsigned, Value>> values;
    for (auto [i, root] : llvm::enumerate(nest.getRoots())) {
      LoopSet loops = loopsOf(root);
      bool isElsewhere = false; // stored with the tile element 0 of the others
      for (unsigned loop = 0; loop < tile.size(); ++loop)
        isElsewhere |= tile[loop] && !(loops >> loop & 1) && !flatSize;
      if (!isElsewhere)
        values.push_back(
            {unsigned(i), evaluator.evaluate(root.tensor, *root.at, tile)});
    }
    for (auto [i, value] : values)
      evaluator.store(targets[i], value, tile);
  }
}

void NestEmitter::emit() {
  if (targets.empty())
    for (auto [root, pointer, layout] : llvm::zip(
             nest.getRoots(), function.resultPointers, function.resultLayouts))
      targets.push_back({root.tensor, *root.at, pointer, layout});
  if (flatSize) {
    plan.lanes = 1;
    openLoops(ArrayRef<unsigned>{0u}, [&] { storeRoots(1); });
    return;
  }
  orderLoops();
  chooseFactors();
  LoopSet open = 0;
  for (auto *list : {&outer, &later})
    for (unsigned loop : *list)
      open |= LoopSet(1) << loop;
  openLoops(outer, [&] {
    emitReductions();
    openLoops(later, [&] { storeRoots(open); });
  });
}

} // namespace tdc
