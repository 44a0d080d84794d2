//===- OpCosts.cpp - what an op costs on a device -------------------------===//

#include "Dialect/TD/Analysis/OpCosts.h"
#include "Dialect/TD/Analysis/ValueFlow.h"
#include "gpu_times.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tdc::td {

/// Arithmetic operations while one byte is copied: of 500 GFLOP/s and of 20
/// TFLOP/s.
static constexpr double kOnCpu = 500e3 / kHostBytesPerMicrosecond,
                        kOnGpu = 20e6 / kHostBytesPerMicrosecond;

static double countElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? double(estimateBytes(type)) /
                    byteSize(getDType(type.getElementType()))
              : 0;
}

/// One for each element that is made, or of a reduction that is read; for a
/// product a multiplication and an addition for each term of each sum. What
/// changes a part of a tensor does it in place.
static double countOperations(Operation *op) {
  return llvm::TypeSwitch<Operation *, double>(op)
      .Case([](MatmulOp matmul) {
        auto lhs = cast<RankedTensorType>(matmul.getLhs().getType());
        int64_t terms = lhs.getShape().back();
        return 2 * countElements(matmul.getResult()) *
               double(ShapedType::isDynamic(terms) ? 64 : terms);
      })
      .Case<ReduceOp, ArgReduceOp>(
          [](auto reduce) { return countElements(reduce.getInput()); })
      .Case([](UpdateSliceOp op) { return countElements(op.getUpdate()); })
      .Case<ScatterAddOp, ScatterAddAlongOp>(
          [](auto op) { return countElements(op.getUpdates()); })
      .Default(
          [](Operation *other) { return countElements(other->getResult(0)); });
}

double getOpCost(Operation *op, Place::Kind device) {
  return countOperations(op) / (device == Place::Kind::Cpu ? kOnCpu : kOnGpu);
}

} // namespace tdc::td
