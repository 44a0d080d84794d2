//===- Indexing.cpp - gradient rules of gather and scatter ----------------===//
//
// Gather and a scatter that adds are each other's transpose; an index that
// occurs twice is read twice in the one and added twice in the other.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"

using namespace mlir;

namespace tdc::td {

/// How each scatter reads what it wrote.
static Value gatherFor(TensorBuilder &b, ScatterOp op, Value from) {
  return b.make<GatherOp>(op.getUpdates().getType(), from, op.getIndices(),
                          op.getDim());
}

static Value gatherFor(TensorBuilder &b, ScatterAlongOp op, Value from) {
  return b.make<GatherAlongOp>(op.getUpdates().getType(), from, op.getIndices(),
                               op.getDim());
}

template <typename Scatter>
static Value scatterFor(TensorBuilder &b, Scatter op, Value to, Value updates,
                        ReduceKindAttr combine = {}) {
  return b.make<Scatter>(to, op.getIndices(), updates, op.getDimAttr(),
                         combine);
}

static ReduceKindAttr getSum(MLIRContext *context) {
  return ReduceKindAttr::get(context, ReduceKind::Sum);
}

/// Elements that are equal to the result share its cotangent, as in PyTorch.
template <typename Scatter>
static SmallVector<Value> shareAmongExtremes(TensorBuilder &b, Scatter op,
                                             Value cotangent) {
  Value x = op.getInput(), updates = op.getUpdates(), result = op.getResult();
  Value won = b.select(b.compare(ComparePredicate::EQ, x, result),
                       b.full(1.0, x), b.zeros(x));
  Value updatesWon = b.select(
      b.compare(ComparePredicate::EQ, updates, gatherFor(b, op, result)),
      b.full(1.0, updates), b.zeros(updates));
  Value count = scatterFor(b, op, won, updatesWon, getSum(op.getContext()));
  Value share = b.div(cotangent, count);
  return {b.mul(share, won), Value(),
          b.mul(gatherFor(b, op, share), updatesWon)};
}

template <typename Scatter>
static SmallVector<Value> buildScatterVJP(TensorBuilder b, Scatter op,
                                          Value cotangent) {
  // An element that was replaced has no gradient. An update that a later one
  // replaced has it, too, as in PyTorch.
  if (!op.getCombine())
    return {scatterFor(b, op, cotangent, b.zeros(op.getUpdates())), Value(),
            gatherFor(b, op, cotangent)};
  switch (*op.getCombine()) {
  case ReduceKind::Sum:
    return {cotangent, Value(), gatherFor(b, op, cotangent)};
  case ReduceKind::Max:
  case ReduceKind::Min:
    return shareAmongExtremes(b, op, cotangent);
  case ReduceKind::Prod: {
    // The product without one factor, by a division: NaN where the factor is 0.
    // (PyTorch has no gradient for it.)
    Value all = b.mul(cotangent, op.getResult());
    return {b.div(all, op.getInput()), Value(),
            b.div(gatherFor(b, op, all), op.getUpdates())};
  }
  default:
    llvm_unreachable("bools have no gradient");
  }
}

SmallVector<Value> GatherOp::buildVJP(OpBuilder &builder,
                                      ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.make<ScatterOp>(b.zeros(getInput()), getIndices(), cotangents[0],
                            getDimAttr(), getSum(getContext())),
          Value()};
}

SmallVector<Value> ScatterOp::buildVJP(OpBuilder &builder,
                                       ArrayRef<Value> cotangents) {
  return buildScatterVJP(TensorBuilder(builder, getLoc()), *this,
                         cotangents[0]);
}

Value ScatterOp::addTo(OpBuilder &builder, Value sum) {
  TensorBuilder b(builder, getLoc());
  return getCombine() == ReduceKind::Sum
             ? scatterFor(b, *this, sum, getUpdates(), getCombineAttr())
             : Value();
}

SmallVector<Value> GatherAlongOp::buildVJP(OpBuilder &builder,
                                           ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.make<ScatterAlongOp>(b.zeros(getInput()), getIndices(),
                                 cotangents[0], getDimAttr(),
                                 getSum(getContext())),
          Value()};
}

SmallVector<Value> ScatterAlongOp::buildVJP(OpBuilder &builder,
                                            ArrayRef<Value> cotangents) {
  return buildScatterVJP(TensorBuilder(builder, getLoc()), *this,
                         cotangents[0]);
}

} // namespace tdc::td
