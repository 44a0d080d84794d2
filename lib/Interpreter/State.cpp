//===- State.cpp - the meaning of slots, random state, gradients ----------===//

#include "Machine.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// A slot's value is where it was written last; it starts where it was
/// declared.
static LogicalResult runRead(Machine &m, ReadOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Place at = m.world.getSlotPlace(op.getSlot());
  if (at != getPlace(type))
    return op.emitOpError("reads the slot as ")
           << type << ", but its value is at '" << spelling(at) << "'";
  DType dtype = getDType(type.getElementType());
  std::vector<char> bytes(countElements(type.getShape()) * byteSize(dtype));
  tdrt_slot_read(m.context(), m.world.getSlot(op.getSlot()), bytes.data());
  return m.set(op.getResult(),
               Tensor::fromBytes(dtype, type.getShape(), at, bytes.data()));
}

static LogicalResult runWrite(Machine &m, WriteOp op) {
  const Tensor &value = m.tensor(op.getValue());
  m.world.getSlotPlace(op.getSlot()) = value.place;
  tdrt_slot_write(m.context(), m.world.getSlot(op.getSlot()),
                  value.toBytes().data());
  return success();
}

static LogicalResult runMove(Machine &m, MoveOp op) {
  m.world.getSlotPlace(op.getSlot()) = getPlace(op.getDevice());
  return success();
}

static LogicalResult runNextRandom(Machine &m, NextRandomOp op) {
  int64_t seed;
  int64_t call = tdrt_next_random(m.context(), &seed);
  return m.set(op.getResults(), {seed, call});
}

static LogicalResult refuse(Operation *op) {
  return op->emitOpError("has a meaning only to td-grad: run that pass first");
}

void addStateMeanings(Machine &machine) {
  machine.on<ReadOp>(runRead);
  machine.on<WriteOp>(runWrite);
  machine.on<MoveOp>(runMove);
  machine.on<SeedOp>([](Machine &m, SeedOp op) {
    tdrt_seed(m.context(), m.integer(op.getValue()));
    return success();
  });
  machine.on<NextRandomOp>(runNextRandom);
  machine.on<GradOp>([](Machine &, GradOp op) { return refuse(op); });
  machine.on<BackwardOp>([](Machine &, BackwardOp op) { return refuse(op); });
}

} // namespace tdc
