//===- Softmax.cpp - softmax and logsumexp as reductions ------------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/TD.h"

using namespace mlir;

namespace tdc::td {

/// The tensor, in f32 if its dtype is narrower.
static TypedValue<RankedTensorType> widen(OpBuilder &builder, Location loc,
                                          TypedValue<RankedTensorType> input) {
  RankedTensorType type = input.getType();
  if (!isNarrowFloat(type.getElementType()))
    return input;
  return CastOp::create(builder, loc, type.clone(builder.getF32Type()), input)
      .getResult();
}

/// Rounds `result` once, to the dtype of `op`, and replaces `op` by it.
static void replaceBy(OpBuilder &builder, Operation *op, Value result) {
  if (Type wanted = op->getResult(0).getType(); wanted != result.getType())
    result = CastOp::create(builder, op->getLoc(), wanted, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Writes softmax as the reductions and elementwise ops it consists of, which
/// fuse with neighbouring ops.
static void decomposeSoftmax(Operation *op, TypedValue<RankedTensorType> narrow,
                             int64_t dim, bool isLogarithm) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto input = widen(builder, loc, narrow);
  RankedTensorType type = input.getType();
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
  if (isLogarithm) {
    result = SubOp::create(builder, loc, shifted,
                           spread(LogOp::create(builder, loc, sum)));
  } else {
    // One division for each row, not for each element.
    Value number =
        arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(1));
    Value one = FillOp::create(builder, loc, keptType, number,
                               getRunTimeSizes(builder, loc, sum));
    result = MulOp::create(builder, loc, powers,
                           spread(DivOp::create(builder, loc, one, sum)));
  }
  replaceBy(builder, op, result);
}

/// An infinite maximum is not subtracted: its difference from itself is NaN.
void LogSumExpOp::expand() {
  OpBuilder builder(*this);
  Location loc = getLoc();
  auto input = widen(builder, loc, getInput());
  RankedTensorType type = input.getType(),
                   result = getType().clone(type.getElementType());
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
  replaceBy(builder, *this, sum);
}

void SoftmaxOp::expand() {
  decomposeSoftmax(*this, getInput(), getDim(), /*isLogarithm=*/false);
}

void LogSoftmaxOp::expand() {
  decomposeSoftmax(*this, getInput(), getDim(), /*isLogarithm=*/true);
}

} // namespace tdc::td
