//===- Downloads.cpp - the host reads after the kernels -------------------===//
//
// The host waits for tensors that it reads back from a GPU. Kernels that do not
// depend on them can be queued before the wait: then the GPU works while the
// host waits. So within a block a download starts as soon as its operand is
// available, and the ops that need it are sunk below the ops that do not: down
// to the first op of the GPU that needs it, or to where the host waits anyway.
// Observable ops keep their order.
//
//===----------------------------------------------------------------------===//

#include "../Speculation.h"
#include "Schedule.h"

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

/// Whether the op is a copy that the host waits for right there.
static bool isWaitedFor(Operation *op) {
  return isa<ToDeviceOp>(op) && !isQueued(op);
}

/// Whether two copies can start at the same time, because one op makes both
/// operands.
static bool haveSameMaker(Operation *download, Operation *other) {
  return download->getOperand(0).getDefiningOp() ==
         other->getOperand(0).getDefiningOp();
}

namespace {

/// The ops that follow a download, up to the point where no further op can be
/// queued before the host waits for it.
class Tail {
public:
  explicit Tail(ToDeviceOp download);

  /// Whether there is a kernel that the copy can overlap with.
  bool hidesCopy() const { return hasKernel; }
  /// Moves the ops that must wait for the download after the others.
  void split();

private:
  bool dependsOnLate(Operation &op) const;
  void addLate(Operation &op);

  Operation *end;
  llvm::SmallVector<Operation *> late;
  /// Values that are available only after late ops have run.
  llvm::DenseSet<Value> lateValues;
  bool hasKernel = false;
};

Tail::Tail(ToDeviceOp download) {
  lateValues.insert(download);
  bool hasLateEffects = false;
  Operation *op = download->getNextNode();
  for (; !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
    // Ops that may end the program, or rely on an earlier check, are observable
    // as well. The download may report errors of kernels, which end the
    // program.
    bool isSeen = !isQueued(op) && !mayRunUnasked(op) &&
                  !isa<ReadOp, WriteOp, NextRandomOp>(op);
    bool hasEffects = isQueued(op) ? isa<KernelOp>(op) && hasRunTimeSizes(op)
                                   : !mayRunUnasked(op);
    // Waits keep their order: the first tensor to be read is waited for first.
    bool isLate = dependsOnLate(*op) || isa<CopyWaitOp>(op) || isSeen ||
                  (hasEffects && hasLateEffects);
    // Regions may contain anything.
    if (op->getNumRegions() > 0 && !isa<KernelOp>(op))
      break;
    if ((isLate && isQueued(op)) ||
        (isWaitedFor(op) && !haveSameMaker(download, op)))
      break;
    if (isLate) {
      addLate(*op);
      hasLateEffects |= hasEffects;
    } else {
      hasKernel |= isa<KernelOp>(op) && isQueued(op);
    }
  }
  end = op;
}

bool Tail::dependsOnLate(Operation &op) const {
  return llvm::any_of(op.getOperands(), [&](Value operand) {
    return lateValues.contains(operand);
  });
}

void Tail::addLate(Operation &op) {
  late.push_back(&op);
  lateValues.insert_range(op.getResults());
  if (auto wait = dyn_cast<CopyWaitOp>(op))
    for (Value tensor : wait.getTensors())
      if (getPlace(cast<RankedTensorType>(tensor.getType())) == getCpu())
        lateValues.insert(tensor);
}

void Tail::split() {
  for (Operation *op : late)
    op->moveBefore(end);
}

/// The first op of the value's block that needs it; the terminator if none
/// does.
Operation *getFirstUser(Value value) {
  Block *block = value.getParentBlock();
  Operation *first = block->getTerminator();
  for (Operation *user : value.getUsers()) {
    Operation *op = block->findAncestorOpInBlock(*user);
    if (op->isBeforeInBlock(first))
      first = op;
  }
  return first;
}

} // namespace

void deferDownloads(Block &block, HasRoom hasRoom) {
  auto host = [&](MLIRContext *context) {
    return td::getDevice(context, getCpu());
  };
  // Last one first: the tail of a download can extend past later ones that the
  // host does not wait for any more.
  auto transfers = llvm::to_vector(block.getOps<ToDeviceOp>());
  for (ToDeviceOp download : llvm::reverse(transfers)) {
    if (!isDownload(download) || !download.getType().hasStaticShape() ||
        download.getKept())
      continue;
    Operation *place = download->getNextNode(),
              *maker = download.getInput().getDefiningOp();
    if (maker && maker->getBlock() == &block)
      download->moveAfter(maker);
    // The operand stays on the GPU until after kernels that may not need it.
    Tail tail(download);
    if (!tail.hidesCopy() ||
        !hasRoom(countBytes(download.getInput().getType()))) {
      download->moveBefore(place);
      continue;
    }
    tail.split();
    OpBuilder builder(download);
    CopyStartOp copy = startCopy(builder, download, download.getInput());
    builder.setInsertionPoint(getFirstUser(download));
    CopyWaitOp::create(builder, download.getLoc(), copy.getTicket(),
                       host(builder.getContext()),
                       ValueRange{copy.getResult(), copy.getInput()});
    download.replaceAllUsesWith(copy.getResult());
    download.erase();
  }
  joinWaits(block);
}

void joinWaits(Block &block) {
  using Queue = std::tuple<Attribute, Attribute, Attribute>;
  llvm::DenseMap<Queue, CopyWaitOp> last; // by device, source, target
  for (auto wait : llvm::make_early_inc_range(block.getOps<CopyWaitOp>())) {
    auto copy = wait.getTicket().getDefiningOp<CopyStartOp>();
    if (!copy || copy.isUpload() || copy->getBlock() != &block)
      continue;
    CopyWaitOp &before =
        last[{wait.getDevice(), copy.getInput().getType().getEncoding(),
              copy.getResult().getType().getEncoding()}];
    if (before && copy->isBeforeInBlock(before.getTicket().getDefiningOp())) {
      before.getTensorsMutable().append(wait.getTensors());
      wait.erase();
      continue;
    }
    if (before && before->getNextNode() == wait) {
      wait.getTensorsMutable().append(before.getTensors());
      before.erase();
    }
    before = wait;
  }
}

} // namespace tdc::td
