//===- Speculation.cpp - ops that may run early ---------------------------===//

#include "Speculation.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tdc::td {

/// Whether the op may be a remainder by zero, which traps; MLIR considers it
/// pure.
static bool mayTrap(Operation *op) {
  return isa<arith::RemSIOp, arith::RemUIOp>(op) &&
         !matchPattern(op->getOperand(1), m_NonZero());
}

static bool containsAny(Operation *op,
                        llvm::function_ref<bool(Operation *)> isSuch) {
  return op
      ->walk([&](Operation *inner) {
        return isSuch(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool cannotFail(Operation *op) {
  return isPure(op) && !containsAny(op, [](Operation *inner) {
           auto compute = dyn_cast<ComputeOp>(inner);
           return mayTrap(inner) || (compute && compute.mayFail());
         });
}

bool isObservable(Operation *op) {
  return !op->getNumRegions() && !isMemoryEffectFree(op) &&
         !isa<NextRandomOp, ReadOp, SeedOp, WriteOp>(op);
}

bool hasRunTimeSizes(Operation *op) {
  auto isRunTime = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return containsAny(op, [&](Operation *inner) {
    return isa<ComputeOp>(inner) &&
           (llvm::any_of(inner->getOperandTypes(), isRunTime) ||
            llvm::any_of(inner->getResultTypes(), isRunTime));
  });
}

} // namespace tdc::td
