//===- ScanEmitter.cpp - kernels of td.scan -------------------------------===//
//
// Each line is scanned in order. Lines that are neighbours in memory run in
// parallel on vector lanes. A single line has the latency of one addition after
// another.
//
//===----------------------------------------------------------------------===//

#include "ScanEmitter.h"
#include "CodeGen/EmptyPickers.h"
#include "CodeGen/Scan.h"
#include "NestLoops.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Vectors of lines that are scanned together: their chains hide each other's
/// latency, and together they use whole cache lines.
constexpr int64_t kVectors = 4;

static LogicalResult emitScan(KernelFunction &function, ScanOp op) {
  FailureOr<LoopNest> input = LoopNest::getOfKernel(op.getInput());
  if (failed(input))
    return op.emitOpError("has no loops that compute its input");
  Scan scan(function, op, std::move(*input));
  const LoopNest &nest = scan.getNest();
  LoopSet serial = scan.getLine() ? toLoopSet(*scan.getLine()) : 0;
  NestSchedule schedule = scheduleNest(function, nest, serial);
  SmallVector<unsigned> around(scan.getAround()), line;
  if (scan.getLine())
    line.push_back(*scan.getLine());
  schedule.factors.assign(schedule.factors.size(), 1);
  LoopSet open = 0;
  auto isOnLanes = [&](unsigned loop) { return schedule.isOnLanes(loop); };
  for (unsigned loop : around) {
    open |= toLoopSet(loop);
    if (isOnLanes(loop))
      schedule.factors[loop] = kVectors;
  }
  auto *lane = llvm::find_if(around, isOnLanes);
  int64_t lanes = lane == around.end() ? 0 : schedule.lanes;
  if (lanes)
    std::rotate(lane, lane + 1, around.end());

  using Values = NestLoops::Values;
  NestLoops loops(function, nest, schedule);
  emitUnlessEmpty(function, nest, scan.getTarget(), [&] {
    auto inLines = [&](ValueRange) {
      SmallVector<Tile> tiles = loops.getTiles(open);
      Values none(tiles.size(), scan.makeNeutral(lanes));
      loops.open(line, none, [&](ValueRange before) {
        Values next;
        for (auto [tile, collected] : llvm::zip_equal(tiles, before)) {
          Value element = scan.load(loops.evaluator, tile);
          if (lanes)
            element = loops.evaluator.toVector(element, tile);
          next.push_back(scan.combine(collected, element));
          scan.store(loops.evaluator, tile, next.back());
        }
        return next;
      });
      return Values();
    };
    loops.open(around, {}, inLines, /*sums=*/nullptr, line);
  });
  return success();
}

std::optional<KernelPlan> matchScan(KernelCandidate &kernel) {
  auto scan = getOnlyRoot<ScanOp>(kernel.function.kernel);
  if (!scan)
    return std::nullopt;
  KernelPlan plan;
  plan.emit = [scan](KernelFunction &function) -> FailureOr<LaunchShape> {
    if (failed(emitScan(function, scan)))
      return failure();
    return LaunchShape();
  };
  return plan;
}

} // namespace tdc
