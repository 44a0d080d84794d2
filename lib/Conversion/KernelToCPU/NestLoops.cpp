//===- NestLoops.cpp - opening the loops of a nest ------------------------===//

#include "NestLoops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <algorithm>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

NestLoops::NestLoops(KernelFunction &function, const LoopNest &nest,
                     NestSchedule schedule, Value flatSize)
    : function(function), nest(nest),
      evaluator(function, nest, schedule.lanes, flatSize != nullptr),
      b(function.builder), schedule(std::move(schedule)), flatSize(flatSize) {}

int64_t NestLoops::getUnit(unsigned loop) const {
  return schedule.isOnLanes(loop) ? schedule.lanes : 1;
}

NestLoops::Values NestLoops::emitBlock(unsigned loop, Value position,
                                       int64_t factor, Value lastMask,
                                       Operation *entry, ValueRange carried,
                                       Body body) {
  int outerLane = evaluator.laneLoop;
  int64_t wholeFactor = schedule.factors[loop];
  Value outerPosition = evaluator.positions[loop];
  bool isLane = schedule.isOnLanes(loop);
  if (isLane) {
    evaluator.laneLoop = loop;
    if (lastMask)
      evaluator.masks[(factor - 1) * schedule.lanes] = lastMask;
  }
  schedule.factors[loop] = factor;
  evaluator.positions[loop] = position;
  evaluator.pushScope(loop, entry);
  Values results = body(carried);
  evaluator.popScope();
  evaluator.positions[loop] = outerPosition;
  schedule.factors[loop] = wholeFactor;
  if (isLane) {
    evaluator.laneLoop = outerLane;
    evaluator.masks.clear();
  }
  return results;
}

NestLoops::Values NestLoops::emitCounted(unsigned loop, Value from, Value to,
                                         int64_t step, int64_t factor,
                                         bool isMasked, ValueRange carried,
                                         Body body) {
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
        b, loc, VectorType::get({schedule.lanes}, b.getI1Type()), index);
  }
  Values next = emitBlock(loop, position, factor, mask, loopOp,
                          loopOp.getRegionIterArgs(), body);
  if (!carried.empty())
    scf::YieldOp::create(b, loc, next);
  return Values(loopOp.getResults());
}

NestLoops::Values NestLoops::openDynamic(unsigned loop, ValueRange carried,
                                         Body body) {
  Location loc = function.loc;
  int64_t unit = getUnit(loop), factor = schedule.factors[loop],
          step = factor * unit;
  const Loop &info = nest.getLoops()[loop];
  Value size = flatSize ? flatSize : function.getSize(info.tensor, info.dim);
  Value zero = function.i64(0);
  if (step == 1)
    return emitCounted(loop, zero, size, 1, 1, false, carried, body);
  Value stepValue = function.i64(step);
  Value whole = arith::MulIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, size, stepValue), stepValue);
  Values values =
      emitCounted(loop, zero, whole, step, factor, false, carried, body);
  return emitCounted(loop, whole, size, unit, 1, unit > 1, values, body);
}

NestLoops::Values NestLoops::open(unsigned loop, ValueRange carried,
                                  Body body) {
  Location loc = function.loc;
  int64_t unit = getUnit(loop), step = schedule.factors[loop] * unit;
  int64_t extent =
      flatSize ? ShapedType::kDynamic : nest.getLoops()[loop].extent;
  if (ShapedType::isDynamic(extent))
    return openDynamic(loop, carried, body);

  int64_t whole = extent / step * step;
  Values values(carried);
  if (whole == step)
    values = emitBlock(loop, function.i64(0), schedule.factors[loop], Value(),
                       /*entry=*/nullptr, values, body);
  else if (whole > 0)
    values = emitCounted(loop, function.i64(0), function.i64(whole), step,
                         schedule.factors[loop], false, values, body);
  int64_t rest = extent - whole;
  if (rest == 0)
    return values;
  Value mask;
  if (int64_t last = rest % unit) {
    SmallVector<bool> isReal(schedule.lanes, false);
    std::fill_n(isReal.begin(), last, true);
    mask = arith::ConstantOp::create(b, loc, b.getBoolVectorAttr(isReal));
  }
  return emitBlock(loop, function.i64(whole), llvm::divideCeil(rest, unit),
                   mask, /*entry=*/nullptr, values, body);
}

NestLoops::Values NestLoops::open(ArrayRef<unsigned> loops, ValueRange carried,
                                  Body body) {
  if (loops.empty())
    return body(carried);
  return open(loops.front(), carried, [&](ValueRange inner) {
    return open(loops.drop_front(), inner, body);
  });
}

SmallVector<Tile> NestLoops::getTiles(LoopSet loops) const {
  SmallVector<Tile> tiles(1, Tile(schedule.factors.size(), 0));
  auto expand = [&](bool onLanes) {
    for (unsigned loop = 0; loop < schedule.factors.size(); ++loop) {
      if (!(loops >> loop & 1) || schedule.isOnLanes(loop) != onLanes)
        continue;
      SmallVector<Tile> longer;
      for (const Tile &tile : tiles)
        for (int64_t i = 0; i < schedule.factors[loop]; ++i) {
          longer.push_back(tile);
          longer.back()[loop] = i * getUnit(loop);
        }
      tiles = std::move(longer);
    }
  };
  // Vectors side by side come one after the other, so that a scalar that all of
  // them take is in a register for that long only.
  expand(/*onLanes=*/false);
  expand(/*onLanes=*/true);
  return tiles;
}

} // namespace tdc
