//===- TrigMath.cpp - sine and cosine -------------------------------------===//
//
// Both functions reduce x = k pi + r with |r| <= pi/2, where k is an integer
// for sin and half an odd integer for cos, and use one odd polynomial: sin(x) =
// (-1)^k sin(r), and cos(x) = -(-1)^(k - 1/2) sin(r). All steps are in f64, for
// f32 too.
//
// Up to 2^36, r is x - k pi with pi in three parts and fused steps (Cody and
// Waite). Where terms cancel the first step is exact, since both are multiples
// of 2^-52 and their difference is below 2; the others round once each. A
// vector with any larger element takes a branch to Payne and Hanek's reduction
// ("Radian reduction for trigonometric functions", 1983) in 64-bit integers: x
// = M 2^e, and only those 192 bits of 1/pi matter for which the products with M
// lie between 2 and 2^-127. No double is nearer to a multiple of pi/2 than
// 2^-62 (Kahan), so more than 60 bits of r are left.
//
//===----------------------------------------------------------------------===//

#include "CodeGen/MathBuilder.h"
#include "CodeGen/VectorMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <array>

using namespace mlir;

namespace tdc {

namespace {
/// An unsigned 128-bit integer.
struct Wide {
  Value high, low;
};
} // namespace

/// The bits of 1/pi after the binary point, preceded by 17 zeros: word j is
/// floor(2^(64 (j + 1) - 17) / pi) mod 2^64. Computed with mpmath.
static constexpr uint64_t inversePi[19] = {
    0x000028be60db9391, 0x054a7f09d5f47d4d, 0x377036d8a5664f10,
    0xe4107f9458eaf7ae, 0xf1586dc91b8e9093, 0x74b801924bba8274,
    0x64873f877ac72c4a, 0x69cfba208d7d4bae, 0xd1213a671c09ad17,
    0xdf904e64758e60d4, 0xce7d272117e2ef7e, 0x4a0ec7fe25fff781,
    0x6603fbcbc462d682, 0x9b47db4d9fb3c9f2, 0xc26dd3d18fd9a797,
    0xfa8b5d49eeb1faf9, 0x7c5ecf41ce7de294, 0xa4ba9afed7ec47e3,
    0x57421580cc11bf1e};

/// Arguments of this magnitude and above need Payne and Hanek's reduction.
static constexpr double largeArgument = 0x1p36;

/// The 192 bits of `inversePi` from bit `start` on, most significant word
/// first. `start` must be below 1024; for other values the result is
/// unspecified.
static std::array<Value, 3> selectBits(MathBuilder &m, Value start,
                                       bool startIsBelow128) {
  int stages = startIsBelow128 ? 1 : 4;
  SmallVector<Value> words;
  for (int i = 0; i < (1 << stages) + 3; ++i)
    words.push_back(m.integer(static_cast<int64_t>(inversePi[i])));
  // A barrel shifter: by whole words, then by the remaining bits.
  for (int stage = stages - 1; stage >= 0; --stage) {
    Value isSet = m.icompare(arith::CmpIPredicate::ne,
                             m.iand(start, m.integer(int64_t(64) << stage)),
                             m.integer(0));
    size_t distance = size_t(1) << stage;
    for (size_t i = 0; i + distance < words.size(); ++i)
      words[i] = m.select(isSet, words[i + distance], words[i]);
    words.resize(words.size() - distance);
  }
  Value left = m.iand(start, m.integer(63));
  Value right = m.ixor(left, m.integer(63)); // 63 - left
  std::array<Value, 3> result;
  for (int i = 0; i < 3; ++i)
    result[i] = m.ior(m.shiftLeft(words[i], left),
                      m.shiftRight(m.shiftRight(words[i + 1], 1), right));
  return result;
}

/// The upper 64 bits of x * y for x < 2^53.
static Value multiplyHigh(MathBuilder &m, Value x, Value y) {
  Value mask = m.integer(0xffffffff);
  Value xLow = m.iand(x, mask), xHigh = m.shiftRight(x, 32);
  Value yLow = m.iand(y, mask), yHigh = m.shiftRight(y, 32);
  Value middle =
      m.iadd(m.imul(xLow, yHigh), m.shiftRight(m.imul(xLow, yLow), 32));
  Value carry = m.iadd(m.iand(middle, mask), m.imul(xHigh, yLow));
  return m.iadd(m.imul(xHigh, yHigh),
                m.iadd(m.shiftRight(middle, 32), m.shiftRight(carry, 32)));
}

/// |x| / pi modulo 2, in units of 2^-127, for finite |x| >= largeArgument;
/// unspecified for other x.
static Wide divideByPi(MathBuilder &m, Value x, bool isForF32) {
  Value bits = m.toBits(m.abs(x));
  Value mantissa = m.ior(m.iand(bits, m.integer((int64_t(1) << 52) - 1)),
                         m.integer(int64_t(1) << 52));
  // |x| = mantissa * 2^(exponent - 1075). Bits of 1/pi above bit number
  // exponent - 1076 contribute multiples of 2. The table starts with 17 more
  // zeros.
  Value start = m.isub(m.shiftRight(bits, 52), m.integer(1076 - 17));
  std::array<Value, 3> window = selectBits(m, start, isForF32);
  Value low = m.imul(mantissa, window[1]);
  Value sum = m.iadd(low, multiplyHigh(m, mantissa, window[2]));
  Value overflows = m.icompare(arith::CmpIPredicate::ult, sum, low);
  Value high =
      m.iadd(m.imul(mantissa, window[0]), multiplyHigh(m, mantissa, window[1]));
  high = m.iadd(high, m.select(overflows, m.integer(1), m.integer(0)));
  return {high, sum};
}

/// `reduceArgument` for finite |x| >= largeArgument; NaN for infinities and
/// NaN, unspecified for other x. `x` is one f64.
static Value reduceLarge(MathBuilder &m, Value x, bool isCosine,
                         bool isForF32) {
  Wide rotations = divideByPi(m, x, isForF32);
  // For cos, to the nearest half of an odd integer.
  if (isCosine)
    rotations.high = m.isub(rotations.high, m.integer(int64_t(1) << 62));
  // The nearest integer is odd where bits 127 and 126 differ.
  Value flip = m.ixor(rotations.high, m.shiftLeft(rotations.high, 1));
  // The signed distance from it, as a fraction: the bits below bit 127.
  Value high =
      m.ior(m.shiftLeft(rotations.high, 1), m.shiftRight(rotations.low, 63));
  Value sign = m.shiftRightSigned(high, 63);
  high = m.ixor(high, sign);
  Value low = m.shiftRight(m.ixor(m.shiftLeft(rotations.low, 1), sign), 1);
  Value fraction = m.fma(m.toFloat(low), m.constant(0x1p-63), m.toFloat(high));
  Value r = m.mul(fraction, m.constant(0x1.921fb54442d18p-63)); // pi / 2^64
  // sin is odd; cos is even, and its formula has a minus sign.
  flip = m.ixor(flip, sign);
  flip = m.ixor(flip, isCosine ? m.integer(-1) : m.toBits(x));
  r = m.flipSign(r, flip);
  return m.add(r, m.sub(x, x));
}

/// Returns r with sin(r) = the result, |r| <= pi/2 (slightly more by rounding).
/// For sin, -0 stays -0. `m` and `x` are f64.
static Value reduceArgument(MathBuilder &m, Value x, bool isCosine,
                            bool isForF32) {
  // The last bit of the sum is the parity of k; for cos, of k + 1/2.
  Value magic = m.constant(isCosine ? 0x1.8p52 + 1 : 0x1.8p52);
  Value inverse = m.constant(0x1.45f306dc9c883p-2);
  Value shifted = isCosine ? m.add(m.fma(x, inverse, m.constant(-0.5)), magic)
                           : m.fma(x, inverse, magic);
  Value k = m.sub(shifted, magic);
  if (isCosine)
    k = m.add(k, m.constant(0.5));
  // All parts of pi are positive, so that -0 survives.
  Value r = m.fma(k, m.constant(-0x1.921fb54442d18p+1), x);
  r = m.fma(k, m.constant(-0x1.1a62633145c06p-53), r);
  if (!isForF32)
    r = m.fma(k, m.constant(-0x1.c1cd129024e09p-106), r);
  return m.flipSign(r, m.shiftLeft(m.toBits(shifted), 63));
}

/// sin(r) for |r| <= pi/2, in f64.
static Value sineOfReduced(MathBuilder &m, Value r, bool isForF32) {
  Value z = m.mul(r, r);
  // (sin(r)/r - 1) / r²: own Remez fits, relative errors of sin 2^-27.3 and
  // 2^-61.6.
  Value p =
      isForF32
          ? m.polynomial(z, {-0x1.55554cp-3, 0x1.110edap-7, -0x1.9f70e8p-13,
                             0x1.5dc80cp-19})
          : m.polynomial(z, {-0x1.5555555555555p-3, 0x1.11111111110c8p-7,
                             -0x1.a01a01a014d6fp-13, 0x1.71de3a52a0b15p-19,
                             -0x1.ae6454d47450bp-26, 0x1.6123cd073ec06p-33,
                             -0x1.ae43847273ec3p-41, 0x1.8832a8cab71f7p-49});
  Value y = m.copySign(m.fma(m.mul(r, z), p, r), r); // the sign for -0
  // Near pi/2 rounding may lead beyond 1. For f32 the truncation rounds that
  // away.
  return isForF32 ? y : m.clamp(y, -1, 1);
}

/// Applies `reduceLarge` to the elements of `r` for which `isLarge` holds, one
/// after another: they are rare, and products of 64-bit integers on vectors
/// would be most of the kernel's code.
static Value replaceLarge(OpBuilder &builder, Location loc, Value x,
                          Value isLarge, Value r, bool isCosine,
                          bool isForF32) {
  auto reduce = [&](OpBuilder &b, Location l, Value x, Value isLarge, Value r) {
    MathBuilder m(b, l, x);
    return m.select(isLarge, reduceLarge(m, x, isCosine, isForF32), r);
  };
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    return reduce(builder, loc, x, isLarge, r);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(
      builder, loc, index(0), index(type.getDimSize(0)), index(1), r,
      [&](OpBuilder &b, Location l, Value lane, ValueRange before) {
        auto get = [&](Value vector) -> Value {
          return vector::ExtractOp::create(b, l, vector, lane);
        };
        Value element = reduce(b, l, get(x), get(isLarge), get(before.front()));
        scf::YieldOp::create(b, l,
                             ValueRange(vector::InsertOp::create(
                                            b, l, element, before.front(), lane)
                                            .getResult()));
      });
  return loop.getResult(0);
}

static Value emitSinOrCos(OpBuilder &builder, Location loc, Value x,
                          bool isCosine) {
  MathBuilder m(builder, loc, x);
  bool isF32 = m.isF32;
  Value isLarge =
      m.compare(arith::CmpFPredicate::OGE, m.abs(x), m.constant(largeArgument));
  Value wide = isF32 ? m.extend(x) : x;
  MathBuilder w(builder, loc, wide);
  Value r = reduceArgument(w, wide, isCosine, isF32);

  Value anyIsLarge = isLarge;
  if (isa<VectorType>(isLarge.getType()))
    anyIsLarge = vector::ReductionOp::create(
        builder, loc, vector::CombiningKind::OR, isLarge);
  auto branch = scf::IfOp::create(
      builder, loc, anyIsLarge,
      [&](OpBuilder &b, Location l) {
        scf::YieldOp::create(
            b, l, replaceLarge(b, l, wide, isLarge, r, isCosine, isF32));
      },
      [&](OpBuilder &b, Location l) { scf::YieldOp::create(b, l, r); });
  r = branch.getResult(0);
  Value y = sineOfReduced(w, r, isF32);
  return isF32 ? m.truncate(y) : y;
}

Value emitSin(OpBuilder &builder, Location loc, Value x) {
  return emitSinOrCos(builder, loc, x, /*isCosine=*/false);
}

Value emitCos(OpBuilder &builder, Location loc, Value x) {
  return emitSinOrCos(builder, loc, x, /*isCosine=*/true);
}

} // namespace tdc
