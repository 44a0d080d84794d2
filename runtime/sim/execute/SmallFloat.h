//===- SmallFloat.h - f16, bf16 and tf32 ----------------------------------===//
//
// Values of these formats are exact in f32 and f64; only rounding to them needs
// care. `encode` rounds once from f64, in any direction; `fromFloat` is a fast
// path for f32 and rounding to nearest.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_EXECUTE_SMALLFLOAT_H
#define TDC_SIM_EXECUTE_SMALLFLOAT_H

#include "execute/Lanes.h"
#include "execute/Rounding.h"

namespace tdc::sim {

/// A binary format: a sign, exponent bits and fraction bits; the rest of
/// `Storage` below the fraction is zero.
template <typename StorageType, unsigned Exponent, unsigned Fraction,
          unsigned Unused = 0>
struct FloatFormat {
  using Storage = StorageType;
  static constexpr unsigned kExponentBits = Exponent;
  static constexpr unsigned kFractionBits = Fraction;
  static constexpr unsigned kUnusedBits = Unused;
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
};
using F16 = FloatFormat<uint16_t, 5, 10>;
using BF16 = FloatFormat<uint16_t, 8, 7>;
using TF32 = FloatFormat<uint32_t, 8, 10, 13>;
using F32 = FloatFormat<uint32_t, 8, 23>;

/// PTX ISA 9.7.4: the NaN that arithmetic of f16 and bf16 returns.
constexpr uint16_t kSmallNaN = 0x7fff;

/// Rounds `value` in the direction R. A finite value becomes infinite only if
/// the rounding leads there. NaN becomes all ones except the sign.
template <typename Format>
typename Format::Storage encode(double value, Rounding rounding) {
  using Storage = typename Format::Storage;
  constexpr unsigned kFraction = Format::kFractionBits;
  constexpr unsigned kUnused = Format::kUnusedBits;
  constexpr uint64_t kInfinity = ((uint64_t(1) << Format::kExponentBits) - 1)
                                 << kFraction;
  const uint64_t bits = bitCast<uint64_t>(value);
  const bool isNegative = bits >> 63;
  const uint64_t sign = uint64_t(isNegative)
                        << (Format::kExponentBits + kFraction);
  auto make = [&](uint64_t magnitude) {
    return Storage((sign | magnitude) << kUnused);
  };
  if (std::isnan(value)) // all bits but the sign
    return Storage(Storage(-1) >> 1);
  const int exponent = int(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff)
    return make(kInfinity);
  if ((bits & ~(uint64_t(1) << 63)) == 0)
    return make(0);

  // The significand with 53 bits, and how many of them do not fit. A subnormal
  // of f64 is far below the range of the other formats, so its exponent may be
  // off by one.
  uint64_t significand = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
  int biased = exponent - 1023 + Format::kBias;
  int dropped = 52 - int(kFraction);
  if (biased <= 0) {
    dropped += 1 - biased;
    biased = 0;
  }
  if (dropped > 60) {
    // Below half of the smallest subnormal: only whether it is zero matters.
    significand = 1;
    dropped = 60;
  }
  uint64_t kept = significand >> dropped;
  const uint64_t rest = significand & ((uint64_t(1) << dropped) - 1);
  const uint64_t half = uint64_t(1) << (dropped - 1);
  bool roundsUp = false;
  switch (rounding) {
  case Rounding::Nearest:
    roundsUp = rest > half || (rest == half && (kept & 1));
    break;
  case Rounding::Away:
    roundsUp = rest >= half;
    break;
  case Rounding::Zero:
    break;
  case Rounding::Down:
    roundsUp = isNegative && rest;
    break;
  case Rounding::Up:
    roundsUp = !isNegative && rest;
    break;
  }
  // The leading one of a normal number adds one to the exponent field, and so
  // does a carry out of the fraction.
  uint64_t magnitude =
      (uint64_t(biased ? biased - 1 : 0) << kFraction) + kept + roundsUp;
  if (magnitude >= kInfinity) {
    bool staysFinite = rounding == Rounding::Zero ||
                       (rounding == Rounding::Down && !isNegative) ||
                       (rounding == Rounding::Up && isNegative);
    return make(staysFinite ? kInfinity - 1 : kInfinity);
  }
  return make(magnitude);
}

template <typename Format> float toFloat(typename Format::Storage bits);

template <> inline float toFloat<BF16>(uint16_t bits) {
  return bitCast<float>(uint32_t(bits) << 16);
}
template <> inline float toFloat<TF32>(uint32_t bits) {
  return bitCast<float>(bits & 0xffffe000u);
}
template <> inline float toFloat<F32>(uint32_t bits) {
  return bitCast<float>(bits);
}
/// Moves the fields to their positions in f32 and fixes the exponent by a
/// product, which is exact and normalises subnormals.
template <> inline float toFloat<F16>(uint16_t bits) {
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  uint32_t value = bitCast<uint32_t>(bitCast<float>(magnitude) * 0x1p112f);
  value |= magnitude >= 0x7c00u << 13 ? 0x7f800000u : 0;
  return bitCast<float>(value | uint32_t(bits & 0x8000) << 16);
}

/// Rounds to nearest even; NaN becomes kSmallNaN.
template <typename Format> typename Format::Storage fromFloat(float value);

template <> inline uint16_t fromFloat<BF16>(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return std::isnan(value) ? kSmallNaN : uint16_t(rounded);
}
/// A subnormal is rounded by adding a number with the same last place as the
/// result; other values are rounded as integers.
template <> inline uint16_t fromFloat<F16>(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t subnormal =
      bitCast<uint32_t>(bitCast<float>(magnitude) + 0.5f) - 0x3f000000u;
  uint32_t normal =
      (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  uint32_t result = magnitude < 113u << 23 ? subnormal : normal;
  result = magnitude >= 0x477ff000u ? 0x7c00u : result;
  result |= bits >> 16 & 0x8000;
  return std::isnan(value) ? kSmallNaN : uint16_t(result);
}

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_SMALLFLOAT_H
