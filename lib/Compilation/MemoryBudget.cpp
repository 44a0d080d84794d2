//===- MemoryBudget.cpp - fits a program into the memory of its GPUs ------===//
//
// The memory that a program needs is known only after its kernels are made and
// its memory is planned, but the passes that decide what it needs run before.
// So a program for GPUs of known size is compiled in trials: first for speed;
// if that does not fit, without double buffers for pipelined copies; if that
// does not fit, with tensors that are moved off the GPU, more in each trial.
// The program is compiled like the first trial that fits. If none fits, it is
// compiled like the trial with the smallest excess, and td-verify-memory
// refuses it.
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

/// The limits that passes get, and the memory of the program that they make.
struct Trial {
  td::BytesByGPU workingSet, room; ///< the limits

  td::BytesByGPU state;   ///< slots
  td::BytesByGPU live;    ///< peak of live bytes, by DeviceMemory
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

  /// Sets the limits with which the program fits. Returns, for the fullest GPU,
  /// the bytes that fit in addition to the state divided by the bytes that the
  /// program needs in addition to the state.
  double run();

private:
  double getShare(const Trial &trial) const;
  void relax(Trial &trial, td::BytesByGPU tooLarge);
  bool run(Trial &trial);
  bool shrink(Trial &trial);
  void useRoom(Trial &trial);
  td::BytesByGPU none() const;

  ModuleOp module;
  Phase reached; ///< the last phase that has run on `module`
  const TargetInfo &target;
  td::BytesByGPU limits;
};

/// Compiles a copy. Returns false if that fails for another reason than the
/// size of the program; compiling the module itself then reports the reason.
bool Fitter::run(Trial &trial) {
  OwningOpRef<ModuleOp> copy = module.clone();
  td::setBytesByGPU(*copy, td::kWorkingSetAttr, trial.workingSet);
  td::setBytesByGPU(*copy, td::kRoomAttr, trial.room);
  // Diagnostics of a trial are not reported.
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

/// Moves more tensors off the GPU until the program fits, or until all that can
/// be moved are. Returns false as run() does. The steps depend on the program
/// and not on the limits: with a higher limit, shrink() finds every solution
/// that it finds with a lower one.
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

/// Bisects between the last working set that was too large and the first that
/// fits, so that no more tensors are moved off the GPU than necessary.
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

/// Gives the memory that is left to double buffers. The plan may leave gaps
/// between tensors, which are not known before, so half of it is tried as well.
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

/// The bytes of each simulated device, from TDC_SIM_MEMORY; nullopt if that is
/// not set or invalid.
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

/// Sets the attribute with the bytes of each GPU for which they are known.
void Compilation::setMemory() {
  std::optional<int64_t> simulated = readSimulatedMemory();
  const MemoryBudget &budget = options.budget;
  int64_t gpus = options.simulatedDevices;
  if (budget.ofEach)
    gpus =
        std::max({gpus, countDevices(options), machine.value_or(0),
                  machines.versions.empty() ? 0 : machines.versions.front()});
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
