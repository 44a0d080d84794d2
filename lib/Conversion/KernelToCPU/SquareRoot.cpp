//===- SquareRoot.cpp - square roots beside the divider -------------------===//
//
// Square roots and divisions share one unit, which takes about ten cycles for a
// vector of 512 bits and each of them. An optimizer's step asks it for both;
// with the root made of multiplications, which other units do, the two run side
// by side.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"
#include "VectorMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tdc {

/// For anything shorter the processor's own root is as fast.
static bool isLongVector(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getElementType().isF32() &&
         vector.getNumElements() >= 16;
}

/// The root of numbers from 0 to the largest, correctly rounded from 2^-102 on.
static Value emitRootOfPositive(MathBuilder &m, Value x, Value bits) {
  // 1 / sqrt(x) to 3 %, by halving the exponent, and to 5e-6 by two steps of
  // Newton's (C. Lomont, "Fast Inverse Square Root", 2003).
  Value y = m.fromBits(m.isub(m.integer(0x5f375a86), m.shiftRight(bits, 1)));
  Value half = m.constant(0.5), halfX = m.mul(half, x);
  for (int step = 0; step < 2; ++step) {
    Value t = m.mul(halfX, y);
    y = m.mul(y, m.fma(m.neg(t), y, m.constant(1.5)));
  }
  // sqrt(x) and 1 / (2 sqrt(x)) together, by a step of Goldschmidt's, and the
  // root once more by what its square lacks (P. Markstein, "Software Division
  // and Square Root Using Goldschmidt's Algorithms", 2004).
  Value root = m.mul(x, y), inverse = m.mul(half, y);
  Value error = m.fma(m.neg(root), inverse, half);
  root = m.fma(root, error, root);
  inverse = m.fma(inverse, error, inverse);
  return m.fma(m.fma(m.neg(root), root, x), inverse, root);
}

Value emitSqrt(OpBuilder &builder, Location loc, Value x) {
  if (!isLongVector(x.getType()))
    return math::SqrtOp::create(builder, loc, x);
  MathBuilder m(builder, loc, x);
  Value bits = m.toBits(x);
  // As unsigned numbers, infinity, NaN and all negative numbers come behind.
  Value isOrdinary =
      m.icompare(arith::CmpIPredicate::ult, bits, m.integer(0x7f800000));
  Value all = vector::ReductionOp::create(
      builder, loc, vector::CombiningKind::AND, isOrdinary);
  auto branch = scf::IfOp::create(
      builder, loc, all,
      [&](OpBuilder &inner, Location) {
        MathBuilder ordinary(inner, loc, x);
        scf::YieldOp::create(inner, loc, emitRootOfPositive(ordinary, x, bits));
      },
      [&](OpBuilder &inner, Location) {
        Value root = math::SqrtOp::create(inner, loc, x);
        scf::YieldOp::create(inner, loc, root);
      });
  return branch.getResult(0);
}

} // namespace tdc
