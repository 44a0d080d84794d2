//===- RandomCore.h - from random words to numbers ------------------------===//
//
// An element is a function of its 32-bit word u. If 32 bits are not enough, u
// is the upper half of 64 bits and a word l, from the counter with the top bit
// set, the lower half. Results must be bit-equal on every device and vector
// width, so the function is a fixed sequence of IEEE operations that are
// correctly rounded everywhere (add, multiply, divide, one square root,
// conversions), compiled without contraction.
//
// uniform   f32: (u >> 8) * 2^-24      f64: (u:l >> 11) * 2^-53
//           f16 and bf16 get the upper 11 and 8 bits of u from the compiler.
//
// normal    f32: the inverse of the normal distribution. With m = the low 31
// bits:
//             q = (m + 0.5) * 2^-31            twice the tail's probability
//             w = -ln(q * (2 - q))
//             z = P(w) * (1 - q)               and the top bit of u is the sign
//           as in M. Giles, "Approximating the erfinv function", GPU Computing
//           Gems Jade Edition, 2011. P is of degree 8 in w - 2.5 for w < 5,
//           else in sqrt(w) - 3.4; its coefficients were fitted (Lawson's
//           algorithm, relative error 1e-7 and 3e-7) up to w = 21.6, the end of
//           31 bits. ln is S. Moshier's Cephes logf. Against the exact quantile
//           the error is at most 2.2e-6, the largest |z| is 6.34.
//
//           f64: the same of u:l, that is with 63 bits for m, by the quotients
//           of normal_quantile.h. The error is at most 6e-16 of z, the largest
//           |z| is 9.16. f32 uses the upper word alone.
//
// randint   low + (u * range >> 32); for ranges above 2^32 it takes u:l. The
//           bias is below range * 2^-32, and of u:l below range * 2^-64.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_PROGRAM_RANDOMCORE_H
#define TDRT_PROGRAM_RANDOMCORE_H

#include "normal_quantile.h"
#include "program/Philox.h"
#include <cstring>

namespace tdrt {

#define TDRT_INLINE __attribute__((always_inline)) inline

TDRT_INLINE float uniformFromWord(uint32_t u) {
  return float(int32_t(u >> 8)) * 0x1p-24f;
}

/// ln of a positive normal number.
TDRT_INLINE float logarithm(float value) {
  int32_t bits;
  memcpy(&bits, &value, 4);
  // The mantissa in [sqrt(1/2), sqrt(2)).
  int32_t exponent = (bits - 0x3f3504f3) >> 23;
  bits = int32_t(uint32_t(bits) - (uint32_t(exponent) << 23));
  float mantissa;
  memcpy(&mantissa, &bits, 4);
  float x = mantissa - 1.0f;
  float square = x * x;
  float y = 7.0376836292e-2f;
  y = y * x + -1.1514610310e-1f;
  y = y * x + 1.1676998740e-1f;
  y = y * x + -1.2420140846e-1f;
  y = y * x + 1.4249322787e-1f;
  y = y * x + -1.6668057665e-1f;
  y = y * x + 2.0000714765e-1f;
  y = y * x + -2.4999993993e-1f;
  y = y * x + 3.3333331174e-1f;
  y = y * x * square;
  float e = float(exponent);
  y = y + e * -2.12194440e-4f;
  y = y - square * 0.5f;
  return (x + y) + e * 0.693359375f;
}

TDRT_INLINE float normalFromWord(uint32_t u) {
  float q = (float(int32_t(u & 0x7fffffff)) + 0.5f) * 0x1p-31f;
  float w = -logarithm(q * (2.0f - q));

  float c = w - 2.5f;
  float centre = 0x1.5aa404p-25f;
  centre = centre * c + 0x1.04f98ep-21f;
  centre = centre * c + -0x1.4ee930p-18f;
  centre = centre * c + -0x1.a14836p-18f;
  centre = centre * c + 0x1.442ae0p-12f;
  centre = centre * c + -0x1.d0c8b2p-10f;
  centre = centre * c + -0x1.8332aap-8f;
  centre = centre * c + 0x1.652c86p-2f;
  centre = centre * c + 0x1.0fc8bep+1f;

  float t = __builtin_sqrtf(w) - 3.4f;
  float tail = -0x1.dbc6d8p-16f;
  tail = tail * t + -0x1.07e73ap-12f;
  tail = tail * t + 0x1.11c8b0p-10f;
  tail = tail * t + -0x1.a17baep-10f;
  tail = tail * t + 0x1.09477ep-9f;
  tail = tail * t + -0x1.d36d94p-9f;
  tail = tail * t + 0x1.716836p-8f;
  tail = tail * t + 0x1.6c7162p+0f;
  tail = tail * t + 0x1.24c776p+2f;

  float z = (w < 5.0f ? centre : tail) * (1.0f - q);
  uint32_t bits;
  memcpy(&bits, &z, 4);
  bits |= u & 0x80000000;
  memcpy(&z, &bits, 4);
  return z;
}

//===----------------------------------------------------------------------===//
// f64, from two words
//===----------------------------------------------------------------------===//

TDRT_INLINE double uniformFromWords(uint32_t upper, uint32_t lower) {
  uint64_t word = uint64_t(upper) << 32 | lower;
  return double(int64_t(word >> 11)) * 0x1p-53;
}

template <int N>
TDRT_INLINE double evaluate(const double (&coefficients)[N], double x) {
  double result = coefficients[0];
  for (int i = 1; i < N; ++i)
    result = result * x + coefficients[i];
  return result;
}

TDRT_INLINE double evaluate(const Quotient &quotient, double x) {
  return evaluate(quotient.numerator, x) / evaluate(quotient.denominator, x);
}

/// ln of a positive normal number.
TDRT_INLINE double logarithm(double value) {
  int64_t bits;
  memcpy(&bits, &value, 8);
  int64_t exponent = (bits - kRootHalfBits) >> 52;
  bits = int64_t(uint64_t(bits) - (uint64_t(exponent) << 52));
  double mantissa;
  memcpy(&mantissa, &bits, 8);
  double f = mantissa - 1.0;
  double s = f / (2.0 + f);
  double square = s * s;
  double rest = square * evaluate(kLogarithm, square);
  double half = 0.5 * f * f;
  double e = double(int32_t(exponent));
  return e * kLn2High - ((half - (s * (half + rest) + e * kLn2Low)) - f);
}

TDRT_INLINE double normalFromWords(uint32_t upper, uint32_t lower) {
  uint64_t magnitude = uint64_t(upper & 0x7fffffff) << 32 | lower;
  double q = (double(int64_t(magnitude)) + 0.5) * 0x1p-63;
  double h = (1.0 - q) * 0.5;
  double t = __builtin_sqrt(-logarithm(q * 0.5));
  double centre = h * evaluate(kNormalCentre, 0.180625 - h * h);
  double tail = evaluate(kNormalTail, t - 1.6);
  double far = evaluate(kNormalFarTail, t - 5.0);
  double z = h <= 0.425 ? centre : t <= 5.0 ? tail : far;
  uint64_t bits;
  memcpy(&bits, &z, 8);
  bits |= uint64_t(upper & 0x80000000) << 32;
  memcpy(&z, &bits, 8);
  return z;
}

} // namespace tdrt

#endif // TDRT_PROGRAM_RANDOMCORE_H
