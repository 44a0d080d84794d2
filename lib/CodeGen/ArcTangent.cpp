//===- ArcTangent.cpp - atan and atan2 ------------------------------------===//
//
// The angle of a point of the first octant by one division and a polynomial;
// reflections give the other octants. A multiple of pi / 4 is added in two
// parts, the first with zeros at the end so that its multiples are exact.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/MathBuilder.h"
#include "CodeGen/VectorMath.h"
#include <cmath>

using namespace mlir;

namespace tdc {

namespace {
/// `count` pi / 4 + rest.
struct Angle {
  Value count, rest;
};
} // namespace

/// The angle of the point (`longer`, `shorter`), 0 <= shorter <= longer.
static Angle emitFirstOctant(MathBuilder &m, Value longer, Value shorter) {
  // The differences of numbers within a factor of 2 are exact.
  Value isUpper = m.compare(arith::CmpFPredicate::OGT, shorter,
                            m.mul(longer, m.constant(0.5)));
  Value dividend = m.select(isUpper, m.sub(shorter, longer), shorter);
  Value divisor = m.select(isUpper, m.add(shorter, longer), longer);
  Value r = m.div(dividend, divisor);
  Value square = m.mul(r, r);
  // (atan(r)/r - 1) / r² for |r| <= 1/2: own Remez fits, relative errors of
  // atan 2^-31.9 and 2^-62.0.
  Value p =
      m.isF32
          ? m.polynomial(square, {-0x1.555552p-2, 0x1.9996eep-3, -0x1.244accp-3,
                                  0x1.c02486p-4, -0x1.4706fcp-4, 0x1.3d3896p-5})
          : m.polynomial(square, {-0x1.5555555555552p-2, 0x1.9999999999020p-3,
                                  -0x1.2492492450060p-3, 0x1.c71c71a9df73fp-4,
                                  -0x1.745d137533833p-4, 0x1.3b135f0e58099p-4,
                                  -0x1.110c5f6158061p-4, 0x1.e181ccd7211e2p-5,
                                  -0x1.ac6d4721b6500p-5, 0x1.77e91124f0be1p-5,
                                  -0x1.2ff18d58a85eap-5, 0x1.8334134425952p-6,
                                  -0x1.11b2131ac5c67p-7});
  return {m.select(isUpper, m.constant(1), m.constant(0)),
          m.fma(m.mul(r, square), p, r)};
}

/// Minus the angle, plus `eighths` pi / 4, where `condition` holds.
static Angle reflect(MathBuilder &m, Angle angle, Value condition,
                     double eighths) {
  Value count = m.sub(m.constant(eighths), angle.count);
  return {m.select(condition, count, angle.count),
          m.select(condition, m.neg(angle.rest), angle.rest)};
}

static Value emitSum(MathBuilder &m, Angle angle) {
  Value high = m.constant(m.isF32 ? 0x1.921fbp-1 : 0x1.921fb54442d18p-1);
  Value low = m.constant(m.isF32 ? 0x1.5110b4p-23 : 0x1.1a62633145c07p-55);
  return m.fma(angle.count, high, m.fma(angle.count, low, angle.rest));
}

Value emitAtan(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Value size = m.abs(x), one = m.constant(1);
  Value isSteep = m.compare(arith::CmpFPredicate::OGT, size, one);
  Angle angle = emitFirstOctant(m, m.select(isSteep, size, one),
                                m.select(isSteep, one, size));
  return m.copySign(emitSum(m, reflect(m, angle, isSteep, 2)), x);
}

Value emitAtan2(OpBuilder &builder, Location loc, Value y, Value x) {
  MathBuilder m(builder, loc, x);
  Value width = m.abs(x), height = m.abs(y);
  Value isSteep = m.compare(arith::CmpFPredicate::OGT, height, width);
  Value longer = m.select(isSteep, height, width);
  Value shorter = m.select(isSteep, width, height);
  // Only the quotient counts: two infinities are as two ones, two zeros as 0
  // and 1, large numbers are made smaller so that their sum is finite, and
  // small ones larger so that their difference is no denormal.
  Value isLarge =
      m.compare(arith::CmpFPredicate::OGT, longer, m.constant(0x1p100));
  Value isSmall =
      m.compare(arith::CmpFPredicate::OLT, longer, m.constant(0x1p-60));
  Value scale = m.select(isLarge, m.constant(0.25),
                         m.select(isSmall, m.constant(0x1p60), m.constant(1)));
  Value areInfinite =
      m.compare(arith::CmpFPredicate::OEQ, shorter, m.constant(INFINITY));
  Value areZero = m.compare(arith::CmpFPredicate::OEQ, longer, m.constant(0));
  longer = m.select(m.either(areInfinite, areZero), m.constant(1),
                    m.mul(longer, scale));
  shorter = m.select(areInfinite, m.constant(1), m.mul(shorter, scale));
  Angle angle = emitFirstOctant(m, longer, shorter);
  angle = reflect(m, angle, isSteep, 2);
  // Left of the y axis; -0 is there, too.
  Value isLeft =
      m.icompare(arith::CmpIPredicate::slt, m.toBits(x), m.integer(0));
  angle = reflect(m, angle, isLeft, 4);
  Value result = m.copySign(emitSum(m, angle), y);
  Value isNaN = m.compare(arith::CmpFPredicate::UNO, x, y);
  return m.select(isNaN, m.constant(NAN), result);
}

} // namespace tdc
