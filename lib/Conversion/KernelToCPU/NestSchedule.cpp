//===- NestSchedule.cpp - order and blocks of a nest's loops --------------===//

#include "NestSchedule.h"
#include "CodeGen/ElementOps.h"
#include "Dialect/TD/Analysis/Kernels/Work.h"
#include "RowBlocks.h"
#include "Scheduler.h"
#include "Target/TargetInfo.h"
#include "tdc_threads.h"
#include <algorithm>

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// The bits of the widest element that runs on lanes if the loops `onLanes` do.
static int64_t getWidestOnLanes(const LoopNest &nest, LoopSet onLanes) {
  int64_t bits = kLeastBits;
  auto widen = [&](Value tensor, const Coordinates &at) {
    if (nest.getLoopsOf(tensor, at) & onLanes)
      bits = std::max<int64_t>(
          bits, getElementTypeOrSelf(tensor.getType()).getIntOrFloatBitWidth());
  };
  for (const Access &root : nest.getRoots())
    widen(root.tensor, *root.at);
  for (const Access &input : nest.getInputs())
    widen(input.tensor, *input.at);
  for (const Reduction &reduction : nest.getReductions())
    if (reduction.givesIndex())
      bits = 64; // the indices that it keeps
  return bits;
}

bool mayReport(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    auto compute = dyn_cast<ComputeOp>(op);
    return compute && compute.mayFail();
  });
}

int64_t getBlockWork(const KernelFunction &function, int64_t work,
                     int64_t blocks) {
  if (function.alwaysThreads)
    return TDRT_LEAST_SHARED_WORK;
  // Of that much, the number of blocks of a run may be a multiple.
  constexpr int64_t most = int64_t(1) << 40;
  return std::clamp<int64_t>(work / std::max<int64_t>(blocks, 1), 1, most);
}

/// An instruction on shorter vectors needs no mask, and takes half the time on
/// some processors.
bool Scheduler::fitsHalf() const {
  for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (schedule.isOnLanes(loop) &&
        (ShapedType::isDynamic(extent) || extent * 2 > schedule.lanes))
      return false;
  }
  return schedule.onLanes != 0;
}

void Scheduler::orderLoops(LoopSet serial) {
  auto layoutOf = [&](Value tensor) {
    for (auto [i, root] : llvm::enumerate(nest.getRoots()))
      if (root.tensor == tensor && i < function.resultLayouts.size() &&
          function.resultLayouts[i].order.size() == root.at->size())
        return function.resultLayouts[i];
    return function.getLayout(tensor);
  };
  auto planFor = [&](int64_t bits) {
    schedule.lanes = function.vectorBits / bits;
    schedule.onLanes = planVectors(nest, layoutOf, schedule.lanes, serial,
                                   cpu::kPanelBytes, cpu::kL2Bytes)
                           .lanes;
  };
  planFor(kLeastBits);
  if (int64_t bits = getWidestOnLanes(nest, schedule.onLanes);
      bits > kLeastBits)
    planFor(bits);
  while (contraction && schedule.lanes > kFewestLanes && fitsHalf())
    schedule.lanes /= 2;
  schedule.lastLanes = schedule.lanes;

  LoopSet reduced = nest.getResultLoops();
  // Loops are in the memory order of the first root that has them. The lane
  // loop is innermost where elements are only moved, unless they are in blocks,
  // and outermost around reductions, which stream the operand that lies along
  // the lanes.
  bool hasReductions = !nest.getReductions().empty();
  bool isInBlocks = llvm::all_of(nest.getRoots(), [&](const Access &root) {
    return layoutOf(root.tensor).block != 0;
  });
  auto add = [&](unsigned loop) {
    auto &list = !hasReductions || contains(reduced, loop) ? schedule.outer
                                                           : schedule.later;
    if (!llvm::is_contained(list, loop))
      list.push_back(loop);
  };
  for (const Access &root : nest.getRoots())
    for (int64_t dim : layoutOf(root.tensor).order)
      if (int loop = getLoop((*root.at)[dim]); loop >= 0)
        add(loop);
  for (auto *list : {&schedule.outer, &schedule.later}) {
    bool lanesFirst = isInBlocks || (hasReductions && list == &schedule.outer);
    auto isLane = [&](unsigned loop) { return schedule.isOnLanes(loop); };
    if (auto *lane = llvm::find_if(*list, isLane); lane != list->end())
      lanesFirst ? std::rotate(list->begin(), lane, lane + 1)
                 : std::rotate(lane, lane + 1, list->end());
  }
}

/// Loops are shared from the outermost on, so that threads work on memory that
/// is far apart, until there are several blocks for each of many threads. Each
/// thread makes its own panels: loops inside of one are shared only if there
/// are few blocks around it.
void Scheduler::chooseSharedLoops() {
  constexpr int64_t kManyBlocks = 64, kEnoughPanels = 16;
  int64_t work = estimateWork(nest), blocks = 1;
  bool isKnown = llvm::none_of(schedule.outer, [&](unsigned loop) {
    return ShapedType::isDynamic(nest.getLoops()[loop].extent);
  });
  // Where a size is known only at run time, the runtime decides.
  if ((isKnown && work < TDRT_LEAST_SHARED_WORK && !function.alwaysThreads) ||
      mayReport(function.kernel))
    return;
  if (schedule.rowBlocks) {
    schedule.work =
        getBlockWork(function, work, countRowBlocks(nest, schedule));
    return;
  }
  for (size_t i = 0; i < schedule.outer.size(); ++i) {
    unsigned loop = schedule.outer[i];
    bool isInPanel = schedule.panel && i >= schedule.panel->around;
    if (blocks >= (isInPanel ? kEnoughPanels : kManyBlocks))
      break;
    bool isOfAll = llvm::all_of(nest.getRoots(), [&](const Access &root) {
      return llvm::any_of(
          *root.at, [&](Coordinate at) { return getLoop(at) == int(loop); });
    });
    int64_t count =
        llvm::divideCeil(nest.estimateExtent(loop), schedule.getStep(loop));
    if (!isOfAll || count < 2)
      continue;
    schedule.shared.push_back(loop);
    blocks *= count;
  }
  if (!schedule.shared.empty())
    schedule.work = getBlockWork(function, work, blocks);
}

void Scheduler::planNextRow() {
  SmallVector<ArrayRef<Reduction>> runs = nest.getReductionRuns();
  if (contraction || runs.size() + !schedule.later.empty() < 2)
    return;
  auto isRow = [&](unsigned loop) {
    return !schedule.isOnLanes(loop) &&
           llvm::all_of(nest.getReductions(), [&](const Reduction &reduction) {
             return contains(reduction.parallel, loop);
           });
  };
  auto row = llvm::find_if(llvm::reverse(schedule.outer), isRow);
  if (row == schedule.outer.rend())
    return;
  NestSchedule::NextRow next = {*row, {}};
  for (unsigned i = 0; i < nest.getInputs().size(); ++i) {
    const Access &input = nest.getInputs()[i];
    LoopSet own = nest.getLoopsOf(input.tensor, *input.at);
    Layout layout = function.getLayout(input.tensor);
    auto isContiguous = [&](unsigned lane) {
      return contains(own & schedule.onLanes, lane) &&
             getLaneStride(nest, input, lane, layout) == 1;
    };
    bool isPart = function.parts.contains(input.tensor);
    // The index that picks the row after the last one would be out of range.
    if (!isPart && !nest.isPicked(input) && contains(own, *row) &&
        nest.estimateBytes(input) > cpu::kL2Bytes &&
        llvm::any_of(llvm::seq<unsigned>(0, nest.getLoops().size()),
                     isContiguous))
      next.inputs.push_back(i);
  }
  if (!next.inputs.empty())
    schedule.nextRow = std::move(next);
}

void Scheduler::planKept() {
  schedule.kept = findKeptValue(function, nest, schedule.onLanes);
  if (!schedule.kept)
    return;
  LoopSet later = toLoopSet(schedule.later);
  bool isAll = schedule.kept->isRoot(nest);
  for (auto [i, root] : llvm::enumerate(nest.getRoots()))
    isAll &= i == schedule.kept->root || !(getLoops(*root.at) & later);
  if (isAll)
    schedule.later.clear();
}

/// Chooses the tiles of ordered loops, and what is copied, prefetched and kept.
static void planTiles(Scheduler &scheduler, const KernelFunction &function,
                      const LoopNest &nest) {
  scheduler.planPanel();
  scheduler.nestLanesInnermost();
  scheduler.shortenLastVector();
  scheduler.chooseFactors();
  scheduler.unrollWindows();
  scheduler.planPrefetch();
  scheduler.planNextPanel();
  scheduler.planKept();
}

NestSchedule scheduleKernel(const KernelFunction &function,
                            const LoopNest &nest) {
  Scheduler scheduler(function, nest);
  scheduler.orderLoops(/*serial=*/0);
  if (!scheduler.planStream() && !scheduler.planWinograd()) {
    planTiles(scheduler, function, nest);
    scheduler.planBlocks();
    scheduler.planNextRow();
  }
  scheduler.chooseSharedLoops();
  return std::move(scheduler.schedule);
}

NestSchedule scheduleStage(const KernelFunction &function,
                           const LoopNest &nest) {
  Scheduler scheduler(function, nest);
  scheduler.orderLoops(/*serial=*/0);
  planTiles(scheduler, function, nest);
  return std::move(scheduler.schedule);
}

NestSchedule scheduleNest(const KernelFunction &function, const LoopNest &nest,
                          LoopSet serial) {
  Scheduler scheduler(function, nest);
  scheduler.orderLoops(serial);
  scheduler.chooseFactors();
  return std::move(scheduler.schedule);
}

NestSchedule scheduleFlatNest(const KernelFunction &function,
                              const LoopNest &nest) {
  NestSchedule schedule;
  schedule.lanes = function.vectorBits / getWidestOnLanes(nest, ~LoopSet(0));
  schedule.lastLanes = schedule.lanes;
  schedule.onLanes = 1;
  schedule.factors.assign(nest.getLoops().size(), 1);
  schedule.outer = {0};
  if (!mayReport(function.kernel)) {
    auto loops = llvm::to_vector(
        llvm::seq<unsigned>(0, unsigned(nest.getLoops().size())));
    schedule.shared = {0};
    schedule.work =
        getBlockWork(function, estimateWork(nest),
                     nest.estimatePositions(loops) / schedule.lanes);
  }
  return schedule;
}

} // namespace tdc
