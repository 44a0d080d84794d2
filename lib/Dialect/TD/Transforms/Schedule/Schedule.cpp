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
  explicit Room(ModuleOp module) {
    if (auto room = module->getAttrOfType<DictionaryAttr>(kRoomAttr))
      for (NamedAttribute row : room)
        left[row.getName()] = cast<IntegerAttr>(row.getValue()).getInt();
  }

  /// Takes so many bytes if they are there.
  bool take(const Place &gpu, int64_t bytes) {
    auto found = left.find(spelling(gpu));
    if (found == left.end())
      return true;
    if (found->second < bytes)
      return false;
    found->second -= bytes;
    return true;
  }

private:
  llvm::StringMap<int64_t> left;
};

struct SchedulePass : public impl::TDSchedulePassBase<SchedulePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kAsWrittenAttr))
      return explainOthers(module);
    Room room(module);
    auto hasRoom = [&](const Place &gpu, int64_t bytes) {
      return room.take(gpu, bytes);
    };
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
