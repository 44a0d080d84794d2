//===- RuleRounding.cpp - a gradient rule rounds once ---------------------===//

#include "RuleRounding.h"
#include "Dialect/TD/OpTable/OpTable.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tdc::td {

static bool isNarrow(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isNarrowFloat(type.getElementType());
}

static bool rounds(Operation *op) {
  return isa<ComputeOp>(op) && isNarrow(op->getResult(0)) &&
         cast<ComputeOp>(op).getInfo().tolerance != Tolerance::Exact;
}

/// Whether a rounded value reaches another op that rounds.
static bool roundsTwice(ArrayRef<Operation *> made) {
  llvm::DenseSet<Operation *> roundedUses;
  for (Operation *op : made) {
    bool usesRounded = llvm::any_of(op->getOperands(), [&](Value operand) {
      return roundedUses.contains(operand.getDefiningOp());
    });
    if (usesRounded && rounds(op))
      return true;
    if (usesRounded || rounds(op))
      roundedUses.insert(op);
  }
  return false;
}

static Value castTo(OpBuilder &builder, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  return CastOp::create(builder, value.getLoc(), type.clone(element), value);
}

void roundOnce(ArrayRef<Operation *> made, MutableArrayRef<Value> gradients) {
  if (!roundsTwice(made))
    return;
  OpBuilder builder(made.front());
  Type f32 = builder.getF32Type();
  llvm::DenseMap<Value, Value> widened;
  llvm::DenseMap<Value, Type> narrow; // original element types
  for (Operation *op : made) {
    if (!isa<ComputeOp>(op))
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isNarrow(operand.get()))
        continue;
      Value &wide = widened[operand.get()];
      if (!wide)
        wide = castTo(builder, operand.get(), f32);
      operand.set(wide);
    }
    Value result = op->getResult(0);
    if (!isNarrow(result))
      continue;
    auto type = cast<RankedTensorType>(result.getType());
    narrow[result] = type.getElementType();
    result.setType(type.clone(f32));
  }
  builder.setInsertionPointAfter(made.back());
  for (Value &gradient : gradients)
    if (Type element = narrow.lookup(gradient))
      gradient = castTo(builder, gradient, element);
}

} // namespace tdc::td
