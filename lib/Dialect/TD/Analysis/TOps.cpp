//===- TOps.cpp - ops that give the same bits on every device -------------===//

#include "Dialect/TD/Analysis/TOps.h"

using namespace mlir;

namespace tdc::td {

bool isConstructor(Operation *op) {
  return isa<ConstantOp, FillOp, IotaOp, RandomOp>(op);
}

bool isTOp(Operation *op) {
  if (isa<BroadcastOp, CastOp, ConcatOp, GatherOp, PermuteOp, ReshapeOp,
          SliceOp>(op))
    return true;
  if (!isa<AddOp, CompareOp, DivOp, MulOp, NegOp, SubOp>(op))
    return false;
  return cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 0;
}

bool areTOpsFixed(ModuleOp module) {
  return module->hasAttr(kNoTOpsAttr) || module->hasAttr(kAsWrittenAttr);
}

} // namespace tdc::td
