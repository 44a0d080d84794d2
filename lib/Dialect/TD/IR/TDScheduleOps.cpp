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
                        Value input, Value after, Value turn, bool implied) {
  build(builder, state, result, TicketType::get(builder.getContext()), input,
        after, turn, implied);
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
  auto isOn = [](RankedTensorType type, Place::Kind kind) {
    return getPlace(type).kind == kind;
  };
  bool isUpload = isOn(from, Place::Kind::Cpu) && isOn(to, Place::Kind::Cuda);
  bool isDownload = isOn(from, Place::Kind::Cuda) && isOn(to, Place::Kind::Cpu);
  if (!isUpload && !isDownload)
    return emitOpError("expected the cpu and a GPU, got ")
           << from << " and " << to;
  // C3
  if (bool(getAfter()) != isUpload)
    return emitOpError("expected `after` for a copy from the cpu and for no "
                       "other");
  // C4
  if (isUpload && !getTurn())
    return emitOpError("expected `turn` for a copy from the cpu");
  return success();
}

bool CopyStartOp::isUpload() {
  return getPlace(getInput().getType()).kind == Place::Kind::Cpu;
}

Place CopyStartOp::getGPU() {
  return getPlace(isUpload() ? getResult().getType() : getInput().getType());
}
