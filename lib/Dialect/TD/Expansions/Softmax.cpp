//===- Softmax.cpp - softmax as reductions and elementwise ops ------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/TD.h"

using namespace mlir;

namespace tdc::td {

/// Writes softmax as the reductions and elementwise ops it consists of, which
/// fuse with neighbouring ops. Narrow floats are rounded once, in the result.
static void decomposeSoftmax(Operation *op, Value input, int64_t dim,
                             bool isLogarithm) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(input.getType());
  if (isNarrowFloat(type.getElementType())) {
    type = type.clone(builder.getF32Type());
    input = CastOp::create(builder, loc, type, input);
  }
  SmallVector<int64_t> kept(type.getShape()), reduced(type.getShape());
  kept[dim] = 1;
  reduced.erase(reduced.begin() + dim);
  auto keptType = type.clone(kept), reducedType = type.clone(reduced);

  auto alongDim = [&](ReduceKind kind, Value value) -> Value {
    Value result = ReduceOp::create(builder, loc, reducedType, kind, value,
                                    ArrayRef<int64_t>{dim});
    SmallVector<Value> keptSizes = getRunTimeSizes(builder, loc, result);
    return ReshapeOp::create(builder, loc, keptType, result, keptSizes);
  };
  auto spread = [&](Value value) -> Value {
    return BroadcastOp::create(builder, loc, type, value,
                               getRunTimeSizes(builder, loc, input));
  };
  Value shifted = SubOp::create(builder, loc, input,
                                spread(alongDim(ReduceKind::Max, input)));
  Value powers = ExpOp::create(builder, loc, shifted);
  Value sum = alongDim(ReduceKind::Sum, powers);
  Value result;
  if (isLogarithm)
    result = SubOp::create(builder, loc, shifted,
                           spread(LogOp::create(builder, loc, sum)));
  else
    result = DivOp::create(builder, loc, powers, spread(sum));
  if (Type wanted = op->getResult(0).getType(); wanted != result.getType())
    result = CastOp::create(builder, loc, wanted, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

void SoftmaxOp::expand() {
  decomposeSoftmax(*this, getInput(), getDim(), /*isLogarithm=*/false);
}

void LogSoftmaxOp::expand() {
  decomposeSoftmax(*this, getInput(), getDim(), /*isLogarithm=*/true);
}

} // namespace tdc::td
