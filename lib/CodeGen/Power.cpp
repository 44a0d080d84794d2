//===- Power.cpp - x to the y ---------------------------------------------===//
//
// The magnitude is exp(y log|x|). For f32 it is computed in f64 with plain
// series. For f64, log|x| and its product with y are sums of two doubles:
// rounding a product near 700 alone would spoil the result's last ten bits.
// Sign and special cases follow IEEE 754-2019, 9.2.1.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/VectorMath.h"
#include "ExpLog.h"
#include <cmath>

using namespace mlir;
using FP = mlir::arith::CmpFPredicate;

namespace tdc {

/// x^y in f64, for x >= 0 that were f32 and |y| <= FLT_MAX; NaN for 0 times
/// infinity. Accurate enough to round to f32.
static Value powOfWidened(MathBuilder &m, Value x, Value y) {
  Logarithmand parts = emitSplit(m, x);
  Value f = m.sub(parts.mantissa, m.constant(1));
  // log2(1 + f) / f: own Remez fit, relative error 2^-33.1.
  Value p = m.polynomial(
      f, {0x1.71547652ef987p+0, -0x1.7154767baedcbp-1, 0x1.ec709c00d174cp-2,
          -0x1.715435eb48df5p-2, 0x1.277732d88c417p-2, -0x1.ec8d740385e91p-3,
          0x1.a615c92e0acbbp-3, -0x1.6eb022fe8faafp-3, 0x1.45a274b69e210p-3,
          -0x1.417fc967af878p-3, 0x1.3d27712d0629cp-3, -0x1.61b27f12c5374p-4});
  Value log2 = emitLogLimits(m, x, m.fma(f, p, parts.exponent));
  Value t = m.clamp(m.mul(y, log2), -200, 200);
  // The bias in the magic number makes the sum's low bits an exponent field.
  Value magic = m.constant(0x1.8p52 + 1023);
  Value shifted = m.add(t, magic);
  Value r = m.sub(t, m.sub(shifted, magic));
  // (2^r - 1) / r: own Remez fit, relative error of 2^r 2^-32.0.
  Value q = m.polynomial(r, {0x1.62e4300c19770p-1, 0x1.ebfbe046a63bcp-3,
                             0x1.c6b05440c4315p-5, 0x1.3b2a1a56a0b0ep-7,
                             0x1.5dc10f194d056p-10, 0x1.44412780f1f33p-13,
                             0x1.bf91d9331df5dp-17});
  Value scale = m.fromBits(m.shiftLeft(m.toBits(shifted), 52));
  return m.mul(m.fma(q, r, m.constant(1)), scale);
}

namespace {
/// The unevaluated sum of two doubles, |low| <= ulp(high).
struct Double2 {
  Value high, low;
};
} // namespace

/// a + b where |a| >= |b| or a = 0 (Dekker, "A floating-point technique for
/// extending the available precision", 1971).
static Double2 addOrdered(MathBuilder &m, Value a, Value b) {
  Value sum = m.add(a, b);
  return {sum, m.add(m.sub(a, sum), b)};
}

/// a * b to about 2^-104.
static Double2 multiply(MathBuilder &m, Double2 a, Double2 b) {
  Value high = m.mul(a.high, b.high);
  Value low = m.fma(a.high, b.high, m.neg(high));
  return {high, m.fma(a.low, b.high, m.fma(a.high, b.low, low))};
}

/// log(x) to about 2^-64 for f64 x >= 0; for 0, infinity and NaN `low` is
/// unspecified. log(2^k v) = k ln 2 + 2 atanh(s) with s = (v - 1) / (v + 1),
/// and 2 atanh(s) = 2 s (1 + z (1/3 + z q(z))) with z = s².
static Double2 logOfDouble(MathBuilder &m, Value x) {
  Value isTiny = m.compare(FP::OLT, x, m.constant(0x1p-1022));
  Value normal = m.select(isTiny, m.mul(x, m.constant(0x1p54)), x);
  Logarithmand parts = emitSplit(m, normal);
  Value k =
      m.sub(parts.exponent, m.select(isTiny, m.constant(54), m.constant(0)));

  Value one = m.constant(1);
  Value f = m.sub(parts.mantissa, one);
  Value d = m.add(parts.mantissa, one);
  Value dLow = m.sub(parts.mantissa, m.sub(d, one));
  Value inverse = m.div(one, d);
  Double2 s;
  s.high = m.mul(f, inverse);
  Value rest = m.fma(m.neg(s.high), d, f);
  s.low = m.mul(m.fma(m.neg(s.high), dLow, rest), inverse);

  Double2 z = multiply(m, s, s);
  // Own Remez fit, relative error of atanh 2^-73.5.
  Value q = m.polynomial(z.high, {0x1.9999999999996p-3, 0x1.2492492492f51p-3,
                                  0x1.c71c71c5968f9p-4, 0x1.745d18295672dp-4,
                                  0x1.3b1364c956ca6p-4, 0x1.11206f2a6546fp-4,
                                  0x1.de3d7172ab198p-5, 0x1.eac5b499187b0p-5});
  Double2 third =
      addOrdered(m, m.constant(0x1.5555555555555p-2), m.mul(q, z.high));
  third.low = m.add(third.low, m.constant(0x1.5555555555555p-56));
  Double2 twice = {m.add(s.high, s.high), m.add(s.low, s.low)};
  Double2 tail = multiply(m, twice, multiply(m, z, third));

  // The upper part of ln 2 ends in zeros, so that k times it is exact.
  Double2 sum = addOrdered(m, m.mul(k, m.constant(6.93147180369123816490e-01)),
                           twice.high);
  Double2 withTail = addOrdered(m, sum.high, tail.high);
  Value low = m.fma(k, m.constant(1.90821492927058770002e-10),
                    m.add(twice.low, tail.low));
  low = m.add(low, m.add(sum.low, withTail.low));
  return addOrdered(m, withTail.high, low);
}

/// x^y for f64 x >= 0 and |y| <= 2^80; NaN for 0 times infinity.
static Value powOfDouble(MathBuilder &m, Value x, Value y) {
  Double2 logarithm = logOfDouble(m, x);
  logarithm.high = emitLogLimits(m, x, logarithm.high);
  Value t = m.mul(y, logarithm.high);
  Value low = m.fma(y, logarithm.high, m.neg(t));
  low = m.fma(y, logarithm.low, low);
  // If the result is 0 or infinity, the part below t does not matter; it may be
  // large or NaN.
  Value isInRange = m.compare(FP::OLT, m.abs(t), m.constant(746));
  low = m.select(isInRange, low, m.constant(0));
  return emitExpInRange(m, m.clamp(t, -746, 710), low);
}

/// Whether x is an integer, for x = |x|.
static Value isInteger(MathBuilder &m, Value x) {
  Value magic = m.constant(m.isF32 ? 0x1p23 : 0x1p52);
  Value rounded = m.sub(m.add(x, magic), magic);
  return m.either(m.compare(FP::OGE, x, magic), m.compare(FP::OEQ, rounded, x));
}

Value emitPow(OpBuilder &builder, Location loc, Value x, Value y) {
  MathBuilder m(builder, loc, x);
  Value magnitude;
  if (m.isF32) {
    // Bounds y: an infinite y times log 1 would be NaN.
    Value bounded = m.clamp(y, -0x1.fffffep127, 0x1.fffffep127);
    Value wide = m.extend(m.abs(x));
    MathBuilder w(builder, loc, wide);
    magnitude = m.truncate(powOfWidened(w, wide, m.extend(bounded)));
  } else {
    // 2^80 times the least logarithm overflows already.
    magnitude = powOfDouble(m, m.abs(x), m.clamp(y, -0x1p80, 0x1p80));
  }

  Value absY = m.abs(y);
  Value isIntegral = isInteger(m, absY);
  Value isEven = isInteger(m, m.mul(absY, m.constant(0.5)));
  Value isOdd = m.both(isIntegral, m.negate(isEven));
  Value zero = m.constant(0), one = m.constant(1);
  Value result = m.select(isOdd, m.copySign(magnitude, x), magnitude);

  Value isNegative = m.both(m.compare(FP::OLT, x, zero),
                            m.compare(FP::OGT, x, m.constant(-INFINITY)));
  Value isUndefined = m.both(isNegative, m.negate(isIntegral));
  result = m.select(isUndefined, m.constant(NAN), result);
  Value isOne =
      m.either(m.compare(FP::OEQ, x, one), m.compare(FP::OEQ, y, zero));
  return m.select(isOne, one, result);
}

} // namespace tdc
