//===- Unary.cpp - gradient rules of one-operand elementwise ops ----------===//
//
// Each rule uses the op's result where the derivative is known from it (exp,
// tanh, relu …): the result is live anyway, so the operand can die earlier. The
// forms are PyTorch's, so that edge cases agree with it.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"
#include <cmath>

using namespace mlir;

namespace tdc::td {

SmallVector<Value> NegOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.neg(cotangents[0])};
}

SmallVector<Value> AbsOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.mul(cotangents[0], b.make<SignOp>(getInput()))};
}

// Step functions have derivative 0 wherever they have one: nothing flows.

SmallVector<Value> SignOp::buildVJP(OpBuilder &, ArrayRef<Value>) {
  return {Value()};
}

SmallVector<Value> FloorOp::buildVJP(OpBuilder &, ArrayRef<Value>) {
  return {Value()};
}

SmallVector<Value> CeilOp::buildVJP(OpBuilder &, ArrayRef<Value>) {
  return {Value()};
}

SmallVector<Value> TruncOp::buildVJP(OpBuilder &, ArrayRef<Value>) {
  return {Value()};
}

SmallVector<Value> RoundOp::buildVJP(OpBuilder &, ArrayRef<Value>) {
  return {Value()};
}

SmallVector<Value> ExpOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.mul(cotangents[0], getResult())};
}

SmallVector<Value> Expm1Op::buildVJP(OpBuilder &builder,
                                     ArrayRef<Value> cotangents) {
  // The result + 1 has lost the digits of exp(x) where that is small.
  TensorBuilder b(builder, getLoc());
  return {b.mul(cotangents[0], b.make<ExpOp>(getInput()))};
}

SmallVector<Value> LogOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.div(cotangents[0], getInput())};
}

SmallVector<Value> Log1pOp::buildVJP(OpBuilder &builder,
                                     ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.div(cotangents[0], b.add(getInput(), b.full(1.0, getInput())))};
}

SmallVector<Value> SqrtOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.div(cotangents[0], b.mul(getResult(), b.full(2.0, getResult())))};
}

SmallVector<Value> RsqrtOp::buildVJP(OpBuilder &builder,
                                     ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value y = getResult();
  Value cube = b.mul(b.mul(y, y), y);
  return {b.mul(b.mul(cotangents[0], b.full(-0.5, y)), cube)};
}

SmallVector<Value> SinOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.mul(cotangents[0], b.make<CosOp>(getInput()))};
}

SmallVector<Value> CosOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.neg(b.mul(cotangents[0], b.make<SinOp>(getInput())))};
}

SmallVector<Value> TanOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value y = getResult();
  return {b.mul(cotangents[0], b.add(b.mul(y, y), b.full(1.0, y)))};
}

/// 1 / sqrt(1 - x²), where rounding x² near 1 would leave few digits.
static Value arcSlope(TensorBuilder &b, Value x) {
  Value one = b.full(1.0, x);
  return b.make<RsqrtOp>(b.mul(b.sub(one, x), b.add(one, x)));
}

SmallVector<Value> AsinOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.mul(cotangents[0], arcSlope(b, getInput()))};
}

SmallVector<Value> AcosOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.neg(b.mul(cotangents[0], arcSlope(b, getInput())))};
}

SmallVector<Value> AtanOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value x = getInput();
  return {b.div(cotangents[0], b.add(b.mul(x, x), b.full(1.0, x)))};
}

SmallVector<Value> SinhOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.mul(cotangents[0], b.make<CoshOp>(getInput()))};
}

SmallVector<Value> CoshOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.mul(cotangents[0], b.make<SinhOp>(getInput()))};
}

SmallVector<Value> TanhOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value y = getResult(), one = b.full(1.0, y);
  // 1 - y², where rounding y² near 1 would leave few digits.
  Value slope = b.mul(b.sub(one, y), b.add(one, y));
  return {b.mul(cotangents[0], slope)};
}

SmallVector<Value> AcoshOp::buildVJP(OpBuilder &builder,
                                     ArrayRef<Value> cotangents) {
  // 1 / sqrt(x² - 1), where rounding x² near 1 would leave few digits, and a
  // large square is infinite.
  TensorBuilder b(builder, getLoc());
  Value x = getInput(), one = b.full(1.0, x);
  Value root =
      b.mul(b.make<SqrtOp>(b.sub(x, one)), b.make<SqrtOp>(b.add(x, one)));
  return {b.div(cotangents[0], root)};
}

SmallVector<Value> ErfOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  // erf'(x) = 2 / sqrt(pi) * exp(-x²)
  TensorBuilder b(builder, getLoc());
  Value x = getInput();
  Value bell = b.make<ExpOp>(b.neg(b.mul(x, x)));
  Value factor = b.full(2.0 / std::sqrt(std::acos(-1.0)), x);
  return {b.mul(cotangents[0], b.mul(bell, factor))};
}

SmallVector<Value> SigmoidOp::buildVJP(OpBuilder &builder,
                                       ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value y = getResult();
  Value slope = b.mul(b.sub(b.full(1.0, y), y), y);
  return {b.mul(cotangents[0], slope)};
}

SmallVector<Value> ReluOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  // `y <= 0` rather than `y > 0`: a NaN lets the gradient through.
  TensorBuilder b(builder, getLoc());
  Value zero = b.zeros(getResult());
  Value off = b.compare(ComparePredicate::LE, getResult(), zero);
  return {b.select(off, zero, cotangents[0])};
}

} // namespace tdc::td
