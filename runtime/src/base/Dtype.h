//===- Dtype.h - names and sizes of element types -------------------------===//

#ifndef TDRT_BASE_DTYPE_H
#define TDRT_BASE_DTYPE_H

#include "tdc_runtime.h"
#include <cstring>
#include <string>
#include <vector>

namespace tdrt {

/// Bytes of one element.
inline int64_t elementBytes(int32_t dtype) {
  static constexpr uint8_t bytes[] = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1, 2, 4, 8};
  return bytes[dtype];
}

/// The language's spelling: "f32".
inline const char *dtypeName(int32_t dtype) {
  static const char *const names[] = {"f64", "f32", "f16", "bf16", "i64",
                                      "i32", "i16", "i8",  "u8",   "bool",
                                      "u16", "u32", "u64"};
  return names[dtype];
}

inline bool isFloat(int32_t dtype) { return dtype <= TDRT_BF16; }

/// An integer without negative numbers, or bool.
inline bool isUnsigned(int32_t dtype) { return dtype >= TDRT_U8; }

/// The bytes of a tensor, or -1 if a size is negative or the product (with the
/// 64 bytes past the end of every buffer) exceeds int64.
inline int64_t tensorBytes(int32_t dtype, int32_t rank, const int64_t *dims) {
  // A size of 0 makes the product 0, but only if no other one is negative.
  __extension__ typedef unsigned __int128 Wide;
  Wide bytes = elementBytes(dtype);
  bool empty = false;
  for (int32_t i = 0; i < rank; ++i) {
    if (dims[i] < 0)
      return -1;
    if (dims[i] == 0)
      empty = true;
    else if (bytes <= INT64_MAX)
      bytes *= static_cast<uint64_t>(dims[i]);
  }
  if (empty)
    return 0;
  return bytes <= INT64_MAX - 128 ? static_cast<int64_t>(bytes) : -1;
}

/// "f32[?, 10]": a negative size is not known and shown as `?`.
inline std::string typeText(int32_t dtype, const int64_t *dims, size_t rank) {
  std::string text = std::string(dtypeName(dtype)) + "[";
  for (size_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + (dims[i] < 0 ? "?" : std::to_string(dims[i]));
  return text + "]";
}

/// IEEE half to single; exact.
inline float halfToFloat(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 31, mantissa = half & 0x3ff;
  uint32_t bits;
  if (exponent == 31) {
    bits = sign | 0x7f800000 | mantissa << 13;
  } else if (exponent != 0) {
    bits = sign | (exponent + 112) << 23 | mantissa << 13;
  } else {
    float magnitude = float(mantissa) * 0x1p-24f;
    memcpy(&bits, &magnitude, 4);
    bits |= sign;
  }
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

inline float bfloatToFloat(uint16_t bfloat) {
  uint32_t bits = uint32_t(bfloat) << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

} // namespace tdrt

#endif // TDRT_BASE_DTYPE_H
