//===- Scatters.cpp - scatters of narrow floats ---------------------------===//

#include "Dialect/TD/IR/TD.h"

using namespace mlir;

namespace tdc::td {

/// Sums of narrow floats are computed in f32 and rounded only at the end.
static void widenScatter(Operation *scatter) {
  auto type = cast<RankedTensorType>(scatter->getResult(0).getType());
  if (!isNarrowFloat(type.getElementType()))
    return;
  OpBuilder builder(scatter);
  for (unsigned i : {0, 2}) { // not the indices
    Value operand = scatter->getOperand(i);
    auto own = cast<RankedTensorType>(operand.getType());
    scatter->setOperand(i, CastOp::create(builder, scatter->getLoc(),
                                          own.clone(builder.getF32Type()),
                                          operand));
  }
  Value result = scatter->getResult(0);
  result.setType(type.clone(builder.getF32Type()));
  builder.setInsertionPointAfter(scatter);
  auto rounded = CastOp::create(builder, scatter->getLoc(), type, result);
  result.replaceAllUsesExcept(rounded, rounded);
}

void ScatterAddOp::expand() { widenScatter(*this); }

void ScatterAddAlongOp::expand() { widenScatter(*this); }

} // namespace tdc::td
