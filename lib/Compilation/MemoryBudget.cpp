//===- MemoryBudget.cpp - a program keeps to what its GPUs have -----------===//
//
// What a program takes is known when its kernels are made and its memory is
// planned, but what takes it is decided before. So a program for GPUs of known
// size is compiled for a trial, as fast as it can be; if that is too much,
// without second buffers for what is copied ahead; if it still is, with tensors
// that leave the GPU, more of them from trial to trial. The first that fits is
// the program; else the one that is too large by the least, which
// td-verify-memory refuses.
//
//===----------------------------------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/Machine.h"
#include "Conversion/PlannedMemory.h"
#include "Dialect/TD/Analysis/Placement/DeviceMemory.h"
#include "Dialect/TD/IR/BytesByGPU.h"
#include "Target/HostTarget.h"
#include "tdc_runtime.h"
#include "llvm/Support/Process.h"

using namespace mlir;

namespace tdc {

namespace {

/// What passes are told, and what comes of it.
struct Trial {
  td::BytesByGPU workingSet, room;

  td::BytesByGPU state;   ///< slots
  td::BytesByGPU live;    ///< at most, by DeviceMemory
  td::BytesByGPU planned; ///< by the memory plan
  int64_t excess = 0;

  bool fits() const { return excess == 0; }
};

class Fitter {
  /// From all tensors that can be on a GPU to none.
  static constexpr int kSteps = 20;

public:
  Fitter(ModuleOp module, Phase reached, const TargetInfo &target)
      : module(module), reached(reached), target(target),
        limits(td::getBytesByGPU(module, td::kMemoryAttr)) {}

  /// Tells the passes what makes the program fit. The answer is, for the GPU
  /// that is the fullest, what fits beside the state as a part of what is
  /// needed.
  double run();

private:
  double getShare(const Trial &trial) const;
  void relax(Trial &trial, td::BytesByGPU tooLarge);
  bool run(Trial &trial);
  bool shrink(Trial &trial);
  void useRoom(Trial &trial);
  td::BytesByGPU none() const;

  ModuleOp module;
  Phase reached; ///< by it
  const TargetInfo &target;
  td::BytesByGPU limits;
};

/// Compiles a copy; false if that fails for another reason than its size, which
/// whoever compiles the module will be told.
bool Fitter::run(Trial &trial) {
  OwningOpRef<ModuleOp> copy = module.clone();
  td::setBytesByGPU(*copy, td::kWorkingSetAttr, trial.workingSet);
  td::setBytesByGPU(*copy, td::kRoomAttr, trial.room);
  // Nothing is refused here.
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](mlir::Diagnostic &) { return success(); });
  if (!runPhases(*copy, reached, Phase::Placed, target))
    return false;
  llvm::SmallVector<Place> gpus;
  for (const auto &[gpu, limit] : limits) {
    gpus.push_back(*parseDevice(gpu));
    td::DeviceMemory memory(*copy, gpus.back());
    trial.state[gpu] = memory.getSlotBytes();
    trial.live[gpu] = memory.getPeak();
  }
  (*copy)->removeAttr(td::kMemoryAttr);
  if (!runPhases(*copy, Phase::Placed, Phase::NVVM, target))
    return false;
  trial.excess = 0;
  for (const PeakMemory &peak : planMemory(*copy, gpus).peaks) {
    std::string gpu = spelling(peak.device);
    trial.planned[gpu] =
        peak.arenaBytes == 0 ? 0 : peak.arenaBytes + TDRT_GPU_BYTES;
    trial.excess += std::max<int64_t>(trial.planned[gpu] - limits[gpu], 0);
  }
  return true;
}

td::BytesByGPU Fitter::none() const {
  td::BytesByGPU bytes = limits;
  for (auto &[gpu, count] : bytes)
    count = 0;
  return bytes;
}

double Fitter::run() {
  Trial trial;
  if (!run(trial) || trial.fits())
    return 1;
  trial.room = none();
  if (!run(trial) || (!trial.fits() && !shrink(trial)))
    return 1;
  if (trial.fits())
    useRoom(trial);
  td::setBytesByGPU(module, td::kWorkingSetAttr, trial.workingSet);
  td::setBytesByGPU(module, td::kRoomAttr, trial.room);
  return getShare(trial);
}

double Fitter::getShare(const Trial &trial) const {
  double share = 1;
  for (const auto &[gpu, limit] : limits) {
    int64_t state = trial.state.at(gpu), planned = trial.planned.at(gpu);
    if (planned > limit && limit > state)
      share = std::min(share, double(limit - state) / double(planned - state));
  }
  return share;
}

/// Lets more tensors leave until it fits, or all have left that can; false as
/// run(). The steps are those of a program and not of its limits: who has more
/// finds all that others find.
bool Fitter::shrink(Trial &best) {
  const td::BytesByGPU live = best.live, state = best.state;
  Trial next = best;
  for (int step = 1; step <= kSteps && !best.fits(); ++step) {
    td::BytesByGPU before = next.workingSet;
    for (const auto &[gpu, limit] : limits)
      if (best.planned[gpu] > limit)
        next.workingSet[gpu] =
            live.at(gpu) - (live.at(gpu) - state.at(gpu)) * step / kSteps;
    if (!run(next))
      return false;
    if (next.excess < best.excess)
      best = next;
    if (best.fits())
      relax(best, before);
  }
  return true;
}

/// No more leave than have to: between the last that was too large and the
/// first that fits.
void Fitter::relax(Trial &trial, td::BytesByGPU tooLarge) {
  for (int i = 0; i < 3; ++i) {
    Trial between = trial;
    for (auto &[gpu, bytes] : between.workingSet) {
      auto known = tooLarge.try_emplace(gpu, trial.live[gpu]).first;
      bytes += (known->second - bytes) / 2;
    }
    if (!run(between))
      return;
    if (between.fits())
      trial = between;
    else
      tooLarge = between.workingSet;
  }
}

/// What is left is for second buffers. What the plan leaves between tensors is
/// not known before, so half of it is tried as well.
void Fitter::useRoom(Trial &trial) {
  for (int64_t part : {1, 2}) {
    Trial faster = trial;
    for (auto &[gpu, room] : faster.room)
      room = (limits[gpu] - trial.planned[gpu]) / part;
    if (run(faster) && faster.fits()) {
      trial = faster;
      return;
    }
  }
}

} // namespace

void Compilation::fitMemory() {
  if ((*module)->hasAttr(td::kMemoryAttr) &&
      !(*module)->hasAttr(td::kAsWrittenAttr))
    batchShare = Fitter(*module, reached, target->getInfo()).run();
}

/// What each simulated device has, if TDC_SIM_MEMORY says so.
std::optional<int64_t> Compilation::readSimulatedMemory() {
  auto text = llvm::sys::Process::GetEnv("TDC_SIM_MEMORY");
  int64_t bytes;
  if (!text)
    return std::nullopt;
  if (!llvm::StringRef(*text).getAsInteger(10, bytes) && bytes >= 0)
    return bytes;
  fail(ExitUsage,
       llvm::Twine("`TDC_SIM_MEMORY=") + *text + "` is not a number of bytes");
  return std::nullopt;
}

/// Tells the passes how much GPUs have, where that is known.
void Compilation::setMemory() {
  std::optional<int64_t> simulated = readSimulatedMemory();
  const MemoryBudget &budget = options.budget;
  int64_t gpus = options.simulatedDevices;
  if (budget.ofEach)
    gpus = std::max({gpus, countDevices(options), machine.value_or(0),
                     machines.empty() ? 0 : machines.front()});
  if (!budget.ofOne.empty())
    gpus = std::max<int64_t>(gpus, 1 + budget.ofOne.rbegin()->first);
  td::BytesByGPU limits;
  for (int64_t i = 0; i < gpus; ++i) {
    std::optional<int64_t> bytes = budget.ofEach;
    if (auto own = budget.ofOne.find(i); own != budget.ofOne.end())
      bytes = own->second;
    if (simulated && i < options.simulatedDevices)
      bytes = std::min(bytes.value_or(*simulated), *simulated);
    if (bytes)
      limits[spelling(getCuda(i))] = *bytes;
  }
  td::setBytesByGPU(*module, td::kMemoryAttr, limits);
}

} // namespace tdc
