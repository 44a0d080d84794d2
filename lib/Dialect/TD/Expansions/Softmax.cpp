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

/// The product that sums rows with the weights that a softmax over dim `dim`
/// makes, and is all that reads them; null if there is none. Without weights,
/// the sum by which it would be divided is 0.
static MatmulOp findWeightedSum(Value weights, int64_t dim) {
  auto product = weights.hasOneUse() ? dyn_cast<MatmulOp>(*weights.user_begin())
                                     : MatmulOp();
  bool isFactor = product && product.getLhs() == weights &&
                  dim + 1 == product.getType().getRank();
  auto type = cast<RankedTensorType>(weights.getType());
  // Narrow weights are rounded before the product.
  bool mayDivide = isFactor && !isNarrowFloat(type.getElementType()) &&
                   type.getDimSize(dim) > 0;
  return mayDivide ? product : MatmulOp();
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
  auto reducedType = type.clone(reduced);

  auto alongDim = [&](ReduceKind kind, Value value) -> Value {
    return ReduceOp::create(builder, loc, reducedType, kind, value,
                            ArrayRef<int64_t>{dim});
  };
  /// A tensor like `like`, each element that of its row.
  auto spread = [&](Value rows, Value like) -> Value {
    SmallVector<Value> sizes = getRunTimeSizes(builder, loc, rows);
    Value column =
        ReshapeOp::create(builder, loc, type.clone(kept), rows, sizes);
    return BroadcastOp::create(builder, loc, like.getType(), column,
                               getRunTimeSizes(builder, loc, like));
  };
  Value shifted = SubOp::create(
      builder, loc, input, spread(alongDim(ReduceKind::Max, input), input));
  Value powers = ExpOp::create(builder, loc, shifted);
  Value sum = alongDim(ReduceKind::Sum, powers);
  if (isLogarithm) {
    Value logarithm = LogOp::create(builder, loc, sum);
    return replaceBy(
        builder, op,
        SubOp::create(builder, loc, shifted, spread(logarithm, input)));
  }
  // One division for each row, not for each element.
  Value number =
      arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(1));
  Value one = FillOp::create(builder, loc, reducedType, number,
                             getRunTimeSizes(builder, loc, sum));
  Value reciprocal = DivOp::create(builder, loc, one, sum);
  if (MatmulOp product = findWeightedSum(op->getResult(0), dim)) {
    // One multiplication for each element of the product, as in PyTorch's
    // attention, not for each weight.
    replaceBy(builder, op, powers);
    builder.setInsertionPointAfter(product);
    auto scaled =
        MulOp::create(builder, loc, product, spread(reciprocal, product));
    product.getResult().replaceAllUsesExcept(scaled, scaled);
    return;
  }
  replaceBy(builder, op,
            MulOp::create(builder, loc, powers, spread(reciprocal, input)));
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
