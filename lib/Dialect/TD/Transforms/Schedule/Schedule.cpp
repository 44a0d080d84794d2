//===- Schedule.cpp - td-schedule: copies run beside kernels --------------===//

#include "Schedule.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDSCHEDULEPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// How much more GPUs can hold, where that is known.
class Room {
public:
  explicit Room(ModuleOp module) : left(getBytesByGPU(module, kRoomAttr)) {}

  /// Takes so many bytes of these GPUs if they are there on all of them.
  bool take(const BytesByGPU &bytes) {
    for (const auto &[gpu, count] : bytes)
      if (auto found = left.find(gpu);
          found != left.end() && found->second < count)
        return false;
    for (const auto &[gpu, count] : bytes)
      if (auto found = left.find(gpu); found != left.end())
        found->second -= count;
    return true;
  }

private:
  BytesByGPU left;
};

struct SchedulePass : public impl::TDSchedulePassBase<SchedulePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kAsWrittenAttr))
      return explainOthers(module);
    Room room(module);
    auto hasRoom = [&](const BytesByGPU &bytes) { return room.take(bytes); };
    llvm::SmallVector<scf::ForOp> loops;
    auto find = [&](scf::ForOp loop) { loops.push_back(loop); };
    module->walk(find);
    for (scf::ForOp loop : loops)
      readLate(loop, hasRoom);
    module->walk([&](Block *block) {
      if (isa<KernelOp, ModuleOp>(block->getParentOp()))
        return;
      deferDownloads(*block, hasRoom);
      beginPeerCopies(*block, hasRoom);
    });
    loops.clear();
    module->walk(find);
    for (scf::ForOp loop : loops)
      prefetch(loop, hasRoom);
    explainOthers(module);
  }
};

} // namespace
} // namespace tdc::td
