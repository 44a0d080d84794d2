//===- Speculation.cpp - what may run ahead of its checks -----------------===//

#include "Speculation.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tdc::td {

/// Whether all elements of an index tensor are those of a random permutation of
/// so many.
static bool isOfPermutation(Value index, int64_t size) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(index)) {
      auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
      if (!kernel)
        return false;
      index = kernel.getInputs()[argument.getArgNumber()];
    } else if (isa<ReshapeOp, SliceOp>(index.getDefiningOp())) {
      index = index.getDefiningOp()->getOperand(0);
    } else {
      break;
    }
  }
  auto random = index.getDefiningOp<RandomOp>();
  return random && random.getDistribution() == Distribution::Permutation &&
         random.getResult().getType().getNumElements() == size;
}

/// Whether the op may meet an index out of range.
static bool mayReportIndex(Operation *op) {
  auto picker = dyn_cast<Picker>(op);
  if (!picker)
    return false;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return !isa<GatherOp>(op) ||
         !isOfPermutation(op->getOperand(1), type.getDimSize(picker.getDim()));
}

/// Whether the op may be a remainder by zero, which traps; MLIR does not know.
static bool mayTrap(Operation *op) {
  return isa<arith::RemSIOp, arith::RemUIOp>(op) &&
         !matchPattern(op->getOperand(1), m_NonZero());
}

/// Whether the op may find that the bounds of its numbers do not fit.
static bool mayReportBounds(Operation *op) {
  auto random = dyn_cast<RandomOp>(op);
  return random && !llvm::all_of(random.getBounds(), [](Value bound) {
           return matchPattern(bound, m_Constant());
         });
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
           return mayTrap(inner) || mayReportIndex(inner) ||
                  mayReportBounds(inner);
         });
}

bool hasRunTimeSizes(Operation *op) {
  auto isRunTime = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  return containsAny(op, [&](Operation *inner) {
    return inner->hasTrait<ComputeOp>() &&
           (llvm::any_of(inner->getOperandTypes(), isRunTime) ||
            llvm::any_of(inner->getResultTypes(), isRunTime));
  });
}

} // namespace tdc::td
