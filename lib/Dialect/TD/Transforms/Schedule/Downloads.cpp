//===- Downloads.cpp - the host reads behind the kernels ------------------===//
//
// The host waits for what it reads from a GPU. Kernels that do not depend on
// that can be queued before: then the GPU works while the host waits. So within
// a block the ops that need a download move behind the ops that do not, up to
// the first op of the GPU that does. What the outside sees keeps its order.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/ValueFlow.h"
#include "Schedule.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tdc::td {

bool isQueued(Operation *op) {
  auto isOnGPU = [](Type tensor) {
    return getPlace(cast<RankedTensorType>(tensor)).kind == Place::Kind::Cuda;
  };
  if (auto kernel = dyn_cast<KernelOp>(op))
    return kernel.isOnGPU();
  if (auto read = dyn_cast<ReadOp>(op))
    return isOnGPU(read.getType());
  if (auto write = dyn_cast<WriteOp>(op))
    return isOnGPU(write.getValue().getType());
  if (auto transfer = dyn_cast<ToDeviceOp>(op))
    return isOnGPU(transfer.getType());
  if (auto wait = dyn_cast<CopyWaitOp>(op))
    return wait.getDevice().getKind() == DeviceKind::CUDA;
  return isa<CopyStartOp, MarkOp, NoTicketOp>(op);
}

namespace {

/// What stands behind a download, up to where no further op can be queued
/// before the host waits for it.
class Tail {
public:
  explicit Tail(ToDeviceOp download);

  /// Whether there is a kernel that the copy can run beside.
  bool hidesCopy() const { return hasKernel; }
  /// Moves what has to wait behind the rest. Gives the first of it, or where
  /// that would stand.
  Operation *split();

private:
  bool dependsOnLate(Operation &op) const;

  Operation *end;
  llvm::SetVector<Operation *> late;
  bool hasKernel = false;
};

Tail::Tail(ToDeviceOp download) {
  late.insert(download);
  bool hasLateEffects = false;
  Operation *op = download->getNextNode();
  for (; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
    // A wait for an earlier copy holds up nothing that is late.
    bool hasEffects =
        !isQueued(op) && !isa<CopyWaitOp>(op) && !isMemoryEffectFree(op);
    bool isLate = dependsOnLate(*op) || (hasEffects && hasLateEffects);
    // Regions may hold anything.
    if (op->getNumRegions() > 0 && !isa<KernelOp>(op))
      break;
    if (isLate && isQueued(op))
      break;
    if (isLate) {
      late.insert(op);
      hasLateEffects |= hasEffects;
    } else {
      hasKernel |= isa<KernelOp>(op) && isQueued(op);
    }
  }
  end = op;
  late.remove(download);
}

bool Tail::dependsOnLate(Operation &op) const {
  return llvm::any_of(op.getOperands(), [&](Value operand) {
    return late.contains(operand.getDefiningOp());
  });
}

Operation *Tail::split() {
  for (Operation *op : late)
    op->moveBefore(end);
  return late.empty() ? end : late.front();
}

} // namespace

void deferDownloads(Block &block, HasRoom hasRoom) {
  auto host = [&](MLIRContext *context) {
    return td::getDevice(context, getCpu());
  };
  for (auto download : llvm::make_early_inc_range(block.getOps<ToDeviceOp>())) {
    if (getPlace(download.getInput().getType()).kind != Place::Kind::Cuda ||
        getPlace(download.getType()).kind != Place::Kind::Cpu ||
        !download.getType().hasStaticShape() || download.getKept())
      continue;
    // What is copied stays on the GPU behind kernels that may not need it.
    Tail tail(download);
    RankedTensorType source = download.getInput().getType();
    if (!tail.hidesCopy() || !hasRoom(getPlace(source), estimateBytes(source)))
      continue;
    Operation *first = tail.split();
    OpBuilder builder(download);
    auto copy = CopyStartOp::create(
        builder, download.getLoc(), download.getType(), download.getInput(),
        /*after=*/Value(), /*turn=*/Value(), download.getImplied());
    builder.setInsertionPoint(first);
    CopyWaitOp::create(builder, download.getLoc(), copy.getTicket(),
                       host(builder.getContext()),
                       ValueRange{copy.getResult(), copy.getInput()});
    download.replaceAllUsesWith(copy.getResult());
    download.erase();
  }
}

} // namespace tdc::td
