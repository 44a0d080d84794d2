//===- KernelLoops.cpp - opening the loops of a nest ----------------------===//

#include "CodeGen/KernelLoops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

KernelLoops::Values KernelLoops::openRange(const Range &range,
                                           Sections sections,
                                           ValueRange carried, AtPosition body,
                                           Operation *entry) {
  Location loc = function.loc;
  bool isCut = !sections.lengths.empty();
  Value step =
      function.index(range.step * (isCut ? sections.lengths.front() : 1));
  auto loop = scf::ForOp::create(b, loc, range.from, range.to, step, carried);
  if (!entry)
    entry = loop;
  OpBuilder::InsertionGuard guard(b);
  if (carried.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  ValueRange before = loop.getRegionIterArgs();
  Values next;
  if (isCut) {
    Value end = arith::AddIOp::create(b, loc, position, step);
    end = arith::MinUIOp::create(b, loc, end, range.to);
    sections.lengths = sections.lengths.drop_front();
    next = openRange({position, end, range.step}, sections,
                     sections.sums->neutral, body, entry);
    next = sections.sums->join(before, next);
  } else {
    next = body(position, entry, before);
  }
  if (!carried.empty())
    scf::YieldOp::create(b, loc, next);
  return Values(loop.getResults());
}

SmallVector<Tile> KernelLoops::getTiles(LoopSet loops) const {
  SmallVector<Tile> tiles(1, Tile(factors.size(), 0));
  auto expand = [&](bool lanesOnly) {
    for (unsigned loop = 0; loop < factors.size(); ++loop) {
      if (!contains(loops, loop) || isOnLanes(loop) != lanesOnly)
        continue;
      SmallVector<Tile> longer;
      for (const Tile &tile : tiles)
        for (int64_t i = 0; i < factors[loop]; ++i) {
          longer.push_back(tile);
          longer.back()[loop] = i * getUnit(loop);
        }
      tiles = std::move(longer);
    }
  };
  // All vectors next to each other along the lanes are consecutive, so that a
  // scalar that they share is in a register only during that time.
  expand(/*lanesOnly=*/false);
  expand(/*lanesOnly=*/true);
  return tiles;
}

} // namespace tdc
