//===- GridSchedule.cpp - assignment of a nest to threads -----------------===//

#include "GridSchedule.h"
#include "CodeGen/Accumulation.h"
#include "CodeGen/ElementOps.h"
#include "CodeGen/RandomNumbers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

/// Most groups that run through the indices of a scatter in parallel: each
/// reads all indices, so that more groups would not be faster.
constexpr int64_t kMostOwners = 64;
/// Registers of a thread that accumulators may take.
constexpr int64_t kAccumulators = 64;
/// Instructions for the elements that a thread takes at once, and registers of
/// their results: more need more registers than a thread has.
constexpr int64_t kInstructions = 512, kResultRegisters = 128;
/// Registers that values of all iterations may take in a block of the most
/// threads, where a thread has 64.
constexpr int64_t kHoisted = 32;

class Scheduler {
public:
  Scheduler(const KernelFunction &function, const LoopNest &nest,
            LoopSet serial)
      : function(function), nest(nest), serial(serial),
        mostAtOnce(countAtOnce()) {
    schedule.factors.assign(nest.getLoops().size(), 1);
  }

  GridSchedule run();
  GridSchedule runPart();

private:
  void orderLoops();
  void shareReductions();
  /// The most elements of the results for which the registers of a thread
  /// suffice.
  int64_t countAtOnce() const;
  /// Most neighbours along `loop` that one memory access moves, up to
  /// `mostAtOnce`.
  int64_t getWidth(unsigned loop) const;
  /// Reduces the threads of a block if there is one block. For groups of one
  /// thread.
  void fitThreads();
  /// Whether the registers suffice for blocks of the most threads.
  bool fitsMostThreads() const {
    KernelOp kernel = function.kernel;
    auto randoms = kernel.getBody().getOps<RandomOp>();
    return llvm::range_size(randoms) * kRoundKeys <= kHoisted;
  }

  /// The same as countSteps, with estimates of run-time extents.
  int64_t estimateSteps(ArrayRef<unsigned> loops) const {
    int64_t count = 1;
    for (unsigned loop : loops)
      count *= nest.estimateExtent(loop) / schedule.factors[loop];
    return count;
  }

  const KernelFunction &function;
  const LoopNest &nest;
  const LoopSet serial;
  const int64_t mostAtOnce;
  GridSchedule schedule;
};

} // namespace

int64_t Scheduler::countAtOnce() const {
  int64_t cost = 1, registers = 0;
  KernelOp kernel = function.kernel;
  for (auto op : kernel.getBody().getOps<ComputeOp>())
    cost += int64_t(op.getInfo().cost);
  for (const Access &root : nest.getRoots()) {
    Type type = getRegisterType(getElementTypeOrSelf(root.tensor.getType()));
    registers += llvm::divideCeil(type.getIntOrFloatBitWidth(), 32);
  }
  return std::min(kInstructions / cost, kResultRegisters / registers);
}

int64_t Scheduler::getWidth(unsigned loop) const {
  int64_t extent = nest.getLoops()[loop].extent, narrowest = gpu::kWidestAccess;
  auto look = [&](const Access &access) {
    if (!function.flatSize &&
        getLaneStride(nest, access, loop, getRowMajor(access.tensor)) != 1)
      return;
    Type memory = getMemoryType(getElementTypeOrSelf(access.tensor.getType()));
    narrowest =
        std::min<int64_t>(narrowest, memory.getIntOrFloatBitWidth() / 8);
  };
  for (const Access &root : nest.getRoots())
    look(root);
  for (const Access &input : nest.getInputs())
    look(input);
  int64_t width = gpu::kWidestAccess / narrowest;
  while (width > 1 && width > mostAtOnce)
    width /= 2;
  if (function.flatSize)
    return width;
  if (ShapedType::isDynamic(extent))
    return 1;
  while (extent % width != 0)
    width /= 2;
  return width;
}

void Scheduler::orderLoops() {
  LoopSet reduced = nest.getResultLoops(), common = ~LoopSet(0);
  for (const Reduction &reduction : nest.getReductions())
    common &= reduction.parallel;
  auto add = [&](unsigned loop) {
    if (contains(serial, loop)) {
      if (!llvm::is_contained(schedule.serial, loop))
        schedule.serial.push_back(loop);
      return;
    }
    bool isLater = !nest.getReductions().empty() && !contains(reduced, loop);
    // Loops of only some reductions' results are held in full.
    if (!isLater && !contains(common, loop)) {
      schedule.factors[loop] =
          std::max<int64_t>(nest.getLoops()[loop].extent, 1);
      return;
    }
    auto &list = isLater ? schedule.later : schedule.outer;
    if (!llvm::is_contained(list, loop))
      list.push_back(loop);
  };
  for (const Access &root : nest.getRoots())
    for (Coordinate coordinate : *root.at)
      if (int loop = getLoop(coordinate); loop >= 0)
        add(loop);
}

void Scheduler::fitThreads() {
  if (std::optional<int64_t> count = tdc::countBlocks(nest, schedule);
      count == 1)
    schedule.threads = llvm::alignTo(
        std::max<int64_t>(estimateSteps(schedule.outer), 1), gpu::kWarpSize);
}

void Scheduler::shareReductions() {
  int64_t terms = 1;
  for (const Reduction &reduction : nest.getReductions())
    terms = std::max(terms, estimateSteps(reduction.loops));
  int64_t accumulators = // of a thread
      countAccumulators(nest.getReductions(), schedule.factors);

  LoopSet lanes =
      planVectors(nest, getRowMajor, gpu::kWidestAccess / 4, serial).lanes;
  auto *column = llvm::find_if(
      schedule.outer, [&](unsigned loop) { return contains(lanes, loop); });
  int64_t positions = estimateSteps(schedule.outer);
  if (column != schedule.outer.end() && schedule.later.empty()) {
    // Neighbouring threads read neighbouring columns.
    std::rotate(column, column + 1, schedule.outer.end());
    int64_t members = 1;
    while (members < gpu::kWarpSize && members * 16 <= terms &&
           positions * members < gpu::kBusyThreads &&
           2 * members * gpu::kWarpSize * accumulators * 8 <= gpu::kSharedBytes)
      members *= 2;
    if (members > 1) {
      schedule.groupSize = members;
      schedule.threads = members * gpu::kWarpSize;
      schedule.interleaved = true;
    } else {
      fitThreads();
    }
    return;
  }

  // Neighbouring threads read neighbouring terms.
  for (const Reduction &reduction : nest.getReductions()) {
    if (reduction.loops.empty() || accumulators > kAccumulators / 8)
      continue;
    unsigned inner = reduction.loops.back();
    for (unsigned loop : reduction.loops)
      if (contains(lanes, loop))
        inner = loop;
    schedule.factors[inner] = getWidth(inner);
  }
  if (!schedule.later.empty())
    schedule.factors[schedule.later.back()] = getWidth(schedule.later.back());
  int64_t work = terms;
  if (!schedule.later.empty())
    work = std::max(work, estimateSteps(schedule.later));
  if (work > 16 * gpu::kWarpSize) {
    bool isIdle = positions < gpu::kBusyThreads / gpu::kWarpSize;
    int64_t most =
        isIdle && fitsMostThreads() ? gpu::kMostThreads : kBlockThreads;
    schedule.threads = gpu::kWarpSize;
    while (schedule.threads < most && schedule.threads * 4 < work)
      schedule.threads *= 2;
    schedule.groupSize = schedule.threads;
    return;
  }
  while (schedule.groupSize < gpu::kWarpSize && schedule.groupSize < work)
    schedule.groupSize *= 2;
  while (schedule.threads > gpu::kWarpSize &&
         schedule.threads / 2 >= positions * schedule.groupSize)
    schedule.threads /= 2;
}

GridSchedule Scheduler::run() {
  if (function.flatSize) {
    schedule.outer = {0};
    schedule.factors[0] = getWidth(0);
    return std::move(schedule);
  }
  orderLoops();
  if (!nest.getReductions().empty()) {
    shareReductions();
  } else {
    if (!schedule.outer.empty())
      schedule.factors[schedule.outer.back()] = getWidth(schedule.outer.back());
    fitThreads();
  }
  return std::move(schedule);
}

GridSchedule Scheduler::runPart() {
  schedule.isPart = true;
  orderLoops();
  if (!nest.getReductions().empty())
    return std::move(schedule);
  if (serial) {
    int64_t positions = std::max<int64_t>(estimateSteps(schedule.outer), 1);
    schedule.owners =
        std::clamp<int64_t>(std::min(gpu::kBusyThreads / positions,
                                     estimateSteps(schedule.serial) / 16),
                            1, kMostOwners);
  } else if (!schedule.outer.empty()) {
    schedule.factors[schedule.outer.back()] = getWidth(schedule.outer.back());
  }
  return std::move(schedule);
}

GridSchedule scheduleGrid(const KernelFunction &function,
                          const LoopNest &nest) {
  return Scheduler(function, nest, /*serial=*/0).run();
}

GridSchedule schedulePart(const KernelFunction &function, const LoopNest &nest,
                          LoopSet serial) {
  return Scheduler(function, nest, serial).runPart();
}

std::optional<int64_t> countSteps(const LoopNest &nest,
                                  const GridSchedule &schedule,
                                  ArrayRef<unsigned> loops) {
  int64_t count = 1;
  for (unsigned loop : loops) {
    int64_t extent = nest.getLoops()[loop].extent;
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    count *= extent / schedule.factors[loop];
  }
  return count;
}

std::optional<int64_t> countBlocks(const LoopNest &nest,
                                   const GridSchedule &schedule) {
  std::optional<int64_t> positions = countSteps(nest, schedule, schedule.outer);
  if (!positions)
    return std::nullopt;
  return llvm::divideCeil(*positions * schedule.getSharers(),
                          schedule.getGroups());
}

} // namespace tdc
