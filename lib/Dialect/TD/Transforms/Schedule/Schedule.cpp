//===- Schedule.cpp - td-schedule: overlap copies with kernels ------------===//

#include "Schedule.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/NotPipelined.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDSCHEDULEPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {

void leaveNotPipelined(ToDeviceOp copy, llvm::StringRef why, Operation *by) {
  copy->setAttr(kNotPipelinedAttr, StringAttr::get(copy.getContext(), why));
  if (by)
    copy->setAttr(kNotPipelinedByAttr, LocationAttr(by->getLoc()));
}

CopyStartOp startCopy(OpBuilder &builder, ToDeviceOp transfer, Value input,
                      Value after, Value iteration) {
  auto copy =
      CopyStartOp::create(builder, transfer.getLoc(), transfer.getType(), input,
                          after, iteration, transfer.getImplied());
  copy->setDiscardableAttrs(transfer->getDiscardableAttrDictionary());
  return copy;
}

BytesByGPU countBytes(llvm::ArrayRef<RankedTensorType> tensors) {
  BytesByGPU bytes;
  for (RankedTensorType type : tensors)
    bytes[spelling(getPlace(type))] += estimateBytes(type);
  return bytes;
}

static bool copies(Operation *op, Place::Kind from, Place::Kind to) {
  auto copy = dyn_cast<ToDeviceOp>(op);
  return copy && getPlace(copy.getInput().getType()).kind == from &&
         getPlace(copy.getType()).kind == to;
}

bool isUpload(Operation *op) {
  return copies(op, Place::Kind::Cpu, Place::Kind::Cuda);
}

bool isDownload(Operation *op) {
  return copies(op, Place::Kind::Cuda, Place::Kind::Cpu);
}

namespace {

/// Marks the copies in loops that have no reason yet as not pipelined, with the
/// reason.
void explainOthers(ModuleOp module, bool (*isSuch)(Operation *)) {
  bool isAsWritten = module->hasAttr(kAsWrittenAttr);
  module->walk([&](ToDeviceOp copy) {
    if (!isSuch(copy) || copy->hasAttr(kNotPipelinedAttr))
      return;
    llvm::StringRef why = not_pipelined::kEnd;
    Operation *parent = copy->getParentOp();
    for (; parent && !CarryingLoop(parent); parent = parent->getParentOp())
      if (isa<scf::IfOp>(parent))
        why = not_pipelined::kBranch;
    if (isAsWritten || copy.getKept())
      why = not_pipelined::kAsWritten;
    if (parent)
      leaveNotPipelined(copy, why);
  });
}

/// The bytes that each GPU can still hold, where that is known.
class Room {
public:
  explicit Room(ModuleOp module) : left(getBytesByGPU(module, kRoomAttr)) {}

  /// Reserves the bytes if all of these GPUs have room for them.
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
    if (module->hasAttr(kAsWrittenAttr)) {
      explainOthers(module, isDownload);
      return explainOthers(module, isUpload);
    }
    Room room(module);
    auto hasRoom = [&](const BytesByGPU &bytes) { return room.take(bytes); };
    llvm::SmallVector<scf::ForOp> loops;
    auto find = [&](scf::ForOp loop) { loops.push_back(loop); };
    module->walk(find);
    for (scf::ForOp loop : loops)
      readLate(loop, hasRoom);
    explainOthers(module, isDownload);
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
    explainOthers(module, isUpload);
  }
};

} // namespace
} // namespace tdc::td
