//===- TrigMath.cpp - sine, cosine and tangent ----------------------------===//
//
// Sine and cosine reduce x = k pi + r with |r| <= pi/2, where k is an integer
// for sin and half an odd integer for cos, and use one odd polynomial: sin(x) =
// (-1)^k sin(r), and cos(x) = -(-1)^(k - 1/2) sin(r). The tangent reduces x = k
// pi/2 + r with |r| <= pi/4: tan(x) = tan(r), or -1 / tan(r) for odd k. All
// steps are in f64, for f32 too, except that division.
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
enum class Function { Sine, Cosine, Tangent };

/// The argument without multiples of pi, or of pi/2 for the tangent.
struct Reduced {
  Value r;
  Value odd; ///< the top bit is set if k (for cos, k + 1/2) is odd
};

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
static Reduced reduceLarge(MathBuilder &m, Value x, Function function,
                           bool isForF32) {
  bool isCosine = function == Function::Cosine;
  Wide rotations = divideByPi(m, x, isForF32);
  // For tan, in units of pi/2.
  if (function == Function::Tangent)
    rotations = {
        m.ior(m.shiftLeft(rotations.high, 1), m.shiftRight(rotations.low, 63)),
        m.shiftLeft(rotations.low, 1)};
  // For cos, to the nearest half of an odd integer.
  if (isCosine)
    rotations.high = m.isub(rotations.high, m.integer(int64_t(1) << 62));
  // The nearest integer is odd where bits 127 and 126 differ.
  Value odd = m.ixor(rotations.high, m.shiftLeft(rotations.high, 1));
  // The signed distance from it, as a fraction: the bits below bit 127.
  Value high =
      m.ior(m.shiftLeft(rotations.high, 1), m.shiftRight(rotations.low, 63));
  Value sign = m.shiftRightSigned(high, 63);
  high = m.ixor(high, sign);
  Value low = m.shiftRight(m.ixor(m.shiftLeft(rotations.low, 1), sign), 1);
  Value fraction = m.fma(m.toFloat(low), m.constant(0x1p-63), m.toFloat(high));
  // The period divided by 2^64.
  Value unit =
      m.constant(function == Function::Tangent ? 0x1.921fb54442d18p-64
                                               : 0x1.921fb54442d18p-63);
  // sin and tan are odd; cos is even, and its formula has a minus sign.
  Value r = m.flipSign(m.mul(fraction, unit),
                       isCosine ? sign : m.ixor(sign, m.toBits(x)));
  return {m.add(r, m.sub(x, x)), isCosine ? m.ixor(odd, m.integer(-1)) : odd};
}

/// |r| may be slightly above its bound by rounding. For sin and tan, -0 stays
/// -0. `m` and `x` are f64.
static Reduced reduceArgument(MathBuilder &m, Value x, Function function,
                              bool isForF32) {
  bool isCosine = function == Function::Cosine;
  double share = function == Function::Tangent ? 0.5 : 1; // of pi
  // The last bit of the sum is the parity of k; for cos, of k + 1/2.
  Value magic = m.constant(isCosine ? 0x1.8p52 + 1 : 0x1.8p52);
  Value inverse = m.constant(0x1.45f306dc9c883p-2 / share);
  Value shifted = isCosine ? m.add(m.fma(x, inverse, m.constant(-0.5)), magic)
                           : m.fma(x, inverse, magic);
  Value odd = m.shiftLeft(m.toBits(shifted), 63);
  Value k = m.sub(shifted, magic);
  if (isCosine)
    k = m.add(k, m.constant(0.5));
  // All parts of pi are positive, so that -0 survives.
  Value r = m.fma(k, m.constant(-0x1.921fb54442d18p+1 * share), x);
  r = m.fma(k, m.constant(-0x1.1a62633145c06p-53 * share), r);
  if (!isForF32)
    r = m.fma(k, m.constant(-0x1.c1cd129024e09p-106 * share), r);
  return {r, odd};
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

/// tan(r) for |r| <= pi/4, in f64.
static Value tangentOfReduced(MathBuilder &m, Value r, bool isForF32) {
  Value z = m.mul(r, r);
  // (tan(r)/r - 1) / r²: own Remez fits, relative errors of tan 2^-29.4 and
  // 2^-60.0.
  Value p =
      isForF32 ? m.polynomial(z, {0x1.555560p-2, 0x1.110d9ep-3, 0x1.bad9c2p-5,
                                  0x1.5cc0d4p-6, 0x1.62cb22p-7, 0x1.9c36acp-14,
                                  0x1.1e90e4p-8})
               : m.polynomial(z, {0x1.555555555555dp-2, 0x1.11111111106dcp-3,
                                  0x1.ba1ba1bab24f3p-5, 0x1.664f485fbf88ep-6,
                                  0x1.226e3a306413cp-7, 0x1.d6d2f48d2f1cep-9,
                                  0x1.7db0db84c9157p-10, 0x1.34c30186bee9ep-11,
                                  0x1.fecd0f775bb47p-13, 0x1.60685903bb384p-14,
                                  0x1.167331977590fp-14, -0x1.9c76e05d89c94p-16,
                                  0x1.90acf66d2aa15p-15, -0x1.90080af900ba2p-16,
                                  0x1.45991f1646b45p-17});
  return m.fma(m.mul(r, z), p, r);
}

/// Applies `reduceLarge` to the elements of `x` for which `isLarge` holds, one
/// after another: they are rare, and products of 64-bit integers on vectors
/// would be most of the kernel's code.
static Reduced replaceLarge(OpBuilder &builder, Location loc, Value x,
                            Value isLarge, Reduced reduced, Function function,
                            bool isForF32) {
  auto reduce = [&](OpBuilder &b, Location l, Value x, Value isLarge,
                    Reduced before) -> Reduced {
    MathBuilder m(b, l, x);
    Reduced large = reduceLarge(m, x, function, isForF32);
    return {m.select(isLarge, large.r, before.r),
            m.select(isLarge, large.odd, before.odd)};
  };
  auto type = dyn_cast<VectorType>(x.getType());
  if (!type)
    return reduce(builder, loc, x, isLarge, reduced);
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(
      builder, loc, index(0), index(type.getDimSize(0)), index(1),
      ValueRange{reduced.r, reduced.odd},
      [&](OpBuilder &b, Location l, Value lane, ValueRange before) {
        auto get = [&](Value vector) -> Value {
          return vector::ExtractOp::create(b, l, vector, lane);
        };
        auto set = [&](Value element, Value vector) -> Value {
          return vector::InsertOp::create(b, l, element, vector, lane);
        };
        Reduced element = reduce(b, l, get(x), get(isLarge),
                                 {get(before[0]), get(before[1])});
        scf::YieldOp::create(
            b, l,
            ValueRange{set(element.r, before[0]), set(element.odd, before[1])});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// `wide` is x in f64.
static Reduced reduce(OpBuilder &builder, Location loc, Value x, Value wide,
                      Function function) {
  MathBuilder m(builder, loc, x), w(builder, loc, wide);
  Reduced reduced = reduceArgument(w, wide, function, m.isF32);
  Value isLarge =
      m.compare(arith::CmpFPredicate::OGE, m.abs(x), m.constant(largeArgument));
  Value anyIsLarge = isLarge;
  if (isa<VectorType>(isLarge.getType()))
    anyIsLarge = vector::ReductionOp::create(
        builder, loc, vector::CombiningKind::OR, isLarge);
  auto yield = [](OpBuilder &b, Location l, Reduced result) {
    scf::YieldOp::create(b, l, ValueRange{result.r, result.odd});
  };
  auto branch = scf::IfOp::create(
      builder, loc, anyIsLarge,
      [&](OpBuilder &b, Location l) {
        yield(b, l,
              replaceLarge(b, l, wide, isLarge, reduced, function, m.isF32));
      },
      [&](OpBuilder &b, Location l) { yield(b, l, reduced); });
  return {branch.getResult(0), branch.getResult(1)};
}

static Value emitSinOrCos(OpBuilder &builder, Location loc, Value x,
                          Function function) {
  MathBuilder m(builder, loc, x);
  Value wide = m.isF32 ? m.extend(x) : x;
  MathBuilder w(builder, loc, wide);
  Reduced reduced = reduce(builder, loc, x, wide, function);
  Value r = w.flipSign(reduced.r, reduced.odd);
  Value y = sineOfReduced(w, r, m.isF32);
  return m.isF32 ? m.truncate(y) : y;
}

Value emitSin(OpBuilder &builder, Location loc, Value x) {
  return emitSinOrCos(builder, loc, x, Function::Sine);
}

Value emitCos(OpBuilder &builder, Location loc, Value x) {
  return emitSinOrCos(builder, loc, x, Function::Cosine);
}

Value emitTan(OpBuilder &builder, Location loc, Value x) {
  MathBuilder m(builder, loc, x);
  Value wide = m.isF32 ? m.extend(x) : x;
  MathBuilder w(builder, loc, wide);
  Reduced reduced = reduce(builder, loc, x, wide, Function::Tangent);
  Value y = tangentOfReduced(w, reduced.r, m.isF32);
  y = m.isF32 ? m.truncate(y) : y;
  Value isOdd =
      w.icompare(arith::CmpIPredicate::slt, reduced.odd, w.integer(0));
  return m.select(isOdd, m.div(m.constant(-1), y), y);
}

} // namespace tdc
