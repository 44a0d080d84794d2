//===- TDScheduleOps.cpp - td.mark, td.copy_start -------------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

LogicalResult MarkOp::verify() {
  // C1
  if (getDevice().getKind() == DeviceKind::CUDA)
    return success();
  return emitOpError("expected a GPU, got ") << getDevice();
}

void CopyStartOp::build(OpBuilder &builder, OperationState &state, Type result,
                        Value input, Value after, Value iteration,
                        bool implied) {
  build(builder, state, result, TicketType::get(builder.getContext()), input,
        after, iteration, implied);
}

LogicalResult CopyStartOp::verify() {
  RankedTensorType from = getInput().getType(), to = getResult().getType();
  // C1
  if (from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected operand and result of one shape and dtype, "
                       "got ")
           << from << " and " << to;
  // C2
  if (getSource() == getTarget())
    return emitOpError("expected two devices, got ") << from << " and " << to;
  // C3
  if (bool(getAfter()) != isUpload())
    return emitOpError("expected `after` for a copy from the cpu and for no "
                       "other");
  // C4
  if (getIteration() ? isBetweenGPUs() : isUpload())
    return emitOpError(
        "expected `iteration` for a copy from the cpu, and for none "
        "between GPUs");
  return success();
}

Place CopyStartOp::getSource() { return getPlace(getInput().getType()); }

Place CopyStartOp::getTarget() { return getPlace(getResult().getType()); }

Place CopyStartOp::getGPU() {
  return getTarget().kind == Place::Kind::Cuda ? getTarget() : getSource();
}

bool CopyStartOp::isUpload() { return getSource().kind == Place::Kind::Cpu; }

bool CopyStartOp::isBetweenGPUs() {
  return getSource().kind == Place::Kind::Cuda &&
         getTarget().kind == Place::Kind::Cuda;
}

bool CopyStartOp::sharesQueueWith(CopyStartOp other) {
  return getSource() == other.getSource() && getTarget() == other.getTarget();
}
