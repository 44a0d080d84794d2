//===- GridScan.cpp - kernels of td.scan ----------------------------------===//
//
// A thread takes a line if the line is short, or if there are many lines and
// neighbouring threads then read neighbours in memory. Otherwise a warp or a
// block takes it, one chunk at a time, with an element per thread. A chunk
// is scanned by recursive doubling (Hillis and Steele, Data Parallel
// Algorithms, CACM 29, 1986).
//
//===----------------------------------------------------------------------===//

#include "GridScan.h"
#include "CodeGen/EmptyPickers.h"
#include "CodeGen/Scan.h"
#include "FlatLoops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

/// kManyLines: this many lines keep a GPU busy with a thread each. kFewLines:
/// with fewer lines, a GPU can have a block for each.
constexpr int64_t kManyLines = 1 << 12, kFewLines = 1 << 8;
/// Elements of a line that a thread, or a warp, scans alone.
constexpr int64_t kFewForThread = 32, kFewForWarp = 1024;

class GridScan {
public:
  GridScan(KernelFunction &function, ScanOp op, LoopNest input)
      : function(function), b(function.builder), loc(function.loc),
        scan(function, op, std::move(input)), nest(scan.getNest()),
        loops(function, nest, makeSchedule()) {}

  LaunchShape emit();

private:
  using Values = GridLoops::Values;
  /// `upTo`: the total of the group's members up to and including this one;
  /// `all`: the total of all members.
  struct Prefix {
    Value upTo, all;
  };

  GridSchedule makeSchedule() const;
  void emitLine();
  Value emitChunk(Value start, Value before);
  Prefix scanWarp(Value own);
  Prefix scanBlock(Value own);

  KernelFunction &function;
  OpBuilder &b;
  Location loc;
  Scan scan;
  const LoopNest &nest;
  GridLoops loops;
};

} // namespace

GridSchedule GridScan::makeSchedule() const {
  GridSchedule schedule;
  schedule.factors.assign(nest.getLoops().size(), 1);
  schedule.outer.assign(scan.getAround().begin(), scan.getAround().end());
  if (!scan.getLine())
    return schedule;
  int64_t elements = nest.estimateExtent(*scan.getLine());
  int64_t lines = nest.estimatePositions(scan.getAround());
  bool isUnknown =
      ShapedType::isDynamic(nest.getLoops()[*scan.getLine()].extent);
  bool isAlongMemory = llvm::all_of(
      scan.getAround(), [&](unsigned loop) { return loop < *scan.getLine(); });
  if (elements <= kFewForThread || (!isAlongMemory && lines >= kManyLines))
    return schedule;
  // A line of run-time length may be long; if there are few lines, each can
  // have a block.
  bool isShort = elements <= kFewForWarp && !(isUnknown && lines < kFewLines);
  schedule.groupSize = isShort ? gpu::kWarpSize : gpu::kMostThreads;
  schedule.threads = std::max(schedule.threads, schedule.groupSize);
  return schedule;
}

LaunchShape GridScan::emit() {
  LaunchShape shape;
  shape.threads = loops.schedule.threads;
  shape.blocks = countBlocks(nest, loops.schedule);
  shape.elements = loops.schedule.getGroups();
  shape.mostBlocks = gpu::kBusyBlocks;
  emitUnlessEmpty(function, nest, scan.getTarget(),
                  [&] { loops.openGrid([&] { emitLine(); }); });
  shape.sharedBytes = loops.device.getSharedBytes();
  return shape;
}

void GridScan::emitLine() {
  Value none = scan.makeNeutral(/*lanes=*/0);
  Tile origin(nest.getLoops().size(), 0);
  if (!scan.getLine())
    return scan.store(loops.evaluator, origin,
                      scan.load(loops.evaluator, origin));
  if (loops.schedule.groupSize == 1) {
    loops.openSerial(*scan.getLine(), none, [&](ValueRange before) {
      Value next =
          scan.combine(before.front(), scan.load(loops.evaluator, origin));
      scan.store(loops.evaluator, origin, next);
      return Values{next};
    });
    return;
  }
  // Every member executes every chunk: they exchange values in each.
  auto chunks =
      scf::ForOp::create(b, loc, function.index(0),
                         function.getExtent(nest.getLoops()[*scan.getLine()]),
                         function.index(loops.schedule.groupSize), none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(chunks.getBody());
  loops.evaluator.pushBranch(chunks);
  Value next = emitChunk(chunks.getInductionVar(), chunks.getRegionIterArg(0));
  loops.evaluator.popScope();
  scf::YieldOp::create(b, loc, next);
}

/// Scans the chunk from `start` on, given the total of the chunks before
/// it; returns the total that includes it.
Value GridScan::emitChunk(Value start, Value before) {
  const unsigned line = *scan.getLine();
  Tile origin(nest.getLoops().size(), 0);
  Value position =
      arith::AddIOp::create(b, loc, start, function.toIndex(loops.member));
  Value isInside =
      FlatLoops(function, nest, line).requireInside(/*condition=*/{}, position);
  auto within = [&](Operation *branch, llvm::function_ref<void()> body) {
    loops.evaluator.positions[line] = position;
    loops.evaluator.pushScope(line, branch);
    body();
    loops.evaluator.popScope();
  };

  Value none = scan.makeNeutral(/*lanes=*/0);
  auto load = scf::IfOp::create(b, loc, none.getType(), isInside,
                                /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(load.thenBlock());
    within(load, [&] {
      scf::YieldOp::create(b, loc, scan.load(loops.evaluator, origin));
    });
    b.setInsertionPointToStart(load.elseBlock());
    scf::YieldOp::create(b, loc, none);
  }
  Prefix prefix = loops.schedule.groupSize == gpu::kWarpSize
                      ? scanWarp(load.getResult(0))
                      : scanBlock(load.getResult(0));
  if (loops.isReal)
    isInside = arith::AndIOp::create(b, loc, isInside, loops.isReal);
  auto store = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(store.thenBlock()->getTerminator());
    within(store, [&] {
      scan.store(loops.evaluator, origin, scan.combine(before, prefix.upTo));
    });
  }
  return scan.combine(before, prefix.all);
}

/// Of two lanes with numbers that differ in one bit, the upper one adds the
/// total of the lower one's half of the lanes.
GridScan::Prefix GridScan::scanWarp(Value own) {
  Value lane = loops.device.modulo(loops.member, gpu::kWarpSize);
  Prefix prefix{own, own};
  for (int64_t distance = 1; distance < gpu::kWarpSize; distance *= 2) {
    Value other = loops.device.exchange(prefix.all, distance);
    Value bit = arith::AndIOp::create(b, loc, lane, loops.device.i32(distance));
    Value isUpper = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit,
                                          loops.device.i32(0));
    prefix.upTo = arith::SelectOp::create(
        b, loc, isUpper, scan.combine(other, prefix.upTo), prefix.upTo);
    prefix.all = arith::SelectOp::create(b, loc, isUpper,
                                         scan.combine(other, prefix.all),
                                         scan.combine(prefix.all, other));
  }
  return prefix;
}

/// Each warp scans its elements; then warp 0 scans the totals, one per warp:
/// there are as many warps as lanes.
GridScan::Prefix GridScan::scanBlock(Value own) {
  static_assert(gpu::kMostThreads == gpu::kWarpSize * gpu::kWarpSize);
  DeviceBuilder &device = loops.device;
  SharedArray ofWarps = device.makeShared(own.getType(), gpu::kWarpSize);
  Value lane = device.modulo(loops.member, gpu::kWarpSize);
  Value warp = device.divide(loops.member, gpu::kWarpSize);
  auto isZero = [&](Value number) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                                 device.i32(0));
  };
  Value isFirstWarp = isZero(warp);
  Prefix ofWarp = scanWarp(own);
  loops.openIf(isZero(lane), [&] { device.store(ofWarps, warp, ofWarp.all); });
  device.wait();
  loops.openIf(isFirstWarp, [&] {
    Value total = device.load(ofWarps, lane, own.getType());
    device.store(ofWarps, lane, scanWarp(total).upTo);
  });
  device.wait();
  Value before = arith::SelectOp::create(
      b, loc, isFirstWarp, device.i32(0),
      arith::SubIOp::create(b, loc, warp, device.i32(1)));
  before = arith::SelectOp::create(b, loc, isFirstWarp,
                                   scan.makeNeutral(/*lanes=*/0),
                                   device.load(ofWarps, before, own.getType()));
  Prefix prefix{
      scan.combine(before, ofWarp.upTo),
      device.load(ofWarps, device.i32(gpu::kWarpSize - 1), own.getType())};
  device.wait(); // before the next chunk overwrites them
  return prefix;
}

static FailureOr<LaunchShape> emitScan(KernelFunction &function, ScanOp op) {
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(op.getInput());
  if (failed(nest))
    return op.emitOpError("has no loops that compute its input");
  return GridScan(function, op, std::move(*nest)).emit();
}

std::optional<KernelPlan> matchGridScan(KernelCandidate &kernel) {
  auto scan = getOnlyRoot<ScanOp>(kernel.function.kernel);
  if (!scan)
    return std::nullopt;
  KernelPlan plan;
  plan.emit = [scan](KernelFunction &function) {
    return emitScan(function, scan);
  };
  return plan;
}

} // namespace tdc
