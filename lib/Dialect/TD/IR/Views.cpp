//===- Views.cpp - values with the memory or content of other values ------===//

#include "Dialect/TD/IR/Views.h"

using namespace mlir;

namespace tdc::td {

Value getViewed(Value tensor) {
  auto compute = tensor.getDefiningOp<ComputeOp>();
  return compute ? compute.getViewed() : Value();
}

bool isView(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  return compute && compute.getViewed();
}

Value getRoot(Value tensor) {
  while (Value viewed = getViewed(tensor))
    tensor = viewed;
  return tensor;
}

Value getContent(Value value) {
  while (auto transfer = value.getDefiningOp<ToDeviceOp>())
    value = transfer.getInput();
  return value;
}

SmallVector<OpOperand *> getContentUses(Value value) {
  SmallVector<OpOperand *> uses;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty())
    for (OpOperand &use : worklist.pop_back_val().getUses())
      if (auto transfer = dyn_cast<ToDeviceOp>(use.getOwner()))
        worklist.push_back(transfer.getResult());
      else
        uses.push_back(&use);
  return uses;
}

} // namespace tdc::td
