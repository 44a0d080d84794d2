//===- Softmax.cpp - softmax and its kin as reductions --------------------===//

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

/// An infinite maximum is not subtracted: less itself it would be NaN.
void LogSumExpOp::expand() {
  OpBuilder builder(*this);
  Location loc = getLoc();
  Value input = getInput();
  RankedTensorType type = getInput().getType(), result = getType();
  if (isNarrowFloat(type.getElementType())) {
    type = type.clone(builder.getF32Type());
    result = result.clone(builder.getF32Type());
    input = CastOp::create(builder, loc, type, input);
  }
  auto reduce = [&](ReduceKind kind, Value value) -> Value {
    return ReduceOp::create(builder, loc, result, kind, value, getDims());
  };
  Value top = reduce(ReduceKind::Max, input);
  SmallVector<Value> sizes = getRunTimeSizes(builder, loc, top);
  Value none =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(0));
  Value zero = FillOp::create(builder, loc, result, none, sizes);
  Value isInfinite = CompareOp::create(
      builder, loc, result.clone(builder.getI1Type()), ComparePredicate::NE,
      SubOp::create(builder, loc, top, top), zero);
  top = SelectOp::create(builder, loc, isInfinite, zero, top);
  SmallVector<int64_t> kept(type.getShape());
  for (int64_t dim : getDims())
    kept[dim] = 1;
  Value spread = BroadcastOp::create(
      builder, loc, type,
      ReshapeOp::create(builder, loc, type.clone(kept), top, sizes),
      getRunTimeSizes(builder, loc, input));
  Value powers =
      ExpOp::create(builder, loc, SubOp::create(builder, loc, input, spread));
  Value sum = AddOp::create(
      builder, loc,
      LogOp::create(builder, loc, reduce(ReduceKind::Sum, powers)), top);
  if (result != getType())
    sum = CastOp::create(builder, loc, getType(), sum);
  replaceAllUsesWith(sum);
  erase();
}

void SoftmaxOp::expand() {
  decomposeSoftmax(*this, getInput(), getDim(), /*isLogarithm=*/false);
}

void LogSoftmaxOp::expand() {
  decomposeSoftmax(*this, getInput(), getDim(), /*isLogarithm=*/true);
}

} // namespace tdc::td
