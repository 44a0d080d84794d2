//===- Transfers.cpp - the meaning of moves and replicas ------------------===//

#include "Machine.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

static LogicalResult runToDevice(Machine &m, ToDeviceOp op) {
  return m.set(op.getResult(), m.copy(std::get<TensorRef>(m.get(op.getInput())),
                                      getPlace(op.getType()), op));
}

static LogicalResult runMove(Machine &m, MoveOp op) {
  auto tensor = std::get<TensorRef>(m.world.slotValue(op.getSlot()));
  if (tensor->home || tensor->place != Place())
    m.setSlot(op.getSlot(), m.copy(tensor, getPlace(op.getDevice()), op));
  return success();
}

static LogicalResult runHandle(Machine &m, HandleOp op) {
  return m.set(op.getResult(),
               m.getHandle(std::get<TensorRef>(m.get(op.getInput()))));
}

static LogicalResult runReplicaGet(Machine &m, ReplicaGetOp op) {
  HandleRef handle = std::get<HandleRef>(m.get(op.getHandle()));
  const Replicas &replicas = *handle;
  Place device = getPlace(op.getType());
  auto found = llvm::find_if(
      replicas, [&](const TensorRef &one) { return one->place == device; });
  if (found != replicas.end())
    return m.set(op.getResult(), *found);
  const TensorRef &first = replicas.front();
  m.addReplica(handle,
               first->home || first->place != Place()
                   ? m.copy(first, device, op)
                   : std::make_shared<const Tensor>(first->copyTo(device)));
  return m.set(op.getResult(), replicas.back());
}

static LogicalResult runReadHandle(Machine &m, ReadHandleOp op) {
  return m.set(op.getResult(), m.world.slotValue(op.getSlot()));
}

static LogicalResult runWriteHandle(Machine &m, WriteHandleOp op) {
  m.setSlot(op.getSlot(), m.get(op.getHandle()));
  return success();
}

/// Copies are done immediately, so tickets have no effect. A wait that is
/// missing is found by td-verify-schedule and the simulated driver.
static LogicalResult runNoTicket(Machine &m, NoTicketOp op) {
  return m.set(op.getResult(), int64_t(0));
}

static LogicalResult runMark(Machine &m, MarkOp op) {
  return m.set(op.getTicket(), int64_t(0));
}

static LogicalResult runCopyStart(Machine &m, CopyStartOp op) {
  if (failed(m.set(op.getTicket(), int64_t(0))))
    return failure();
  return m.set(op.getResult(), m.copy(std::get<TensorRef>(m.get(op.getInput())),
                                      getPlace(op.getResult().getType()), op));
}

static LogicalResult runCopyWait(Machine &, CopyWaitOp) { return success(); }

/// A poison has no tensor, so an op that reads it fails.
static LogicalResult runPoison(Machine &m, ub::PoisonOp op) {
  return m.set(op.getResult(), TensorRef());
}

void addTransferMeanings(Machine &machine) {
  machine.on<ToDeviceOp>(runToDevice);
  machine.on<MoveOp>(runMove);
  machine.on<HandleOp>(runHandle);
  machine.on<ReplicaGetOp>(runReplicaGet);
  machine.on<ReadHandleOp>(runReadHandle);
  machine.on<WriteHandleOp>(runWriteHandle);
  machine.on<NoTicketOp>(runNoTicket);
  machine.on<MarkOp>(runMark);
  machine.on<CopyStartOp>(runCopyStart);
  machine.on<CopyWaitOp>(runCopyWait);
  machine.on<ub::PoisonOp>(runPoison);
}

} // namespace tdc
