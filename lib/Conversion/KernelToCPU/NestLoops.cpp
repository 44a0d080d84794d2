//===- NestLoops.cpp - opening the loops of a nest ------------------------===//

#include "NestLoops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

NestLoops::NestLoops(KernelFunction &function, const LoopNest &nest,
                     const NestSchedule &schedule)
    : KernelLoops(function, nest, schedule.lanes, schedule.factors,
                  schedule.onLanes),
      prefetch(schedule.prefetch), nextPanel(schedule.nextPanel),
      nextRow(schedule.nextRow), transposed(schedule.transposed),
      lastLanes(schedule.lastLanes), resultLane(schedule.resultLane),
      paired(schedule.paired), unrolled(schedule.unrolled),
      halvesRest(!nest.getReductions().empty() && schedule.later.empty()),
      wholeEnds(schedule.wholeEnds), shared(schedule.shared),
      begins(schedule.begins), ends(schedule.ends),
      firstBlock(function.firstBlock), endBlock(function.endBlock) {}

NestLoops::Values NestLoops::emitBlock(unsigned loop, Value position,
                                       int64_t factor, Value lastMask,
                                       Operation *entry, ValueRange carried,
                                       Body body) {
  int outerLane = evaluator.laneLoop,
      outerTransposed = evaluator.transposedLoop;
  int64_t wholeFactor = factors[loop];
  Value outerPosition = evaluator.positions[loop];
  bool isLane = isOnLanes(loop);
  if (isLane) {
    evaluator.laneLoop = loop;
    if (lastMask)
      evaluator.masks[(factor - 1) * lanes] = lastMask;
  }
  Value outerFirst = firstBlock, outerEnd = endBlock;
  if (isShared(loop) && loop != shared.back())
    enterShare(loop, position);
  if (int(loop) == transposed)
    evaluator.transposedLoop = factor == lanes ? int(loop) : -1;
  factors[loop] = factor;
  evaluator.positions[loop] = position;
  evaluator.steps[loop] = getUnit(loop);
  evaluator.pushScope(loop, entry);
  Values results = body(carried);
  evaluator.popScope();
  firstBlock = outerFirst;
  endBlock = outerEnd;
  evaluator.positions[loop] = outerPosition;
  factors[loop] = wholeFactor;
  evaluator.transposedLoop = outerTransposed;
  if (isLane) {
    evaluator.laneLoop = outerLane;
    evaluator.masks.clear();
  }
  return results;
}

/// With fewer rows, each row is summed on its own.
constexpr int64_t kFewRows = 4;

bool NestLoops::sumsTogether() const {
  return resultLane >= 0 && factors[resultLane] >= kFewRows;
}

void NestLoops::putRowsOnLanes() {
  unsigned loop = resultLane;
  rowsOnLanes = std::exchange(factors[loop], 1);
  onLanes |= toLoopSet(loop);
  evaluator.laneLoop = loop;
  if (rowsOnLanes < lanes)
    evaluator.masks[0] = makeMask(rowsOnLanes, lanes);
}

void NestLoops::takeRowsOffLanes() {
  if (rowsOnLanes == 0)
    return;
  unsigned loop = resultLane;
  factors[loop] = std::exchange(rowsOnLanes, 0);
  onLanes &= ~toLoopSet(loop);
  evaluator.laneLoop = -1;
  evaluator.masks.clear();
}

Value NestLoops::makeMask(int64_t count, int64_t width) {
  SmallVector<bool> isReal(width, false);
  std::fill_n(isReal.begin(), count, true);
  return arith::ConstantOp::create(b, function.loc,
                                   b.getBoolVectorAttr(isReal));
}

int64_t NestLoops::countBlocks(ArrayRef<unsigned> loops) const {
  int64_t count = 1;
  for (unsigned loop : loops) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (ShapedType::isDynamic(extent))
      return INT64_MAX;
    count = llvm::SaturatingMultiply(
        uint64_t(count), uint64_t(llvm::divideCeil(extent, getStep(loop))));
  }
  return count;
}

NestLoops::Values NestLoops::emitBlocks(unsigned loop, const Blocks &blocks,
                                        Sections sections, ValueRange carried,
                                        Body body) {
  Location loc = function.loc;
  return openRange(
      {blocks.from, blocks.to, blocks.step}, sections, carried,
      [&](Value position, Operation *entry, ValueRange before) {
        Value mask;
        if (blocks.isMasked) {
          Value left = arith::SubIOp::create(b, loc, blocks.to, position);
          Value index =
              arith::IndexCastOp::create(b, loc, b.getIndexType(), left);
          mask = vector::CreateMaskOp::create(
              b, loc, VectorType::get({lanes}, b.getI1Type()), index);
        }
        return emitBlock(loop, position, blocks.factor, mask, entry, before,
                         body);
      });
}

/// The end of an outer loop: 0 if an inner loop is empty, so that it does not
/// run.
Value NestLoops::unlessEmpty(Value end) {
  if (!isEmpty)
    return end;
  return arith::SelectOp::create(
      b, function.loc, std::exchange(isEmpty, Value()), function.i64(0), end);
}

Value NestLoops::divideUp(Value value, Value by) {
  Location loc = function.loc;
  Value more = arith::SubIOp::create(b, loc, by, function.i64(1));
  return arith::DivUIOp::create(b, loc,
                                arith::AddIOp::create(b, loc, value, more), by);
}

Value NestLoops::countBlocksWithin(unsigned loop) {
  Location loc = function.loc;
  int64_t known = 1;
  Value runTime;
  const unsigned *at = llvm::find(shared, loop);
  for (unsigned inner : ArrayRef(at + 1, shared.end())) {
    const Loop &info = nest.getLoops()[inner];
    if (!ShapedType::isDynamic(info.extent)) {
      known *= llvm::divideCeil(info.extent, getStep(inner));
      continue;
    }
    Value count = divideUp(function.getSize(info.tensor, info.dim),
                           function.i64(getStep(inner)));
    runTime = runTime
                  ? arith::MulIOp::create(b, loc, runTime, count).getResult()
                  : count;
  }
  Value all = function.i64(known);
  return runTime ? arith::MulIOp::create(b, loc, all, runTime).getResult()
                 : all;
}

void NestLoops::enterShare(unsigned loop, Value position) {
  Location loc = function.loc;
  Value step = function.i64(getStep(loop));
  Value within = countBlocksWithin(loop);
  Value before = arith::MulIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, position, step), within);
  firstBlock = arith::MaxSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, firstBlock, before),
      function.i64(0));
  endBlock = arith::MinSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, endBlock, before), within);
}

NestLoops::Share NestLoops::takeShare(unsigned loop, Value whole, Value size) {
  if (!isShared(loop))
    return {getPosition(loop, 0), whole, size};
  Location loc = function.loc;
  Value step = function.i64(getStep(loop));
  Value first = firstBlock, end = endBlock;
  if (loop != shared.back()) {
    Value within = countBlocksWithin(loop);
    first = arith::DivUIOp::create(b, loc, first, within);
    end = divideUp(end, within);
  }
  Value from = arith::MulIOp::create(b, loc, first, step);
  Value to = arith::MulIOp::create(b, loc, end, step);
  Value hasRest =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, to, whole);
  return {from, arith::MinSIOp::create(b, loc, to, whole),
          arith::SelectOp::create(b, loc, hasRest, size, whole)};
}

NestLoops::Values NestLoops::openDynamic(unsigned loop, Value size,
                                         Sections sections, ValueRange carried,
                                         Body body) {
  Location loc = function.loc;
  int64_t unit = getUnit(loop), step = getStep(loop);
  bool isWhole = step == 1 || contains(wholeEnds, loop);
  size = unlessEmpty(size);
  Value whole = size;
  if (!isWhole) {
    Value stepValue = function.i64(step);
    whole = arith::MulIOp::create(
        b, loc, arith::DivUIOp::create(b, loc, size, stepValue), stepValue);
  }
  Share share = takeShare(loop, whole, size);
  Values values =
      emitBlocks(loop, {share.from, share.whole, step, factors[loop], false},
                 sections, carried, body);
  if (isWhole)
    return values;
  Value from = whole;
  if (unit == 1 && halvesRest)
    for (auto part = int64_t(llvm::bit_floor(uint64_t(step) / 2)); part > 1;
         part /= 2) {
      Value rest = arith::SubIOp::create(b, loc, share.end, from);
      rest = arith::RemUIOp::create(b, loc, rest, function.i64(part));
      Value to = arith::SubIOp::create(b, loc, share.end, rest);
      values = emitBlocks(loop, {from, to, part, part, false},
                          /*sections=*/{}, values, body);
      from = to;
    }
  return emitBlocks(loop, {from, share.end, unit, 1, unit > 1},
                    /*sections=*/{}, values, body);
}

Value NestLoops::getPosition(unsigned loop, int64_t offset) {
  Value begin = begins.empty() ? Value() : begins[loop];
  if (!begin)
    return function.i64(offset);
  return b.createOrFold<arith::AddIOp>(function.loc, begin,
                                       function.i64(offset));
}

NestLoops::Values NestLoops::openOne(unsigned loop, Sections sections,
                                     ValueRange carried, Body body) {
  int64_t unit = getUnit(loop), step = getStep(loop);
  const Loop &info = nest.getLoops()[loop];
  int64_t extent = function.flatSize ? ShapedType::kDynamic : info.extent;
  if (!ends.empty() && ends[loop])
    return openDynamic(loop, ends[loop], sections, carried, body);
  if (ShapedType::isDynamic(extent))
    return openDynamic(loop,
                       function.flatSize
                           ? function.flatSize
                           : function.getSize(info.tensor, info.dim),
                       sections, carried, body);

  int64_t whole = extent / step * step;
  Values values(carried);
  if (contains(unrolled, loop)) {
    for (int64_t position = 0; position < extent; ++position)
      values = emitBlock(loop, getPosition(loop, position), /*factor=*/1,
                         Value(), /*entry=*/nullptr, values, body);
    return values;
  }
  Share share;
  if (whole == step && !isShared(loop)) {
    values = emitBlock(loop, getPosition(loop, 0), factors[loop], Value(),
                       /*entry=*/nullptr, values, body);
  } else if (whole > 0) {
    share = takeShare(loop, unlessEmpty(getPosition(loop, whole)),
                      getPosition(loop, extent));
    values =
        emitBlocks(loop, {share.from, share.whole, step, factors[loop], false},
                   sections, values, body);
  }
  int64_t rest = extent - whole;
  if (rest == 0)
    return values;
  Value mask;
  if (int64_t last = rest % unit)
    mask = makeMask(last, lastLanes);
  OpBuilder::InsertionGuard guard(b);
  scf::IfOp branch;
  if (isShared(loop)) {
    Value isOwn =
        arith::CmpIOp::create(b, function.loc, arith::CmpIPredicate::sgt,
                              share.end, function.i64(whole));
    branch = scf::IfOp::create(b, function.loc, isOwn, /*withElse=*/false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  return emitBlock(loop, getPosition(loop, whole), llvm::divideCeil(rest, unit),
                   mask, branch, values, body);
}

void NestLoops::openInBlocks(unsigned loop, int64_t positions,
                             llvm::function_ref<void()> body) {
  // Otherwise whole blocks would have to be counted from the first position.
  assert(getStep(loop) == 1 && "a loop of single positions");
  int64_t extent = nest.getLoops()[loop].extent;
  begins.resize(factors.size());
  ends.resize(factors.size());
  Range range = {function.index(0), function.index(extent), positions};
  openRange(range, {}, {}, [&](Value from, Operation *entry, ValueRange) {
    Value end =
        arith::AddIOp::create(b, function.loc, from, function.index(positions));
    if (extent % positions)
      end = arith::MinSIOp::create(b, function.loc, end, range.to);
    begins[loop] = from;
    ends[loop] = end;
    evaluator.pushBranch(entry);
    body();
    evaluator.popScope();
    return Values();
  });
  begins[loop] = ends[loop] = Value();
}

NestLoops::Values NestLoops::openPart(unsigned loop, Value from, int64_t count,
                                      Body body) {
  int64_t step = getStep(loop), whole = count / step * step;
  auto addOffset = [&](int64_t offset) -> Value {
    return offset ? arith::AddIOp::create(b, function.loc, from,
                                          function.index(offset))
                  : from;
  };
  if (whole == step)
    emitBlock(loop, from, factors[loop], Value(), /*entry=*/nullptr, {}, body);
  else if (whole > 0)
    emitBlocks(loop, {from, addOffset(whole), step, factors[loop], false},
               /*sections=*/{}, {}, body);
  if (whole < count)
    emitBlock(loop, addOffset(whole), (count - whole) / getUnit(loop), Value(),
              /*entry=*/nullptr, {}, body);
  return {};
}

NestLoops::Values NestLoops::openWithin(const NestLoops &outer,
                                        ArrayRef<unsigned> loops, Body body) {
  if (loops.empty())
    return body({});
  unsigned loop = loops.front();
  return openPart(loop, outer.evaluator.positions[loop],
                  outer.factors[loop] * getUnit(loop), [&](ValueRange) {
                    return openWithin(outer, loops.drop_front(), body);
                  });
}

/// Computes all roots of a tile element before it stores any, so that a root
/// may overwrite the same element of an input.
void NestLoops::storeRoots(ArrayRef<StoreTarget> targets, LoopSet open) {
  for (const Tile &tile : getTiles(open)) {
    SmallVector<std::pair<unsigned, Value>> values;
    for (auto [i, root] : llvm::enumerate(nest.getRoots())) {
      if (!evaluator.isStoredElsewhere(root, tile))
        values.push_back(
            {unsigned(i), evaluator.evaluate(root.tensor, *root.at, tile)});
    }
    for (auto [i, value] : values)
      evaluator.store(targets[i], value, tile);
  }
}

/// Whether one of the loops of run-time extent is empty; null if there are
/// none.
Value NestLoops::findEmpty(ArrayRef<unsigned> loops) {
  Value result;
  for (unsigned loop : loops) {
    const Loop &info = nest.getLoops()[loop];
    if (!ShapedType::isDynamic(info.extent))
      continue;
    Value empty = arith::CmpIOp::create(
        b, function.loc, arith::CmpIPredicate::eq,
        function.getSize(info.tensor, info.dim), function.i64(0));
    result =
        result ? arith::OrIOp::create(b, function.loc, result, empty) : empty;
  }
  return result;
}

NestLoops::Values NestLoops::open(ArrayRef<unsigned> loops, ValueRange carried,
                                  Body body, const PartialSums *sums,
                                  ArrayRef<unsigned> within) {
  auto hasNone = [&](unsigned loop) {
    return nest.getLoops()[loop].extent == 0;
  };
  if (llvm::any_of(loops, hasNone) || llvm::any_of(within, hasNone))
    return Values(carried);
  if (loops.empty())
    return body(carried);
  SmallVector<unsigned> inner(loops.drop_front());
  llvm::append_range(inner, within);
  isEmpty = findEmpty(inner);
  return openNext(loops, carried, body, sums);
}

NestLoops::Values NestLoops::openNext(ArrayRef<unsigned> loops,
                                      ValueRange carried, Body body,
                                      const PartialSums *sums) {
  if (loops.empty())
    return body(carried);
  ArrayRef<unsigned> inner = loops.drop_front();
  SmallVector<int64_t, 2> lengths;
  if (sums) {
    int64_t blocks = countBlocks(loops.front());
    int64_t longest = kLongestChain / (hasPairs() ? 2 : 1);
    int64_t length = std::max<int64_t>(
        longest / std::max<int64_t>(countBlocks(inner), 1), 1);
    for (; length < blocks && lengths.size() < 2; length *= longest)
      lengths.insert(lengths.begin(), length);
  }
  return openOne(
      loops.front(), {sums, lengths}, carried,
      [&](ValueRange values) { return openNext(inner, values, body, sums); });
}

} // namespace tdc
