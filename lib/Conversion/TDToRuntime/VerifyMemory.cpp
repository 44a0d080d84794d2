//===- VerifyMemory.cpp - td-verify-memory: checks the GPUs' arenas -------===//

#include "Conversion/PlannedMemory.h"
#include "Conversion/TDToRuntime.h"
#include "Dialect/TD/IR/BytesByGPU.h"
#include "tdc_runtime.h"

using namespace mlir;

namespace tdc {

#define GEN_PASS_DEF_TDVERIFYMEMORYPASS
#include "Conversion/Passes.h.inc"

namespace {

/// A user reads these notes to find a tensor to make smaller; more would not
/// help.
constexpr size_t kMostHolders = 5;

void refuse(ModuleOp module, const PeakMemory &peak, int64_t limit) {
  Location location = peak.location ? Location(peak.location) : module.getLoc();
  auto error = emitError(location)
               << "TD512: out of memory on " << spelling(peak.device) << ": "
               << peak.arenaBytes + TDRT_GPU_BYTES
               << " bytes are needed in all, most of them here, and it has "
               << limit;
  for (const MemoryHolder &holder :
       llvm::ArrayRef(peak.holders).take_front(kMostHolders))
    if (holder.location)
      error.attachNote(holder.location)
          << holder.bytes << " B: " << holder.what;
}

struct TDVerifyMemory : impl::TDVerifyMemoryPassBase<TDVerifyMemory> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    td::BytesByGPU limits = td::getBytesByGPU(module, td::kMemoryAttr);
    if (limits.empty())
      return;
    llvm::SmallVector<Place> devices;
    for (const auto &[gpu, limit] : limits)
      devices.push_back(*parseDevice(gpu));
    PlannedMemory memory = planMemory(module, devices);
    for (const PeakMemory &peak : memory.peaks) {
      int64_t limit = limits[spelling(peak.device)];
      if (peak.arenaBytes == 0 || peak.arenaBytes + TDRT_GPU_BYTES <= limit)
        continue;
      refuse(module, peak, limit);
      return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tdc
