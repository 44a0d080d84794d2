//===- Convert.cpp - elements of one dtype as another ---------------------===//
//
// Conversions go through f64, which holds the floats of all dtypes, or i64,
// which holds all integers, as bits those of u64. So there is one function for
// each dtype instead of one for each pair.
//
//===----------------------------------------------------------------------===//

#include "base/Convert.h"
#include "base/Denormals.h"
#include "base/Dtype.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace tdrt;

namespace {

/// The values of a dtype: integers below 2^bits, or floats with `bits`
/// significant bits between 2^least and 2^most.
struct Range {
  int bits, least, most;
  bool isSigned;
};

Range rangeOf(int32_t dtype) {
  static constexpr Range ranges[] = {
      {53, -1074, 1024, true}, {24, -149, 128, true}, {11, -24, 16, true},
      {8, -133, 128, true},    {63, 0, 63, true},     {31, 0, 31, true},
      {15, 0, 15, true},       {7, 0, 7, true},       {8, 0, 8, false},
      {1, 0, 1, false},        {16, 0, 16, false},    {32, 0, 32, false},
      {64, 0, 64, false}};
  return ranges[dtype];
}

/// Rounds `value` to a 16-bit float with `fraction` fraction bits; returns its
/// bits.
uint16_t narrow(double value, int fraction) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  uint16_t sign = bits >> 48 & 0x8000;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  uint64_t significand = bits & ((UINT64_C(1) << 52) - 1);
  uint16_t infinity = 0x7fff >> fraction << fraction;
  int bias = infinity >> (fraction + 1);
  if (exponent == 1024 && significand) // NaN stays NaN
    return sign | infinity | 1 << (fraction - 1);
  if (exponent > bias)
    return sign | infinity;
  significand |= UINT64_C(1) << 52;
  // Below the least normal number, the leading 1 bit moves into the fraction.
  int denormal = std::max(0, 1 - bias - exponent);
  int shift = 52 - fraction + denormal;
  if (shift > 53)
    return sign;
  uint64_t kept = significand >> shift,
           rest = significand & ((UINT64_C(1) << shift) - 1),
           half = UINT64_C(1) << (shift - 1);
  kept += rest > half || (rest == half && (kept & 1));
  // The leading 1 bit of a normal number, and a carry, add to the exponent.
  uint64_t below = denormal ? 0 : exponent + bias - 1;
  return static_cast<uint16_t>(sign | ((below << fraction) + kept));
}

/// Truncates to an integer; a number out of range becomes the nearest one in
/// range, NaN becomes 0. Returns the bits of a u64.
int64_t truncate(double value, Range range) {
  if (std::isnan(value))
    return 0;
  double end = std::ldexp(1.0, range.bits);
  auto last = static_cast<int64_t>(UINT64_MAX >> (64 - range.bits));
  if (value >= end)
    return last;
  if (range.isSigned)
    return value < -end ? -last - 1 : static_cast<int64_t>(value);
  return value < 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
}

template <class From, class To>
void readAs(const char *source, To *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    From value;
    memcpy(&value, source + i * sizeof(From), sizeof(From));
    // The sign of an i8 is kept. NOLINTNEXTLINE(bugprone-signed-char-misuse)
    to[i] = static_cast<To>(value);
  }
}

void readFloats(int32_t dtype, const char *source, double *to, int64_t count) {
  if (dtype == TDRT_F64)
    return readAs<double>(source, to, count);
  if (dtype == TDRT_F32)
    return readAs<float>(source, to, count);
  for (int64_t i = 0; i < count; ++i) {
    uint16_t half;
    memcpy(&half, source + i * 2, 2);
    to[i] = dtype == TDRT_F16 ? halfToFloat(half) : bfloatToFloat(half);
  }
}

void readInts(int32_t dtype, const char *source, int64_t *to, int64_t count) {
  switch (dtype) {
  case TDRT_I64:
    return readAs<int64_t>(source, to, count);
  case TDRT_I32:
    return readAs<int32_t>(source, to, count);
  case TDRT_I16:
    return readAs<int16_t>(source, to, count);
  case TDRT_I8:
    return readAs<int8_t>(source, to, count);
  case TDRT_U16:
    return readAs<uint16_t>(source, to, count);
  case TDRT_U32:
    return readAs<uint32_t>(source, to, count);
  case TDRT_U64:
    return readAs<uint64_t>(source, to, count);
  default: // u8 and bool
    return readAs<uint8_t>(source, to, count);
  }
}

template <class To> void put(char *target, int64_t i, To value) {
  memcpy(target + i * sizeof(To), &value, sizeof(To));
}

/// A double that rounds to f16 and bf16 as the integer does. Its lowest bits
/// are replaced by one bit that is set if any of them was set.
double roundToOdd(int64_t value) {
  constexpr int64_t kExact = int64_t(1) << 53, kBelow = (1 << 11) - 1;
  if (value > kExact || value < -kExact)
    value = (value & ~kBelow) | int64_t((value & kBelow) != 0) << 11;
  return static_cast<double>(value);
}

double roundToOdd(uint64_t value) {
  constexpr uint64_t kExact = UINT64_C(1) << 53, kBelow = (1 << 11) - 1;
  if (value > kExact)
    value = (value & ~kBelow) | uint64_t((value & kBelow) != 0) << 11;
  return static_cast<double>(value);
}

double roundToOdd(double value) { return value; }

template <class From>
void writeFloats(int32_t dtype, const From *from, char *target, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (dtype == TDRT_F64)
      put(target, i, static_cast<double>(from[i]));
    else if (dtype == TDRT_F32)
      put(target, i, static_cast<float>(from[i]));
    else
      put(target, i, narrow(roundToOdd(from[i]), dtype == TDRT_F16 ? 10 : 7));
}

/// Writes the lowest bytes of each integer, which wraps it to the narrower
/// dtype.
void writeInts(int32_t dtype, const int64_t *from, char *target,
               int64_t count) {
  int64_t bytes = elementBytes(dtype);
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = dtype == TDRT_BOOL ? from[i] != 0 : from[i];
    memcpy(target + i * bytes, &value, bytes);
  }
}

/// Number of elements that are converted at a time.
constexpr int64_t kPart = 256;

void convertPart(const char *source, int32_t from, char *target, int32_t to,
                 int64_t count) {
  int64_t ints[kPart];
  double floats[kPart];
  if (!isFloat(from)) {
    readInts(from, source, ints, count);
    if (!isFloat(to))
      return writeInts(to, ints, target, count);
    if (from == TDRT_U64)
      return writeFloats(to, reinterpret_cast<uint64_t *>(ints), target, count);
    return writeFloats(to, ints, target, count);
  }
  readFloats(from, source, floats, count);
  if (isFloat(to))
    return writeFloats(to, floats, target, count);
  for (int64_t i = 0; i < count; ++i)
    ints[i] =
        to == TDRT_BOOL ? floats[i] != 0 : truncate(floats[i], rangeOf(to));
  writeInts(to, ints, target, count);
}

} // namespace

bool tdrt::isExact(int32_t from, int32_t to) {
  Range source = rangeOf(from), target = rangeOf(to);
  return source.bits <= target.bits && source.least >= target.least &&
         source.most <= target.most && source.isSigned <= target.isSigned;
}

void tdrt::convert(const void *source, int32_t from, void *target, int32_t to,
                   int64_t count) {
  ScopedDenormals keep(Denormals::Keep);
  const char *in = static_cast<const char *>(source);
  char *out = static_cast<char *>(target);
  for (int64_t i = 0; i < count; i += kPart)
    convertPart(in + i * elementBytes(from), from, out + i * elementBytes(to),
                to, std::min(kPart, count - i));
}
