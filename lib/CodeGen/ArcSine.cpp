//===- ArcSine.cpp - asin and acos ----------------------------------------===//
//
// Near zero s + s^3 p(s²) with s = x. For larger |x|, asin(|x|) is pi / 2 - 2
// asin(s) with s = sqrt((1 - |x|) / 2), by the same polynomial.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/MathBuilder.h"
#include "CodeGen/VectorMath.h"

using namespace mlir;

namespace tdc {

namespace {
struct ArcSine {
  Value isFar;
  Value s, square;
  Value p; ///< (asin(s) / s - 1) / s²
};
} // namespace

/// `bound` is where s changes, from 0.5 to 0.55.
static ArcSine reduceArcSine(OpBuilder &builder, Location loc, Value x,
                             double bound) {
  MathBuilder m(builder, loc, x);
  Value size = m.abs(x);
  Value isFar = m.compare(arith::CmpFPredicate::OGT, size, m.constant(bound));
  Value half = m.fma(size, m.constant(-0.5), m.constant(0.5));
  Value square = m.select(isFar, half, m.mul(x, x));
  Value s = m.select(isFar, emitSqrt(builder, loc, half), size);
  // Own Remez fits for |s| <= 0.55, relative errors of asin 2^-25.7 and
  // 2^-59.0.
  Value p =
      m.isF32
          ? m.polynomial(square, {0x1.5556b8p-3, 0x1.32b6a2p-4, 0x1.7bba3ap-5,
                                  0x1.46cebap-6, 0x1.923c20p-5})
          : m.polynomial(square, {0x1.555555555551bp-3, 0x1.333333333b99ep-4,
                                  0x1.6db6db66f0a65p-5, 0x1.f1c71f337e6b7p-6,
                                  0x1.6e8b4df4bf256p-6, 0x1.1c555e5dbb8dfp-6,
                                  0x1.c8e745fb49886p-7, 0x1.811e51fcb8699p-7,
                                  0x1.1398fadc59974p-7, 0x1.e658a6dcfc278p-7,
                                  -0x1.d32ed2557b979p-7, 0x1.c2e9f9ab50007p-5,
                                  -0x1.fd47b305f3cc4p-5, 0x1.b0d00435afd54p-5});
  return {isFar, s, square, p};
}

// pi / 2 in two parts, rounded to nearest.
static Value halfPi(MathBuilder &m) {
  return m.constant(m.isF32 ? 0x1.921fb6p+0 : 0x1.921fb54442d18p+0);
}
static double halfPiLow(MathBuilder &m) {
  return m.isF32 ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54;
}

Value emitAsin(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  // Above cos(1), asin(s) is below 1/2: its last digit is that of s.
  ArcSine arc = reduceArcSine(builder, loc, x, /*bound=*/0.55);
  // The low part of pi / 2 is subtracted from asin(s), whose last digit is
  // smaller than that of the result.
  Value low =
      m.select(arc.isFar, m.constant(-0.5 * halfPiLow(m)), m.constant(0));
  Value angle = m.add(arc.s, m.fma(m.mul(arc.s, arc.square), arc.p, low));
  Value far = m.fma(m.constant(-2), angle, halfPi(m));
  return m.copySign(m.select(arc.isFar, far, angle), x);
}

/// Near zero pi / 2 - asin(x); otherwise 2 asin(s), or pi minus that below 0.
Value emitAcos(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  // Below sin(pi / 2 - 1) the result is above 1, whose digits pi / 2 has.
  ArcSine arc = reduceArcSine(builder, loc, x, /*bound=*/0.5);
  Value isNegative = m.compare(arith::CmpFPredicate::OLT, x, m.constant(0));
  // The multiple of pi / 2.
  Value count =
      m.select(arc.isFar, m.select(isNegative, m.constant(2), m.constant(0)),
               m.constant(1));
  Value s = m.select(arc.isFar, m.copySign(m.add(arc.s, arc.s), x), m.neg(x));
  Value low = m.fma(m.mul(s, arc.square), arc.p,
                    m.mul(count, m.constant(halfPiLow(m))));
  return m.add(m.fma(count, halfPi(m), s), low);
}

} // namespace tdc
