//===- Scans.cpp - gradient rules of scans --------------------------------===//
//
// An element of the input is a term of every result from its own position on,
// so its gradient is a sum from the end of the dim.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"

using namespace mlir;

namespace tdc::td {

namespace {

class ScanGradient {
public:
  ScanGradient(TensorBuilder b, int64_t dim) : b(b), dim(dim) {}

  Value ofProducts(Value cotangent, Value x, Value products);
  Value sumFromEnd(Value x) {
    return b.flip(scan(ReduceKind::Sum, b.flip(x, dim)), dim);
  }

private:
  Value scan(ReduceKind kind, Value x) {
    return b.make<ScanOp>(x.getType(), kind, x, dim);
  }

  TensorBuilder b;
  int64_t dim;
};

} // namespace

/// With y_k = x_0 * … * x_k, d y_k / d x_i = y_k / x_i for i <= k. If x_i is
/// the first zero, y_k / x_i is replaced by the product without x_i, which is 0
/// from the next zero on. For every later i the derivative is 0. (Mixed second
/// derivatives with respect to the first zero and a later element are lost.)
Value ScanGradient::ofProducts(Value cotangent, Value x, Value products) {
  Value zero = b.zeros(x), one = b.full(1.0, x);
  Value isZero = b.compare(ComparePredicate::EQ, x, zero);
  Value zeros = scan(ReduceKind::Sum,
                     b.cast(isZero, IntegerType::get(x.getContext(), 64)));
  Value none = b.zeros(zeros);
  Value isBefore = b.compare(ComparePredicate::EQ, zeros, none);
  Value isFirst = b.make<AndOp>(
      isZero, b.compare(ComparePredicate::EQ, zeros, b.full(1.0, zeros)));
  Value before =
      b.div(sumFromEnd(b.mul(cotangent, products)), b.select(isBefore, x, one));
  Value others = scan(ReduceKind::Prod, b.select(isFirst, one, x));
  Value first = sumFromEnd(b.select(isBefore, zero, b.mul(cotangent, others)));
  return b.select(isBefore, before, b.select(isFirst, first, zero));
}

SmallVector<Value> ScanOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  ScanGradient gradient(TensorBuilder(builder, getLoc()), getDim());
  if (getKind() == ReduceKind::Sum)
    return {gradient.sumFromEnd(cotangents[0])};
  return {gradient.ofProducts(cotangents[0], getInput(), getResult())};
}

} // namespace tdc::td
