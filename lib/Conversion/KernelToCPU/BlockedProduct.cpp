//===- BlockedProduct.cpp - long sums, block by block ---------------------===//

#include "BlockedProduct.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/ElementOps.h"
#include "CodeGen/EmptyPickers.h"
#include "ScratchSums.h"
#include "Target/TargetInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// A tile adds its sums to those in scratch after each block: with fewer terms,
/// that would take much of the time.
constexpr int64_t kFewestTerms = 64;
/// The blocks that are added to a sum one after another: of more, partial sums
/// are more precise (KernelLoops.h).
constexpr int64_t kMostBlocks = 1024;

/// The loops whose tiles all read a block of terms.
static ArrayRef<unsigned> getInner(const NestSchedule &schedule) {
  return ArrayRef(schedule.outer).drop_front();
}

/// Whether tiles at several positions of the loop read an element of a factor:
/// the loop is one of a window over terms.
static bool isWindow(const LoopNest &nest, const Contraction &contraction,
                     unsigned loop) {
  for (unsigned operand : {0, 1}) {
    Access factor = nest.getOperand(*contraction.reduction, operand);
    Access source = nest.getSource(factor.tensor, *factor.at);
    if (!source.tensor)
      continue;
    for (Coordinate at : *source.at) {
      CoordinateSum sum(at);
      if (sum.getFactor(loop) &&
          llvm::any_of(contraction.terms,
                       [&](unsigned term) { return sum.getFactor(term) != 0; }))
        return true;
    }
  }
  return false;
}

static int64_t getElementBytes(const Contraction &contraction) {
  Type element = getRegisterType(contraction.getFactorType());
  return element.getIntOrFloatBitWidth() / 8;
}

/// The bytes of the elements that a tile reads for each term: vectors of one
/// factor, and at least a cache line of the other.
static int64_t getBytesPerTerm(const Contraction &contraction,
                               const NestSchedule &schedule) {
  int64_t bytes = 0;
  for (const auto *own : {&contraction.rows, &contraction.columns}) {
    int64_t elements = 1;
    for (unsigned loop : *own)
      elements *= schedule.getStep(loop);
    bytes += std::max(elements * getElementBytes(contraction), cpu::kLineBytes);
  }
  return bytes;
}

/// The outer loops in the order of the blocks: the lane loop, then those of
/// windows last, whose iterations read the same elements.
static SmallVector<unsigned> orderOuter(const LoopNest &nest,
                                        const Contraction &contraction,
                                        const NestSchedule &schedule) {
  SmallVector<unsigned> lanes, others, windows;
  for (unsigned loop : schedule.outer)
    (schedule.isOnLanes(loop)            ? lanes
     : isWindow(nest, contraction, loop) ? windows
                                         : others)
        .push_back(loop);
  llvm::append_range(lanes, others);
  llvm::append_range(lanes, windows);
  return lanes;
}

void planTermBlocks(const LoopNest &nest, const Contraction &contraction,
                    NestSchedule &schedule) {
  auto isStatic = [&](unsigned loop) {
    return nest.getLoops()[loop].extent > 0;
  };
  if (!isFloatSum(*contraction.reduction) || !contraction.batch.empty() ||
      !schedule.later.empty() || schedule.copiesPanel() ||
      schedule.paired >= 0 || schedule.outer.empty() ||
      !llvm::all_of(schedule.outer, isStatic) ||
      !llvm::all_of(contraction.terms, isStatic))
    return;
  SmallVector<unsigned> outer = orderOuter(nest, contraction, schedule);
  if (!schedule.isOnLanes(outer.front()) ||
      !isWindow(nest, contraction, outer.back()))
    return;
  int64_t sums = schedule.getStep(outer.front()) *
                 nest.estimatePositions(ArrayRef(outer).drop_front());
  if (sums * getElementBytes(contraction) > cpu::kL2Bytes)
    return;

  constexpr int64_t most = cpu::kL1Bytes * 3 / 4;
  int64_t terms = 1, bytes = getBytesPerTerm(contraction, schedule);
  for (unsigned loop : llvm::reverse(contraction.terms)) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (terms * extent * bytes <= most) {
      terms *= extent;
      continue;
    }
    int64_t positions = std::clamp<int64_t>(
        std::max(most / (terms * bytes), kFewestTerms / terms), 1, extent);
    if (nest.estimatePositions(contraction.terms) / (terms * positions) >
        kMostBlocks)
      return;
    // Blocks of about the same size.
    positions = llvm::divideCeil(extent, llvm::divideCeil(extent, positions));
    schedule.termBlocks = {loop, positions};
    schedule.outer = std::move(outer);
    schedule.panel.reset();
    schedule.nextPanel.reset();
    return;
  }
}

RankedTensorType getBlockedType(const LoopNest &nest,
                                const NestSchedule &schedule) {
  return ScratchSums::getType(nest,
                              schedule.getStep(schedule.outer.front()) *
                                  nest.estimatePositions(getInner(schedule)));
}

/// The index of the sums of a tile's vector among those of the open block of
/// the outermost loop.
static Value getIndex(NestLoops &loops, const NestSchedule &schedule,
                      const Tile &tile) {
  KernelFunction &function = loops.function;
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  Value at = function.index(0);
  for (unsigned loop : getInner(schedule)) {
    Value position = arith::AddIOp::create(
        b, loc, loops.evaluator.positions[loop], function.index(tile[loop]));
    Value extent = function.index(loops.nest.getLoops()[loop].extent);
    at = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, at, extent), position);
  }
  unsigned lane = schedule.outer.front();
  at =
      arith::MulIOp::create(b, loc, at, function.index(schedule.getStep(lane)));
  return arith::AddIOp::create(b, loc, at, function.index(tile[lane]));
}

/// Adds the products of a block of terms: those of the open term loops, and of
/// `terms`.
static void addBlock(NestLoops &loops, ScratchSums &sums,
                     ArrayRef<unsigned> terms) {
  SmallVector<Tile> tiles = sums.getTiles();
  auto zeros = llvm::map_to_vector(
      tiles, [&](const Tile &tile) { return sums.getZero(tile); });
  auto added = loops.open(terms, zeros, [&](ValueRange carried) {
    NestLoops::Values next;
    for (auto [tile, sum] : llvm::zip(tiles, carried))
      next.push_back(sums.addProduct(sum, tile));
    return next;
  });
  for (auto [tile, sum] : llvm::zip(tiles, added))
    sums.add(sum, tile);
}

void emitBlockedProduct(KernelFunction &function, const LoopNest &nest,
                        const NestSchedule &schedule,
                        ArrayRef<StoreTarget> targets) {
  const NestSchedule::TermBlocks &blocks = *schedule.termBlocks;
  auto terms = llvm::to_vector(Contraction::get(nest)->terms);
  const unsigned *at = llvm::find(terms, blocks.loop);
  ArrayRef<unsigned> around(terms.begin(), at), within(at, terms.end()),
      inner = getInner(schedule);
  NestLoops loops(function, nest, schedule);
  ScratchSums sums(
      loops, [&](const Tile &tile) { return getIndex(loops, schedule, tile); });
  using Values = NestLoops::Values;
  auto openTiles = [&](llvm::function_ref<void()> body) {
    loops.open(inner, {}, [&](ValueRange) {
      body();
      return Values();
    });
  };
  emitUnlessEmpty(function, nest, targets, [&] {
    loops.open(schedule.outer.front(), {}, [&](ValueRange) {
      openTiles([&] { sums.setToZero(); });
      loops.open(around, {}, [&](ValueRange) {
        loops.openInBlocks(blocks.loop, blocks.positions, [&] {
          openTiles([&] { addBlock(loops, sums, within); });
        });
        return Values();
      });
      openTiles([&] {
        sums.take();
        loops.storeRoots(targets, toLoopSet(schedule.outer));
      });
      return Values();
    });
  });
}

} // namespace tdc
