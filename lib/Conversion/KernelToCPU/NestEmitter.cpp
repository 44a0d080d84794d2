//===- NestEmitter.cpp - one loop nest of a kernel ------------------------===//

#include "NestEmitter.h"
#include "BlockedProduct.h"
#include "CodeGen/EmptyPickers.h"
#include "PanelEmitter.h"
#include "PrefetchEmitter.h"
#include "ReductionEmitter.h"
#include "RowBlocks.h"
#include "StreamedProduct.h"
#include "Winograd.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The coordinates at which the sums store the kept value: where the root is
/// stored, as far from the value's own coordinates as that is from the root's.
static Coordinates getKeptPosition(const LoopNest &nest, const KeptValue &kept,
                                   const StoreTarget &target) {
  Coordinates position;
  for (auto [to, root, own] :
       llvm::zip(target.at, *nest.getRoots()[kept.root].at, *kept.summed.at))
    position.push_back(
        simplifyAffineExpr(own + (to - root), nest.getLoops().size(), 0));
  return position;
}

/// In the outer loops, first the reductions are emitted, then the later loops,
/// which store the roots.
void emitNest(KernelFunction &function, const LoopNest &nest,
              const NestSchedule &schedule, ArrayRef<StoreTarget> targets) {
  ArrayRef<unsigned> outer = schedule.outer, later = schedule.later;
  ArrayRef<unsigned> around =
      outer.take_front(schedule.panel ? schedule.panel->around : 0);
  SmallVector<unsigned> inner(outer.drop_front(around.size()));
  SmallVector<unsigned> within(inner);
  llvm::append_range(within, later);
  LoopSet open = toLoopSet(outer) | toLoopSet(later);
  NestLoops loops(function, nest, schedule);
  using Values = NestLoops::Values;
  Keeper keeper;
  if (const std::optional<KeptValue> &kept = schedule.kept) {
    keeper = {kept->summed, kept->reduction, targets[kept->root]};
    keeper.target.at = getKeptPosition(nest, *kept, keeper.target);
  }
  emitUnlessEmpty(function, nest, targets, [&] {
    auto emitRows = [&](ValueRange) {
      // The reductions compute the value, also where the root reads it.
      loops.evaluator.kept = {};
      emitReductions(loops, keeper);
      if (const std::optional<KeptValue> &kept = schedule.kept)
        loops.evaluator.kept = {kept->again, &targets[kept->root]};
      bool isSecond = nest.getReductionRuns().size() == 1;
      return loops.open(later, {}, [&](ValueRange) {
        if (isSecond)
          emitNextRow(loops, toLoopSet(later));
        loops.storeRoots(targets, open);
        loops.takeRowsOffLanes();
        return Values();
      });
    };
    auto emitBlocks = [&](ValueRange) {
      if (schedule.copiesPanel())
        emitPanel(loops, schedule);
      return loops.open(inner, {}, emitRows, /*sums=*/nullptr, later);
    };
    loops.open(around, {}, emitBlocks, /*sums=*/nullptr, within);
  });
}

/// Pairs (input, result) that may share a buffer: of the input, only the
/// element at the position of the result's element is read, and never after the
/// result's element is stored.
static SmallVector<int64_t> findInPlace(const KernelFunction &function,
                                        const LoopNest &nest,
                                        const NestSchedule &schedule) {
  KernelOp kernel = function.kernel;
  SmallVector<int64_t> pairs;
  LoopSet reduced = nest.getResultLoops();
  for (auto [i, root] : llvm::enumerate(nest.getRoots())) {
    // The input is read when the kept values are in this memory.
    if (schedule.kept && schedule.kept->root == i)
      continue;
    // A loop that the root does not depend on would visit its elements again,
    // unless a register tile holds that loop in full.
    LoopSet missing =
        nest.getRootLoops() & ~nest.getLoopsOf(root.tensor, *root.at);
    if (missing & ~reduced)
      continue;
    for (BlockArgument argument : kernel.getBody().front().getArguments())
      if (mayReplace(function, nest, argument, i))
        pairs.append({int64_t(argument.getArgNumber()), int64_t(i)});
  }
  return pairs;
}

/// The blocks of the loops that threads share.
static LaunchShape getShape(const KernelFunction &function,
                            const LoopNest &nest,
                            const NestSchedule &schedule) {
  LaunchShape shape;
  shape.work = schedule.work;
  if (schedule.rowBlocks)
    shape.blocks = countRowBlocks(nest, schedule);
  for (unsigned loop : schedule.shared) {
    int64_t step = schedule.getStep(loop);
    if (function.flatSize) {
      shape.elements = step;
      continue;
    }
    // Within a border, the result has other sizes than the nest's loop.
    if (int64_t extent = nest.getLoops()[loop].extent;
        !ShapedType::isDynamic(extent)) {
      shape.blocksOfTile *= llvm::divideCeil(extent, step);
      continue;
    }
    const Coordinates &at = *nest.getRoots().front().at;
    auto *own = llvm::find_if(
        at, [&](Coordinate part) { return getLoop(part) == int(loop); });
    shape.tile.push_back({{unsigned(own - at.begin())}, step});
  }
  if (shape.tile.empty() && shape.blocksOfTile > 1)
    shape.blocks = shape.blocksOfTile;
  return shape;
}

/// The rows for which the schedule of a product is made if only the run knows
/// their number: it matters most if there are many.
constexpr int64_t kManyRows = 256;
/// With fewer rows, a panel costs more than it saves.
constexpr int64_t kFewForPanel = 32;

/// A second version of a product whose number of rows only the run knows. With
/// few of them, a vector along the rows would have lanes without work, and a
/// panel of the other factor would cost more than it saves. One thread runs it.
struct FewRows {
  unsigned loop;
  /// This version runs if the loop has fewer iterations.
  int64_t many;
  LoopNest nest;
  NestSchedule schedule;

  /// The version next to `schedule`; nullopt if the kernel needs none.
  static std::optional<FewRows> find(const KernelCandidate &kernel,
                                     const NestSchedule &schedule);
};

std::optional<FewRows> FewRows::find(const KernelCandidate &kernel,
                                     const NestSchedule &schedule) {
  std::optional<Contraction> product = Contraction::get(*kernel.nest);
  if (!product)
    return std::nullopt;
  auto isDynamic = [&](unsigned loop) {
    return ShapedType::isDynamic(kernel.nest->getLoops()[loop].extent);
  };
  FewRows few = {0, 0, *kernel.nest, {}};
  for (unsigned loop : schedule.outer)
    if (schedule.isOnLanes(loop) && isDynamic(loop)) {
      // Measured with 16 lanes, on products of 770 to 3072 terms and columns.
      few.many = schedule.lanes * (schedule.paired < 0 ? 3 : 1) / 4;
      few.loop = loop;
    }
  if (schedule.copiesPanel())
    for (unsigned loop :
         schedule.panel->factor ? product->rows : product->columns)
      if (isDynamic(loop)) {
        few.many = kFewForPanel;
        few.loop = loop;
      }
  if (!few.many)
    return std::nullopt;
  constexpr int64_t kAssumedRows = 4;
  few.nest.assumeRunTimeExtents(kAssumedRows);
  few.schedule = scheduleNest(kernel.function, few.nest, toLoopSet(few.loop));
  return few;
}

void emitInFirstBlock(KernelFunction &function,
                      llvm::function_ref<void()> body) {
  if (!function.firstBlock)
    return body();
  OpBuilder &b = function.builder;
  Value isFirst =
      arith::CmpIOp::create(b, function.loc, arith::CmpIPredicate::eq,
                            function.firstBlock, function.i64(0));
  auto first =
      scf::IfOp::create(b, function.loc, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(first.thenBlock());
  body();
}

void emitForBlock(KernelFunction &function, Value begin, int64_t extent,
                  int64_t positions,
                  llvm::function_ref<void(int64_t positions)> body) {
  int64_t rest = extent % positions;
  if (rest == 0)
    return body(positions);
  OpBuilder &b = function.builder;
  Value isWhole =
      arith::CmpIOp::create(b, function.loc, arith::CmpIPredicate::slt, begin,
                            function.i64(extent - rest));
  auto branch =
      scf::IfOp::create(b, function.loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body(positions);
  b.setInsertionPointToStart(branch.elseBlock());
  body(rest);
}

/// Emits a branch to the version for few rows, which runs as the first block,
/// and to the other one.
static void emitVersions(KernelFunction &function, const FewRows &few,
                         const TargetFunction &getTargets,
                         llvm::function_ref<void()> emitMany) {
  OpBuilder &b = function.builder;
  Location loc = function.loc;
  Value isFew =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                            function.getExtent(few.nest.getLoops()[few.loop]),
                            function.index(few.many));
  auto versions = scf::IfOp::create(b, loc, isFew, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(versions.elseBlock());
  emitMany();
  b.setInsertionPointToStart(versions.thenBlock());
  emitInFirstBlock(function, [&] {
    emitNest(function, few.nest, few.schedule, getTargets(function, few.nest));
  });
}

/// The function that emits a nest, and the scratch that its code needs.
struct NestCode {
  /// Null: no scratch.
  RankedTensorType scratch;
  void (*emit)(KernelFunction &, const LoopNest &, const NestSchedule &,
               ArrayRef<StoreTarget>);
};

static NestCode getCode(KernelFunction &function, const LoopNest &nest,
                        const NestSchedule &schedule) {
  if (schedule.winograd)
    return {getWinogradType(function, nest, schedule), emitWinograd};
  if (schedule.termBlocks)
    return {getBlockedType(nest, schedule), emitBlockedProduct};
  if (schedule.isStreamed)
    return {getStreamType(nest, schedule), emitStreamedProduct};
  if (schedule.rowBlocks)
    return {RankedTensorType(), emitRowBlocks};
  if (schedule.copiesPanel())
    return {getPanelType(nest, schedule), emitNest};
  return {RankedTensorType(), emitNest};
}

/// Makes a plan for the candidate's nest with the schedule.
static KernelPlan planNest(KernelCandidate &kernel, NestSchedule schedule,
                           TargetFunction getTargets) {
  KernelPlan plan;
  std::optional<FewRows> few = FewRows::find(kernel, schedule);
  plan.inPlace = findInPlace(kernel.function, *kernel.nest, schedule);
  NestCode code = getCode(kernel.function, *kernel.nest, schedule);
  plan.scratch = code.scratch;
  plan.hasBlocks = !schedule.shared.empty() || schedule.rowBlocks;
  plan.emit = [emit = code.emit, nest = std::move(*kernel.nest),
               schedule = std::move(schedule), few = std::move(few),
               getTargets = std::move(getTargets)](
                  KernelFunction &function) -> FailureOr<LaunchShape> {
    auto emitAll = [&] {
      emit(function, nest, schedule, getTargets(function, nest));
    };
    few ? emitVersions(function, *few, getTargets, emitAll) : emitAll();
    return getShape(function, nest, schedule);
  };
  return plan;
}

KernelPlan planWholeNest(KernelCandidate &kernel, TargetFunction getTargets) {
  if (Contraction::get(*kernel.nest))
    kernel.nest->assumeRunTimeExtents(kManyRows);
  return planNest(kernel, scheduleKernel(kernel.function, *kernel.nest),
                  std::move(getTargets));
}

std::optional<KernelPlan> matchNest(KernelCandidate &kernel) {
  if (!kernel.nest)
    return std::nullopt;
  return planWholeNest(kernel, getResultTargets);
}

std::optional<KernelPlan> matchFlatNest(KernelCandidate &kernel) {
  if (!kernel.nest || !isFlatNest(*kernel.nest, kernel.function))
    return std::nullopt;
  KernelPlan plan =
      planNest(kernel, scheduleFlatNest(kernel.function, *kernel.nest),
               getResultTargets);
  plan.isFlat = true;
  return plan;
}

void emitNestTo(KernelFunction &function, const LoopNest &nest,
                const StoreTarget &target, LoopSet serial) {
  emitNest(function, nest, scheduleNest(function, nest, serial), target);
}

} // namespace tdc
