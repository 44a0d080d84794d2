//===- RowBlocks.cpp - products with many rows, block by block ------------===//

#include "RowBlocks.h"
#include "NestEmitter.h"
#include "Target/TargetInfo.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// With fewer rows in a block, reading the panels again takes as long as
/// reading the rows again.
constexpr int64_t kFewestRows = 128;
/// The blocks that threads need at least.
constexpr int64_t kFewestBlocks = 16;

/// The rows of a block if at most `most` may be in one: a divisor of all rows
/// if there is a large one, else a number that tiles of 4, 6 and 8 rows divide.
static int64_t chooseRows(int64_t rows, int64_t most) {
  constexpr int64_t kTile = 8, kTiles = 24;
  for (int64_t part = most / kTile * kTile; part * 2 > most; part -= kTile)
    if (rows % part == 0)
      return part;
  return most / kTiles * kTiles;
}

/// The panels that threads may share; 1 if the last one is smaller.
static int64_t countPanels(const LoopNest &nest, const NestSchedule &schedule) {
  unsigned lane = schedule.outer.front();
  int64_t extent = nest.getExtent(lane), step = schedule.getStep(lane);
  return extent % step ? 1 : extent / step;
}

int64_t countRowBlocks(const LoopNest &nest, const NestSchedule &schedule) {
  const NestSchedule::RowBlocks &blocks = *schedule.rowBlocks;
  return llvm::divideCeil(nest.getExtent(blocks.loop), blocks.positions) *
         countPanels(nest, schedule);
}

/// Whether the product has panels in memory: others would be copied for each
/// block of rows.
static bool hasPanels(const NestSchedule &schedule) {
  return schedule.panel && schedule.panel->isInMemory &&
         schedule.panel->around == 1;
}

void planRowBlocks(const KernelFunction &function, const LoopNest &nest,
                   const Contraction &contraction, double bytes,
                   NestSchedule &schedule) {
  if (!hasPanels(schedule) || schedule.termBlocks ||
      !contraction.batch.empty() || !schedule.later.empty() ||
      bytes <= double(cpu::kL2Bytes))
    return;
  ArrayRef<unsigned> rows =
      schedule.panel->factor ? contraction.rows : contraction.columns;
  if (rows.size() != 1)
    return;
  unsigned loop = rows.front();
  int64_t extent = nest.getExtent(loop);
  auto isStatic = [](const Loop &loop) { return loop.extent > 0; };
  auto isPicked = [&](const Access &input) { return nest.isPicked(input); };
  auto runsOverRows = [&](const Access &root) {
    return contains(getLoops(*root.at), loop);
  };
  if (!llvm::all_of(nest.getLoops(), isStatic) ||
      llvm::any_of(nest.getInputs(), isPicked) ||
      !llvm::all_of(nest.getRoots(), runsOverRows))
    return;
  double bytesOfRow = bytes / double(extent);
  int64_t positions =
      chooseRows(extent, int64_t(double(cpu::kL2Bytes) / 2.0 / bytesOfRow));
  if (positions < kFewestRows)
    return;
  LoopNest block = nest;
  block.cutLoop(loop, positions);
  NestSchedule ofBlock = scheduleStage(function, block);
  if (!hasPanels(ofBlock))
    return;
  ofBlock.rowBlocks = {loop, positions};
  if (countRowBlocks(nest, ofBlock) >= kFewestBlocks)
    schedule = std::move(ofBlock);
}

namespace {

/// Emits the blocks from function.firstBlock to function.endBlock: those of the
/// first rows first, panel by panel.
class RowBlocks {
public:
  RowBlocks(KernelFunction &function, const LoopNest &nest,
            const NestSchedule &schedule, ArrayRef<StoreTarget> targets)
      : function(function), b(function.builder), loc(function.loc), nest(nest),
        schedule(schedule), targets(targets),
        panels(countPanels(nest, schedule)) {}

  void emit();

private:
  /// Limits the loop over panels to those of the function's blocks; `before`:
  /// the blocks before the open block of rows.
  void sharePanels(Value before);
  /// Emits the nest for `count` rows.
  void emitRows(int64_t count);

  KernelFunction &function;
  OpBuilder &b;
  const Location loc;
  const LoopNest &nest;
  NestSchedule schedule;
  const ArrayRef<StoreTarget> targets;
  const int64_t panels;
  Value first, end; ///< the function's blocks
};

} // namespace

void RowBlocks::sharePanels(Value before) {
  unsigned lane = schedule.outer.front();
  Value step = function.i64(schedule.getStep(lane));
  Value from = arith::MaxSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, first, before), function.i64(0));
  Value to = arith::MinSIOp::create(
      b, loc, arith::SubIOp::create(b, loc, end, before), function.i64(panels));
  schedule.begins[lane] = arith::MulIOp::create(b, loc, from, step);
  schedule.ends[lane] = arith::MulIOp::create(b, loc, to, step);
  schedule.wholeEnds = toLoopSet(lane);
}

void RowBlocks::emitRows(int64_t count) {
  LoopNest rows = nest;
  rows.cutLoop(schedule.rowBlocks->loop, count);
  emitNest(function, rows, schedule, targets);
}

void RowBlocks::emit() {
  auto [loop, positions] = *schedule.rowBlocks;
  first = std::exchange(function.firstBlock, Value());
  end = std::exchange(function.endBlock, Value());
  Value ofRows = function.i64(panels);
  Value firstRows = b.createOrFold<arith::DivUIOp>(loc, first, ofRows);
  // Rounded up.
  Value endRows = b.createOrFold<arith::DivUIOp>(
      loc, arith::AddIOp::create(b, loc, end, function.i64(panels - 1)),
      ofRows);
  auto blocks = scf::ForOp::create(b, loc, firstRows, endRows, function.i64(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(blocks.getBody()->getTerminator());
  Value block = blocks.getInductionVar();
  schedule.begins.assign(nest.getLoops().size(), Value());
  schedule.ends.assign(nest.getLoops().size(), Value());
  Value begin = arith::MulIOp::create(b, loc, block, function.i64(positions));
  schedule.begins[loop] = begin;
  if (panels > 1)
    sharePanels(arith::MulIOp::create(b, loc, block, ofRows));
  emitForBlock(function, begin, nest.getExtent(loop), positions,
               [&](int64_t count) { emitRows(count); });
}

void emitRowBlocks(KernelFunction &function, const LoopNest &nest,
                   const NestSchedule &schedule,
                   ArrayRef<StoreTarget> targets) {
  RowBlocks(function, nest, schedule, targets).emit();
}

} // namespace tdc
