//===- Reductions.cpp - gradient rules of reductions and products ---------===//
//
// The gradient of a reduction is an expansion; the gradient of a matrix product
// is two products.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"
#include <cmath>

using namespace mlir;

namespace tdc::td {

/// d prod / d x_i is the product of the others. Dividing the product by x_i
/// fails at zeros, so zeros are left out of the product and counted: with
/// another zero x_i gets 0, or NaN if that zero meets an infinity or a NaN.
/// (Second derivatives between two elements of which one is exactly zero are
/// lost.)
static Value productGradient(TensorBuilder b, Value cotangent, Value x,
                             ArrayRef<int64_t> dims) {
  Value zero = b.zeros(x);
  auto isAmongOthers = [&](Value mask) {
    Value here = b.cast(mask, tensorType(x).getElementType());
    Value all = b.expand(b.reduce(ReduceKind::Sum, here, dims), x, dims);
    return b.compare(ComparePredicate::NE, b.sub(all, here), zero);
  };
  Value isZero = b.compare(ComparePredicate::EQ, x, zero);
  Value isNotFinite = b.compare(ComparePredicate::NE, b.sub(x, x), zero);
  Value safe = b.select(isZero, b.full(1.0, x), x);
  Value product = b.expand(b.reduce(ReduceKind::Prod, safe, dims), x, dims);
  Value others = b.div(product, safe);
  Value meetsZero = isAmongOthers(isZero);
  Value meetsNotFinite = isAmongOthers(isNotFinite);
  Value atZero = b.select(meetsNotFinite, b.full(NAN, x), zero);
  return b.mul(cotangent, b.select(meetsZero, atZero, others));
}

/// Gives equal shares to all elements that equal the extremum. With a NaN in
/// the row no element equals the result, and 0 / 0 is NaN.
static Value extremumGradient(TensorBuilder b, Value cotangent, Value x,
                              Value extremum, ArrayRef<int64_t> dims) {
  Value won = b.compare(ComparePredicate::EQ, x, b.expand(extremum, x, dims));
  Value one = b.cast(won, tensorType(x).getElementType());
  Value winners = b.expand(b.reduce(ReduceKind::Sum, one, dims), x, dims);
  return b.div(b.select(won, cotangent, b.zeros(x)), winners);
}

SmallVector<Value> ReduceOp::buildVJP(OpBuilder &builder,
                                      ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value x = getInput();
  Value cotangent = b.expand(cotangents[0], x, getDims());
  if (getFirst()) {
    RankedTensorType type = getType();
    Value index = b.make<ArgReduceOp>(type.clone(builder.getI64Type()),
                                      getKind(), x, getDims());
    Value won = b.compare(ComparePredicate::EQ, b.numbersAlong(x, getDims()),
                          b.expand(index, x, getDims()));
    return {b.select(won, cotangent, b.zeros(x))};
  }
  switch (getKind()) {
  case ReduceKind::Sum:
    return {cotangent};
  case ReduceKind::Prod:
    return {productGradient(b, cotangent, x, getDims())};
  case ReduceKind::Max:
  case ReduceKind::Min:
    return {extremumGradient(b, cotangent, x, getResult(), getDims())};
  case ReduceKind::Any:
  case ReduceKind::All:
    break; // on bool: nothing flows
  }
  return {Value()};
}

SmallVector<Value> MatmulOp::buildVJP(OpBuilder &builder,
                                      ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value g = cotangents[0];
  return {b.make<MatmulOp>(getLhs().getType(), g, b.transpose(getRhs())),
          b.make<MatmulOp>(getRhs().getType(), b.transpose(getLhs()), g)};
}

SmallVector<Value> LogSumExpOp::buildVJP(OpBuilder &builder,
                                         ArrayRef<Value> cotangents) {
  // g * exp(x - y); a result that was rounded is computed again.
  TensorBuilder b(builder, getLoc());
  Value x = getInput(), y = getResult();
  Type element = getType().getElementType();
  if (isNarrowFloat(element)) {
    x = b.cast(x, builder.getF32Type());
    y = b.make<LogSumExpOp>(getType().clone(builder.getF32Type()), x,
                            getDims());
  }
  Value shares = b.make<ExpOp>(b.sub(x, b.expand(y, x, getDims())));
  return {b.mul(b.expand(cotangents[0], getInput(), getDims()),
                b.cast(shares, element))};
}

SmallVector<Value> SoftmaxOp::buildVJP(OpBuilder &builder,
                                       ArrayRef<Value> cotangents) {
  // y * (g - Σ g y)
  TensorBuilder b(builder, getLoc());
  Value y = getResult(), weighted = b.mul(cotangents[0], y);
  int64_t dim = getDim();
  Value total = b.expand(b.reduce(ReduceKind::Sum, weighted, dim), y, dim);
  return {b.sub(weighted, b.mul(y, total))};
}

SmallVector<Value> LogSoftmaxOp::buildVJP(OpBuilder &builder,
                                          ArrayRef<Value> cotangents) {
  // g - softmax(x) * Σ g
  TensorBuilder b(builder, getLoc());
  Value y = getResult();
  int64_t dim = getDim();
  Value total = b.expand(b.reduce(ReduceKind::Sum, cotangents[0], dim), y, dim);
  return {b.sub(cotangents[0], b.mul(b.make<ExpOp>(y), total))};
}

} // namespace tdc::td
