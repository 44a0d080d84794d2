//===- VectorMath.cpp - exponentials and logarithms -----------------------===//
//
// exp, expm1, log, log1p, and the hyperbolic functions and sigmoid by the same
// steps: range reduction by bits, then a polynomial. No value goes through a
// float to integer conversion, which would give poison for NaN; integers are
// taken from the bits of a sum with 1.5 * 2^(mantissa bits) instead.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/VectorMath.h"
#include "ExpLog.h"
#include <cmath>

using namespace mlir;

namespace tdc {

/// 2^(bits - bias), from the low bits of `bits`.
static Value powerOfTwo(MathBuilder &m, Value bits) {
  return m.fromBits(m.shiftLeft(bits, m.mantissaBits));
}

namespace {
/// x = n ln 2 + r with |r| <= ln 2 / 2 and an integral n.
struct Reduced {
  Value n, r;
  Value bits; ///< n plus twice the exponent's bias, in the low bits
};
} // namespace

static Reduced reduceByLn2(MathBuilder &m, Value x) {
  // The sum's unit in the last place is 1, so n is in its low bits.
  Value magic = m.constant((m.isF32 ? 0x1.8p23 : 0x1.8p52) + 2 * m.bias);
  Value shifted = m.fma(x, m.constant(1.4426950408889634), magic);
  Value n = m.sub(shifted, magic);
  // ln 2 in two parts, the first with zeros at the end so that n times it is
  // exact (the splits of Cephes and fdlibm).
  Value high = m.constant(m.isF32 ? -0.693359375 : -6.93147180369123816490e-01);
  Value low = m.constant(m.isF32 ? 2.12194440e-4 : -1.90821492927058770002e-10);
  return {n, m.fma(n, low, m.fma(n, high, x)), m.toBits(shifted)};
}

/// (exp(r) - 1 - r) / r² for |r| <= ln 2 / 2: own Remez fits, errors 2^-26.1
/// and 2^-61.1 of r.
static Value expTail(MathBuilder &m, Value r) {
  if (m.isF32)
    return m.polynomial(
        r, {0.5, 0x1.5554a8p-3, 0x1.555538p-5, 0x1.122e04p-7, 0x1.6cd3e6p-10});
  return m.polynomial(r, {0.5, 0x1.5555555555559p-3, 0x1.5555555555556p-5,
                          0x1.111111110f662p-7, 0x1.6c16c16c159c5p-10,
                          0x1.a01a01afef538p-13, 0x1.a01a01adc03d5p-16,
                          0x1.71ddf8607cf72p-19, 0x1.27e4c3676a875p-22,
                          0x1.af5e7897c4ea6p-26, 0x1.1fa51bf6049cfp-29});
}

Value emitExpInRange(MathBuilder &m, Value x, Value low) {
  Reduced reduced = reduceByLn2(m, x);
  Value r = low ? m.add(reduced.r, low) : reduced.r;
  Value one = m.constant(1);
  return m.scale(m.fma(m.fma(expTail(m, r), r, one), r, one), reduced.n);
}

namespace {
/// exp(x) rounded, and what rounding left of it.
struct Exponential {
  Value value, low;
};
} // namespace

/// x as in `emitExpInRange`.
static Exponential emitExpParts(MathBuilder &m, Value x) {
  Reduced reduced = reduceByLn2(m, x);
  Value r = reduced.r, one = m.constant(1);
  Value slope = m.fma(expTail(m, r), r, one);
  Value value = m.fma(slope, r, one);
  Value low = m.fma(slope, r, m.sub(one, value));
  return {m.scale(value, reduced.n), m.scale(low, reduced.n)};
}

Value emitExp(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  // Outside of the bounds, the result is infinity or 0.
  Value clamped = m.clamp(x, m.isF32 ? -104.0 : -746.0, m.isF32 ? 89.0 : 710.0);
  return emitExpInRange(m, clamped);
}

Value emitExpm1(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Value clamped = m.clamp(x, m.isF32 ? -20.0 : -40.0, m.isF32 ? 89.0 : 710.0);
  Reduced reduced = reduceByLn2(m, clamped);
  Value r = reduced.r;
  Value p = m.fma(m.mul(r, r), expTail(m, r), r); // exp(r) - 1
  // 2^n p + (2^n - 1), halved because 2^n alone may overflow.
  Value half = powerOfTwo(m, m.isub(reduced.bits, m.integer(m.bias + 1)));
  Value y = m.fma(p, half, m.sub(half, m.constant(0.5)));
  // Halving loses a bit of subnormals and the sign of -0.
  Value isTiny = m.compare(arith::CmpFPredicate::OLT, m.abs(x),
                           m.constant(m.isF32 ? 0x1p-30 : 0x1p-60));
  return m.select(isTiny, x, m.add(y, y));
}

namespace {
/// The parts of sinh(x) and cosh(x) for |x| = n ln 2 + r. With S = sinh(r) and
/// C = cosh(r), exp(|x|) is 2^n (C + S) and its inverse 2^-n (C - S).
struct Hyperbolic {
  Value high, low; ///< 2^n / 4 and 2^-n / 4: the halves of the results are
                   ///< finite where the results are infinite
  Value r;
  Value odd, even; ///< S / r - 1 and C - 1
};
} // namespace

static Hyperbolic reduceHyperbolic(MathBuilder &m, Value x) {
  // Above the bound the results are infinite.
  Value bounded = m.min(m.abs(x), m.isF32 ? 89.5 : 710.5);
  Reduced reduced = reduceByLn2(m, bounded);
  Value high = powerOfTwo(m, m.isub(reduced.bits, m.integer(m.bias + 2)));
  Value low = powerOfTwo(m, m.isub(m.integer(3 * m.bias - 2), reduced.bits));
  // The exponent of 2^-n / 4 has an end; such a small number does not count.
  Value isNegligible =
      m.compare(arith::CmpFPredicate::OGT, reduced.n, m.constant(m.bias - 27));
  low = m.select(isNegligible, m.constant(0), low);
  Value square = m.mul(reduced.r, reduced.r);
  // Own Remez fits for |r| <= ln 2 / 2: relative errors of sinh 2^-26.2 and
  // 2^-61.7, of cosh 2^-33.3 and 2^-70.0.
  Value odd =
      m.isF32
          ? m.polynomial(square, {0x1.5554b0p-3, 0x1.1227a6p-7})
          : m.polynomial(square, {0x1.5555555555559p-3, 0x1.111111110f624p-7,
                                  0x1.a01a01b0250cfp-13, 0x1.71ddf79e12611p-19,
                                  0x1.af601c8389fb6p-26});
  Value even =
      m.isF32 ? m.polynomial(square, {0.5, 0x1.5554e6p-5, 0x1.6d4f3cp-10})
              : m.polynomial(square,
                             {0.5, 0x1.5555555555558p-5, 0x1.6c16c16c14ff1p-10,
                              0x1.a01a01ad86bf8p-16, 0x1.27e4cbf6d7175p-22,
                              0x1.1f8c13b1d083bp-29});
  return {high, low, reduced.r, m.mul(square, odd), m.mul(square, even)};
}

/// (high - low) C + (high + low) S, doubled. The largest terms are added last.
Value emitSinh(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Hyperbolic h = reduceHyperbolic(m, x);
  Value difference = m.sub(h.high, h.low), sum = m.add(h.high, h.low);
  Value small = m.fma(m.mul(sum, h.r), h.odd, m.mul(difference, h.even));
  Value half = m.add(difference, m.fma(sum, h.r, small));
  // Halving loses a bit of subnormals.
  Value isTiny = m.compare(arith::CmpFPredicate::OLT, m.abs(x),
                           m.constant(m.isF32 ? 0x1p-12 : 0x1p-27));
  return m.select(isTiny, x, m.copySign(m.add(half, half), x));
}

/// (high + low) C + (high - low) S, doubled.
Value emitCosh(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Hyperbolic h = reduceHyperbolic(m, x);
  Value difference = m.sub(h.high, h.low), sum = m.add(h.high, h.low);
  // `low` is no part of the large term, whose last digit may be greater.
  Value small = m.fma(m.mul(difference, h.r), h.odd, m.fma(sum, h.even, h.low));
  Value half = m.add(h.high, m.fma(difference, h.r, small));
  return m.add(half, half);
}

/// log(2^k (1 + f)) for sqrt(1/2) <= 1 + f < sqrt(2), by a series in
/// s = f / (2 + f). Scheme and coefficients are fdlibm's e_log.c and FreeBSD's
/// e_logf.c.
static Value logOfParts(MathBuilder &m, Value k, Value f) {
  Value s = m.div(f, m.add(m.constant(2), f));
  Value z = m.mul(s, s);
  Value r =
      m.isF32
          ? m.polynomial(z, {0xaaaaaa.0p-24, 0xccce13.0p-25, 0x91e9ee.0p-25,
                             0xf89e26.0p-26})
          : m.polynomial(z, {6.666666666666735130e-01, 3.999999999940941908e-01,
                             2.857142874366239149e-01, 2.222219843214978396e-01,
                             1.818357216161805012e-01, 1.531383769920937332e-01,
                             1.479819860511658591e-01});
  r = m.mul(z, r);
  Value half = m.mul(m.mul(m.constant(0.5), f), f);
  Value high =
      m.constant(m.isF32 ? 6.9313812256e-01 : 6.93147180369123816490e-01);
  Value low =
      m.constant(m.isF32 ? 9.0580006145e-06 : 1.90821492927058770002e-10);
  Value correction = m.fma(k, low, m.mul(s, m.add(half, r)));
  Value inner = m.sub(m.sub(half, correction), f);
  return m.fma(k, high, m.neg(inner));
}

Logarithmand emitSplit(MathBuilder &m, Value x) {
  // Moves the split point from a power of two to sqrt(1/2).
  int64_t one = m.isF32 ? 0x3f800000 : 0x3ff0000000000000;
  int64_t rootHalf = m.isF32 ? 0x3f3504f3 : 0x3fe6a09e667f3bcd;
  Value bits = m.iadd(m.toBits(x), m.integer(one - rootHalf));
  // Placed in the low bits of 2^mantissaBits, the exponent needs no conversion.
  double magic = std::ldexp(1.0, m.mantissaBits);
  Value exponent = m.fromBits(
      m.ior(m.shiftRight(bits, m.mantissaBits), m.toBits(m.constant(magic))));
  exponent = m.sub(exponent, m.constant(magic + m.bias));
  Value mantissa = m.iand(bits, m.integer((int64_t(1) << m.mantissaBits) - 1));
  return {exponent, m.fromBits(m.iadd(mantissa, m.integer(rootHalf)))};
}

Value emitLogLimits(MathBuilder &m, Value x, Value logarithm) {
  Value isFinite =
      m.compare(arith::CmpFPredicate::OLT, x, m.constant(INFINITY));
  logarithm = m.select(isFinite, logarithm, x);
  Value isZero = m.compare(arith::CmpFPredicate::OEQ, x, m.constant(0));
  return m.select(isZero, m.constant(-INFINITY), logarithm);
}

/// `logarithm` with its limits at 0, infinity and NaN, and NaN below zero.
static Value withDomain(MathBuilder &m, Value x, Value logarithm) {
  Value isNegative = m.compare(arith::CmpFPredicate::OLT, x, m.constant(0));
  return m.select(isNegative, m.constant(NAN), emitLogLimits(m, x, logarithm));
}

Value emitLog(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  // Numbers below the normal range are scaled up first.
  Value isTiny = m.compare(arith::CmpFPredicate::OLT, x,
                           m.constant(m.isF32 ? 0x1p-126 : 0x1p-1022));
  int shift = m.mantissaBits + 1;
  Value normal =
      m.select(isTiny, m.mul(x, m.constant(std::ldexp(1.0, shift))), x);
  Logarithmand parts = emitSplit(m, normal);
  Value k =
      m.sub(parts.exponent, m.select(isTiny, m.constant(shift), m.constant(0)));
  Value f = m.sub(parts.mantissa, m.constant(1));
  return withDomain(m, x, logOfParts(m, k, f));
}

/// log(u + low) + `more` ln 2, where u > 0 and `low` is below its last digit.
/// With u = 2^k (1 + f), that is log(2^k (1 + f + low / 2^k)).
static Value logOfSum(MathBuilder &m, Value u, Value low,
                      Value more = nullptr) {
  Logarithmand parts = emitSplit(m, u);
  // 2^(1-k) from the difference of exponents: 2^-k may be below the normal
  // range.
  Value scale = m.fromBits(m.iadd(m.isub(m.toBits(parts.mantissa), m.toBits(u)),
                                  m.toBits(m.constant(2))));
  Value f = m.fma(m.mul(low, m.constant(0.5)), scale,
                  m.sub(parts.mantissa, m.constant(1)));
  Value k = more ? m.add(parts.exponent, more) : parts.exponent;
  return logOfParts(m, k, f);
}

/// log(u + low) where u = 1 + x rounded and `low` is the rounding error; near 0
/// their sum is x again.
Value emitLog1p(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Value one = m.constant(1);
  Value u = m.add(x, one);
  Value low = m.sub(x, m.sub(u, one));
  return m.copySign(withDomain(m, u, logOfSum(m, u, low)), x); // for -0
}

/// Near 1 a multiple of sqrt(2 (x - 1)); for larger x, log(x + sqrt(x² - 1)).
Value emitAcosh(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Value one = m.constant(1), zero = m.constant(0);
  Value above = m.sub(x, one);
  Value isNear = m.compare(arith::CmpFPredicate::OLE, above, m.constant(0.5));
  Value twice = m.add(above, above), square = m.fma(x, x, m.constant(-1));
  Value root = emitSqrt(builder, loc, m.select(isNear, twice, square));
  // (acosh(1 + t) / sqrt(2 t) - 1) / t for t <= 1/2: own Remez fits, relative
  // errors of acosh 2^-29.6 and 2^-60.4.
  Value p =
      m.isF32
          ? m.polynomial(above, {-0x1.555536p-4, 0x1.3324f2p-6, -0x1.6b9618p-8,
                                 0x1.cd6b6cp-10, -0x1.b1778cp-12})
          : m.polynomial(above,
                         {-0x1.5555555555541p-4, 0x1.3333333330756p-6,
                          -0x1.6db6db6ba627ap-8, 0x1.f1c71ba9a3411p-10,
                          -0x1.6e8b8ca55f25fp-11, 0x1.1c4d2f98569ccp-12,
                          -0x1.c972e9ffd25c8p-14, 0x1.7941e5c325c5bp-15,
                          -0x1.386a204a4f462p-16, 0x1.e943a26191848p-18,
                          -0x1.37217176912f7p-19, 0x1.c260d9c0786c0p-22});
  Value near = m.fma(m.mul(root, above), p, root);

  // Above the bound the sum rounds to 2 x, which may be infinite.
  Value isLarge = m.compare(arith::CmpFPredicate::OGT, x,
                            m.constant(m.isF32 ? 0x1p13 : 0x1p28));
  root = m.select(isLarge, zero, root);
  Value u = m.add(x, root);
  Value low = m.add(m.sub(x, u), root); // what rounding left of the sum
  Value far = logOfSum(m, u, low, m.select(isLarge, one, zero));
  return m.select(isNear, near, emitLogLimits(m, u, far));
}

/// Near zero x + x^3 p(x²); for larger |x|, 1 - 2 / (exp(2|x|) + 1).
Value emitTanh(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Value square = m.mul(x, x);
  // (tanh(x)/x - 1) / x² for |x| <= 0.55: own Remez fits, relative errors of
  // tanh 2^-29.7 and 2^-55.5.
  Value p =
      m.isF32
          ? m.polynomial(square, {-0x1.55554ap-2, 0x1.110ceep-3, -0x1.b91e7ep-5,
                                  0x1.58e518p-6, -0x1.9921a0p-8})
          : m.polynomial(square,
                         {-0x1.555555555549ep-2, 0x1.11111111029b1p-3,
                          -0x1.ba1ba1ad7373ap-5, 0x1.664f45c322f3bp-6,
                          -0x1.226ddd4e368a8p-7, 0x1.d6c61e5c00bf0p-9,
                          -0x1.7cf3c33b8d140p-10, 0x1.2fa2a68d62b83p-11,
                          -0x1.b90a66e2cdae1p-13, 0x1.ac02b9ef0dfa3p-15});
  Value near = m.fma(m.mul(square, p), x, x);

  // For arguments above the bound tanh rounds to 1.
  Value twice = m.min(m.abs(m.add(x, x)), m.isF32 ? 20 : 44);
  Value one = m.constant(1);
  Value e = emitExpInRange(m, twice);
  Value far = m.sub(one, m.div(m.constant(2), m.add(e, one)));
  Value isFar =
      m.compare(arith::CmpFPredicate::OGT, m.abs(x), m.constant(0.55));
  return m.copySign(m.select(isFar, far, near), x); // near 0, for -0
}

/// 1 / (1 + e) or e / (1 + e) with e = exp(-|x|).
Value emitSigmoid(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Value one = m.constant(1);
  // Below the bound exp is 0.
  Exponential e =
      emitExpParts(m, m.max(m.neg(m.abs(x)), m.isF32 ? -104.0 : -746.0));
  Value isNegative = m.compare(arith::CmpFPredicate::OLT, x, m.constant(0));
  Value numerator = m.select(isNegative, e.value, one);
  Value inverse = m.div(one, m.add(e.value, one));
  Value quotient = m.mul(numerator, inverse);
  // One Newton step for all roundings. The difference is exact: the quotient is
  // from a half of the numerator to all of it.
  Value rest = m.fma(m.neg(quotient), e.value, m.sub(numerator, quotient));
  // silu rounds the result again. In f64 the 4 ops do not pay.
  if (m.isF32)
    rest = m.select(isNegative, m.add(rest, e.low), rest);
  return m.fma(rest, inverse, quotient);
}

} // namespace tdc
