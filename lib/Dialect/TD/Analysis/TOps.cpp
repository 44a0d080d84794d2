//===- TOps.cpp - ops that give the same bits on every device -------------===//

#include "Dialect/TD/Analysis/TOps.h"

using namespace mlir;

namespace tdc::td {

bool isConstructor(Operation *op) {
  return hasFamily(op, OpFamily::Constructor);
}

bool isTOp(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute)
    return false;
  switch (compute.getInfo().devices) {
  case Portability::Anywhere:
    return true;
  case Portability::Scalars:
    return cast<RankedTensorType>(op->getResult(0).getType()).getRank() == 0;
  case Portability::Fixed:
    return false;
  }
  llvm_unreachable("all are above");
}

bool areTOpsFixed(ModuleOp module) {
  return module->hasAttr(kNoTOpsAttr) || module->hasAttr(kAsWrittenAttr);
}

} // namespace tdc::td
