//===- SmallReference.h - small formats in long double arithmetic ---------===//

#ifndef TDC_SIM_TEST_EXECUTE_SMALLREFERENCE_H
#define TDC_SIM_TEST_EXECUTE_SMALLREFERENCE_H

#include <cmath>
#include <cstdint>

namespace tdc::sim::reference {

struct Format {
  int digits;      ///< of the significand, with the leading one
  int minExponent; ///< of the smallest normal number
  int maxExponent; ///< of the largest
};
inline constexpr Format kF16{11, -14, 15}, kBF16{8, -126, 127},
    kTF32{11, -126, 127}, kF32{24, -126, 127}, kF64{53, -1022, 1023};

/// Rounds to a number of the format; `round` rounds the number of steps to an
/// integer.
template <typename Round>
long double toFormat(long double value, const Format &format, Round round) {
  if (value == 0 || !std::isfinite(value))
    return value;
  int exponent = std::max(std::ilogb(value), format.minExponent);
  int step = exponent - (format.digits - 1);
  long double rounded = std::ldexp(round(std::ldexp(value, -step)), step);
  long double largest = std::ldexp(2.0L - std::ldexp(1.0L, 1 - format.digits),
                                   format.maxExponent);
  if (std::fabs(rounded) <= largest)
    return rounded == 0 ? std::copysign(0.0L, value) : rounded;
  // To infinity only if the rounding goes away from zero.
  bool isOutward = std::fabs(round(std::copysign(1.5L, value))) == 2;
  return std::copysign(isOutward ? INFINITY : largest, value);
}
inline long double roundToEven(long double x) { return std::nearbyint(x); }

/// The bits of a result of toFormat; NaN has all bits set but the sign.
inline uint64_t encode(long double value, int digits, int exponentBits) {
  int fraction = digits - 1, bias = (1 << (exponentBits - 1)) - 1;
  uint64_t sign = uint64_t(std::signbit(value)) << (fraction + exponentBits);
  uint64_t infinity = ((uint64_t(1) << exponentBits) - 1) << fraction;
  if (std::isnan(value))
    return (uint64_t(1) << (fraction + exponentBits)) - 1;
  if (std::isinf(value))
    return sign | infinity;
  value = std::fabs(value);
  int exponent = value == 0 ? 1 - bias : std::max(std::ilogb(value), 1 - bias);
  auto significand = uint64_t(std::ldexp(value, fraction - exponent));
  if (significand >> fraction == 0)
    return sign | significand;
  return sign | (uint64_t(exponent + bias) << fraction) +
                    (significand & ((uint64_t(1) << fraction) - 1));
}
inline long double decode(uint64_t bits, int digits, int exponentBits) {
  int fraction = digits - 1, bias = (1 << (exponentBits - 1)) - 1;
  int field = int(bits >> fraction) & ((1 << exponentBits) - 1);
  uint64_t rest = bits & ((uint64_t(1) << fraction) - 1);
  bool isNegative = bits >> (fraction + exponentBits) & 1;
  long double value =
      field == (1 << exponentBits) - 1
          ? (rest ? NAN : INFINITY)
          : std::ldexp(
                (long double)(field ? rest | uint64_t(1) << fraction : rest),
                (field ? field : 1) - bias - fraction);
  return isNegative ? -value : value;
}

} // namespace tdc::sim::reference

#endif // TDC_SIM_TEST_EXECUTE_SMALLREFERENCE_H
