//===- Binary.cpp - gradient rules of arithmetic and choice ---------------===//
//
// Operands have equal types, so nothing is reduced here: a broadcast operand
// comes from a td.broadcast, and the rule of that op reduces.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"

using namespace mlir;

namespace tdc::td {

SmallVector<Value> AddOp::buildVJP(OpBuilder &, ArrayRef<Value> cotangents) {
  return {cotangents[0], cotangents[0]};
}

SmallVector<Value> SubOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {cotangents[0], b.neg(cotangents[0])};
}

SmallVector<Value> MulOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  // The gradient of a square: the cotangent, which often is a constant, is
  // doubled first.
  if (getLhs() == getRhs())
    return {b.mul(b.add(cotangents[0], cotangents[0]), getLhs()), Value()};
  return {b.mul(cotangents[0], getRhs()), b.mul(cotangents[0], getLhs())};
}

SmallVector<Value> DivOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  // d(a/b)/db = -(a/b)/b: dividing twice cannot overflow where b² would.
  TensorBuilder b(builder, getLoc());
  Value slope = b.div(getResult(), getRhs());
  return {b.div(cotangents[0], getRhs()), b.neg(b.mul(cotangents[0], slope))};
}

SmallVector<Value> ModOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  // a - b * floor(a / b), where the floor is a step function.
  TensorBuilder b(builder, getLoc());
  Value quotient = b.make<FloorDivOp>(getLhs(), getRhs());
  return {cotangents[0], b.neg(b.mul(cotangents[0], quotient))};
}

SmallVector<Value> PowOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  // Two edge cases, both as in PyTorch. x⁰ is constant even at x = 0, where
  // 0 * 0⁻¹ would be NaN. And 0ⁿ with n >= 0 does not change with n, where
  // 0ⁿ * log 0 would be NaN.
  TensorBuilder b(builder, getLoc());
  Value x = getLhs(), n = getRhs(), zero = b.zeros(getResult());
  Value less = b.make<PowOp>(x, b.sub(n, b.full(1.0, n)));
  Value dx = b.mul(cotangents[0], b.mul(n, less));
  Value constant = b.compare(ComparePredicate::EQ, n, zero);
  Value dn = b.mul(cotangents[0], b.mul(getResult(), b.make<LogOp>(x)));
  Value flat = b.make<AndOp>(b.compare(ComparePredicate::EQ, x, zero),
                             b.compare(ComparePredicate::GE, n, zero));
  return {b.select(constant, zero, dx), b.select(flat, zero, dn)};
}

/// Where the operands are equal, each gets half; elsewhere the one that is not
/// the result gets nothing. Comparisons with NaN are false, so a NaN lets the
/// gradient through.
static SmallVector<Value> shareBetween(TensorBuilder b, Value cotangent,
                                       Value lhs, Value rhs,
                                       ComparePredicate lhsLost,
                                       ComparePredicate rhsLost) {
  Value zero = b.zeros(lhs);
  Value half = b.mul(cotangent, b.full(0.5, cotangent));
  Value tie = b.compare(ComparePredicate::EQ, lhs, rhs);
  Value share = b.select(tie, half, cotangent);
  return {b.select(b.compare(lhsLost, lhs, rhs), zero, share),
          b.select(b.compare(rhsLost, lhs, rhs), zero, share)};
}

SmallVector<Value> MaxOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  return shareBetween(TensorBuilder(builder, getLoc()), cotangents[0], getLhs(),
                      getRhs(), ComparePredicate::LT, ComparePredicate::GT);
}

SmallVector<Value> MinOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents) {
  return shareBetween(TensorBuilder(builder, getLoc()), cotangents[0], getLhs(),
                      getRhs(), ComparePredicate::GT, ComparePredicate::LT);
}

SmallVector<Value> SelectOp::buildVJP(OpBuilder &builder,
                                      ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value zero = b.zeros(getResult());
  return {Value(), b.select(getCondition(), cotangents[0], zero),
          b.select(getCondition(), zero, cotangents[0])};
}

SmallVector<Value> Atan2Op::buildVJP(OpBuilder &builder,
                                     ArrayRef<Value> cotangents) {
  // x / (x² + y²) for y and -y / (x² + y²) for x; 0 at the origin, as in
  // PyTorch.
  TensorBuilder b(builder, getLoc());
  Value y = getLhs(), x = getRhs();
  Value square = b.add(b.mul(y, y), b.mul(x, x));
  Value zero = b.zeros(x);
  Value share = b.select(b.compare(ComparePredicate::EQ, square, zero), zero,
                         b.div(cotangents[0], square));
  return {b.mul(share, x), b.neg(b.mul(share, y))};
}

SmallVector<Value> CopysignOp::buildVJP(OpBuilder &builder,
                                        ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  Value x = getLhs(), zero = b.zeros(x);
  Value slope = b.select(b.compare(ComparePredicate::EQ, x, zero), zero,
                         b.div(getResult(), x));
  return {b.mul(cotangents[0], slope), b.zeros(getRhs())};
}

} // namespace tdc::td
