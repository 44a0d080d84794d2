//===- Scatters.cpp - scatters of narrow floats ---------------------------===//

#include "Dialect/TD/IR/TD.h"

using namespace mlir;

namespace tdc::td {

/// Narrow floats are combined in f32 and rounded only at the end.
template <typename Scatter> static void widenScatter(Scatter scatter) {
  auto type = scatter.getType();
  if (!isNarrowFloat(type.getElementType()) || !scatter.getCombine())
    return;
  OpBuilder builder(scatter);
  for (OpOperand *operand :
       {&scatter.getInputMutable(), &scatter.getUpdatesMutable()}) {
    auto own = cast<RankedTensorType>(operand->get().getType());
    operand->set(CastOp::create(builder, scatter.getLoc(),
                                own.clone(builder.getF32Type()),
                                operand->get()));
  }
  Value result = scatter.getResult();
  result.setType(type.clone(builder.getF32Type()));
  builder.setInsertionPointAfter(scatter);
  auto rounded = CastOp::create(builder, scatter.getLoc(), type, result);
  result.replaceAllUsesExcept(rounded, rounded);
}

void ScatterOp::expand() { widenScatter(*this); }

void ScatterAlongOp::expand() { widenScatter(*this); }

} // namespace tdc::td
