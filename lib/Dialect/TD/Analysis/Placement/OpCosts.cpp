//===- OpCosts.cpp - the cost of an op on a device ------------------------===//

#include "Dialect/TD/Analysis/Placement/OpCosts.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "gpu_times.h"

using namespace mlir;

namespace tdc::td {

/// Arithmetic operations per copied byte, at 500 GFLOP/s and at 20 TFLOP/s.
static constexpr double kOnCpu = 500e3 / kHostBytesPerMicrosecond,
                        kOnGpu = 20e6 / kHostBytesPerMicrosecond;

static double countElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? static_cast<double>(estimateElements(type)) : 0;
}

double countOperations(Operation *op) {
  double elements = countElements(op->getResult(0));
  if (auto reduction = dyn_cast<ReductionOp>(op))
    return elements * static_cast<double>(estimateTerms(reduction)) *
           cast<ComputeOp>(op).getInfo().operands;
  if (auto update = dyn_cast<UpdateOp>(op)) {
    elements = 0;
    for (const UpdatePart &part : update.getParts())
      elements += countElements(op->getOperand(part.operand));
  }
  return elements;
}

double getOpCost(Operation *op, Place::Kind device) {
  return countOperations(op) / (device == Place::Kind::Cpu ? kOnCpu : kOnGpu);
}

} // namespace tdc::td
