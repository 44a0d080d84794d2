//===- State.cpp - the meaning of slots, random state, gradients ----------===//

#include "Machine.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// A slot holds its value on the device that wrote it last. Before the first
/// write it holds zeros, on any device that reads it.
static LogicalResult runRead(Machine &m, ReadOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  TensorRef value = std::get<TensorRef>(m.world.slotValue(op.getSlot()));
  if (!value->home && value->place == Place())
    value = m.getZeros(op.getSlot(), *value, getPlace(type));
  if (value->place != getPlace(type))
    return op.emitOpError("reads the slot as ")
           << type << ", but its value is at '" << spelling(value->place)
           << "'";
  return m.set(op.getResult(), value);
}

static LogicalResult runWrite(Machine &m, WriteOp op) {
  m.setSlot(op.getSlot(), m.get(op.getValue()));
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
  machine.on<SeedOp>([](Machine &m, SeedOp op) {
    tdrt_seed(m.context(), m.integer(op.getValue()));
    return success();
  });
  machine.on<NextRandomOp>(runNextRandom);
  machine.on<GradOp>([](Machine &, GradOp op) { return refuse(op); });
  machine.on<BackwardOp>([](Machine &, BackwardOp op) { return refuse(op); });
}

} // namespace tdc
