//===- ConvertTest.cpp - elements of one dtype as another -----------------===//
//
// The expected bits are those of PyTorch's `.to(dtype)`. (It converts from f64
// to 16 bits through f32, which rounds twice; values for which that matters are
// not among them.)
//
//===----------------------------------------------------------------------===//

#include "base/Convert.h"
#include "base/Denormals.h"
#include "tdc_runtime.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace tdrt;

namespace {

template <class To, class From>
std::vector<To> as(int32_t from, int32_t to, const std::vector<From> &values) {
  std::vector<To> converted(values.size());
  convert(values.data(), from, converted.data(), to, values.size());
  return converted;
}

const double kInf = std::numeric_limits<double>::infinity();

const std::vector<double> kFloats = {0.0,
                                     -0.0,
                                     1.0,
                                     1 + 0x1p-11,
                                     1 + 0x3p-11,
                                     65504.0,
                                     65519.0,
                                     65520.0,
                                     -1e9,
                                     0x1p-24,
                                     0x1p-25,
                                     0x3p-25,
                                     0x1p-14 - 0x1p-25,
                                     1e-8,
                                     kInf,
                                     -kInf,
                                     0.1,
                                     -1.0 / 3,
                                     3.3895313892515355e38,
                                     3.4e38,
                                     0x1p-133,
                                     0x1p-134,
                                     0x3p-134,
                                     256.5,
                                     257.0,
                                     259.0};

TEST(ConvertTest, DoubleToHalf) {
  EXPECT_EQ(as<uint16_t>(TDRT_F64, TDRT_F16, kFloats),
            (std::vector<uint16_t>{
                0x0,    0x8000, 0x3c00, 0x3c00, 0x3c02, 0x7bff, 0x7bff,
                0x7c00, 0xfc00, 0x1,    0x0,    0x2,    0x400,  0x0,
                0x7c00, 0xfc00, 0x2e66, 0xb555, 0x7c00, 0x7c00, 0x0,
                0x0,    0x0,    0x5c02, 0x5c04, 0x5c0c}));
}

TEST(ConvertTest, DoubleToBfloat) {
  EXPECT_EQ(as<uint16_t>(TDRT_F64, TDRT_BF16, kFloats),
            (std::vector<uint16_t>{
                0x0,    0x8000, 0x3f80, 0x3f80, 0x3f80, 0x4780, 0x4780,
                0x4780, 0xce6e, 0x3380, 0x3300, 0x33c0, 0x3880, 0x322c,
                0x7f80, 0xff80, 0x3dcd, 0xbeab, 0x7f7f, 0x7f80, 0x1,
                0x0,    0x2,    0x4380, 0x4380, 0x4382}));
}

TEST(ConvertTest, DoubleToFloat) {
  std::vector<double> values = {
      1e-46,        7e-46,      8e-46, 3.4028235677973366e38,
      3.4028235e38, 16777217.0, 0.1};
  EXPECT_EQ(as<uint32_t>(TDRT_F64, TDRT_F32, values),
            (std::vector<uint32_t>{0x0, 0x0, 0x1, 0x7f800000, 0x7f7fffff,
                                   0x4b800000, 0x3dcccccd}));
}

TEST(ConvertTest, Ints) {
  std::vector<int64_t> values = {
      (1 << 24) + 1, (1 << 24) + 3, INT64_MIN, INT64_MAX, 2049, 2051, 255};
  EXPECT_EQ(
      as<uint32_t>(TDRT_I64, TDRT_F32, values),
      (std::vector<uint32_t>{0x4b800000, 0x4b800002, 0xdf000000, 0x5f000000,
                             0x45001000, 0x45003000, 0x437f0000}));
  EXPECT_EQ(as<uint16_t>(TDRT_I64, TDRT_F16, values),
            (std::vector<uint16_t>{0x7c00, 0x7c00, 0xfc00, 0x7c00, 0x6800,
                                   0x6802, 0x5bf8}));
  // Just above the middle of two values: an intermediate f64 would round it to
  // the middle.
  int64_t above = (int64_t(1) << 62) + (int64_t(1) << 54) + 1;
  EXPECT_EQ(as<uint16_t>(TDRT_I64, TDRT_BF16,
                         std::vector<int64_t>{above, above - 1, -above,
                                              INT64_MIN, (1 << 24) + 1}),
            (std::vector<uint16_t>{0x5e81, 0x5e80, 0xde81, 0xdf00, 0x4b80}));
  EXPECT_EQ(as<uint8_t>(TDRT_I64, TDRT_U8, values),
            (std::vector<uint8_t>{1, 3, 0, 255, 1, 3, 255}));
  EXPECT_EQ(as<int16_t>(TDRT_I64, TDRT_I16, values),
            (std::vector<int16_t>{1, 3, 0, -1, 2049, 2051, 255}));
  EXPECT_EQ(as<uint8_t>(TDRT_I64, TDRT_BOOL, std::vector<int64_t>{0, 256, -1}),
            (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_EQ(as<double>(TDRT_I8, TDRT_F64, std::vector<int8_t>{-128, 127}),
            (std::vector<double>{-128, 127}));
}

TEST(ConvertTest, Unsigned) {
  constexpr uint64_t kHalf = UINT64_C(1) << 63;
  std::vector<uint64_t> values = {kHalf, UINT64_MAX, kHalf + 1024, kHalf + 1025,
                                  kHalf + (UINT64_C(1) << 39) + 1};
  EXPECT_EQ(as<double>(TDRT_U64, TDRT_F64, values),
            (std::vector<double>{0x1p63, 0x1p64, 0x1p63, 0x1p63 + 2048,
                                 0x1p63 + 0x1p39}));
  EXPECT_EQ(as<float>(TDRT_U64, TDRT_F32, values),
            (std::vector<float>{0x1p63f, 0x1p64f, 0x1p63f, 0x1p63f,
                                0x1p63f + 0x1p40f}));
  EXPECT_EQ(as<uint16_t>(TDRT_U64, TDRT_F16, values),
            (std::vector<uint16_t>(5, 0x7c00)));
  // Just above the middle of two values.
  uint64_t above = kHalf + (UINT64_C(1) << 55) + 1;
  EXPECT_EQ(as<uint16_t>(TDRT_U64, TDRT_BF16,
                         std::vector<uint64_t>{above, above - 1, UINT64_MAX}),
            (std::vector<uint16_t>{0x5f01, 0x5f00, 0x5f80}));
  EXPECT_EQ(as<int64_t>(TDRT_U64, TDRT_I64, values)[0], INT64_MIN);
  EXPECT_EQ(as<uint64_t>(TDRT_I8, TDRT_U64, std::vector<int8_t>{-1, 127}),
            (std::vector<uint64_t>{UINT64_MAX, 127}));
  EXPECT_EQ(as<uint16_t>(TDRT_U32, TDRT_U16, std::vector<uint32_t>{65537, 9}),
            (std::vector<uint16_t>{1, 9}));
  EXPECT_EQ(as<uint64_t>(TDRT_U16, TDRT_U64, std::vector<uint16_t>{65535}),
            (std::vector<uint64_t>{65535}));
  EXPECT_EQ(as<uint64_t>(TDRT_U32, TDRT_U64, std::vector<uint32_t>{UINT32_MAX}),
            (std::vector<uint64_t>{UINT32_MAX}));
}

// Not PyTorch's results, which are undefined for values that do not fit, but
// those of the language.
TEST(ConvertTest, FloatsToInts) {
  std::vector<double> values = {1.9, -1.9, 3e9, -3e9, kInf, -kInf, 1e19, NAN};
  EXPECT_EQ(as<int32_t>(TDRT_F64, TDRT_I32, values),
            (std::vector<int32_t>{1, -1, INT32_MAX, INT32_MIN, INT32_MAX,
                                  INT32_MIN, INT32_MAX, 0}));
  EXPECT_EQ(as<int64_t>(TDRT_F64, TDRT_I64, values),
            (std::vector<int64_t>{1, -1, 3000000000, -3000000000, INT64_MAX,
                                  INT64_MIN, INT64_MAX, 0}));
  EXPECT_EQ(as<uint8_t>(TDRT_F64, TDRT_U8, values),
            (std::vector<uint8_t>{1, 0, 255, 0, 255, 0, 255, 0}));
  EXPECT_EQ(as<uint16_t>(TDRT_F64, TDRT_U16, values),
            (std::vector<uint16_t>{1, 0, 65535, 0, 65535, 0, 65535, 0}));
  EXPECT_EQ(as<uint32_t>(TDRT_F64, TDRT_U32, values),
            (std::vector<uint32_t>{1, 0, 3000000000, 0, UINT32_MAX, 0,
                                   UINT32_MAX, 0}));
  EXPECT_EQ(as<uint64_t>(TDRT_F64, TDRT_U64, values),
            (std::vector<uint64_t>{1, 0, 3000000000, 0, UINT64_MAX, 0,
                                   UINT64_C(10000000000000000000), 0}));
  EXPECT_EQ(as<uint8_t>(TDRT_F64, TDRT_BOOL, values),
            (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 1, 1}));
}

// Values that the dtype represents come back from f32 unchanged. A value
// between two neighbours is rounded to the nearer one, from the middle to the
// even one.
void checkEach(int32_t dtype, uint16_t infinity) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    bool isNaN = (bits & 0x7fff) > infinity;
    std::vector<uint16_t> half = {static_cast<uint16_t>(bits)};
    double value = as<double>(dtype, TDRT_F64, half)[0];
    uint16_t back =
        as<uint16_t>(TDRT_F64, dtype, std::vector<double>{value})[0];
    ASSERT_EQ(std::isnan(value), isNaN) << bits;
    if (isNaN)
      EXPECT_GT(back & 0x7fff, infinity) << bits;
    else
      ASSERT_EQ(back, bits);
    EXPECT_EQ(as<float>(dtype, TDRT_F32, half)[0] == value, !isNaN);
    if ((bits & 0x7fff) + 1 >= infinity)
      continue;
    ++half[0];
    double next = as<double>(dtype, TDRT_F64, half)[0];
    double middle = value / 2 + next / 2;
    std::vector<double> between = {middle, std::nextafter(middle, value),
                                   std::nextafter(middle, next)};
    std::vector<uint16_t> nearest = as<uint16_t>(TDRT_F64, dtype, between);
    ASSERT_EQ(nearest[0], (bits + 1) & ~1u) << bits;
    ASSERT_EQ(nearest[1], bits);
    ASSERT_EQ(nearest[2], bits + 1);
  }
}

TEST(ConvertTest, EveryHalf) { checkEach(TDRT_F16, 0x7c00); }
TEST(ConvertTest, EveryBfloat) { checkEach(TDRT_BF16, 0x7f80); }

// Also in threads that run compiled code, which treats denormals as zero.
TEST(ConvertTest, DenormalsAreKept) {
  ScopedDenormals flush(Denormals::Flush);
  std::vector<uint32_t> least = {1}; // 2^-149
  EXPECT_EQ(as<uint64_t>(TDRT_F32, TDRT_F64, least)[0],
            static_cast<uint64_t>(1023 - 149) << 52);
  std::vector<uint16_t> bfloat = {1}; // 2^-133
  EXPECT_EQ(as<uint32_t>(TDRT_BF16, TDRT_F32, bfloat)[0], 1u << 16);
}

TEST(ConvertTest, WhatIsExact) {
  // Rows: from; columns: to; both f64 f32 f16 bf16 i64 i32 i16 i8 u8 bool u16
  // u32 u64.
  static const char *const rows[] = {
      "1000000000000", "1100000000000", "1110000000000", "1101000000000",
      "0000100000000", "1000110000000", "1100111000000", "1111111100000",
      "1111111010111", "1111111111111", "1100110000111", "1000100000011",
      "0000000000001"};
  for (int from = 0; from < 13; ++from)
    for (int to = 0; to < 13; ++to)
      EXPECT_EQ(isExact(from, to), rows[from][to] == '1') << from << ' ' << to;
}

TEST(ConvertTest, MoreThanIsConvertedAtATime) {
  std::vector<uint8_t> values(1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i % 251;
  std::vector<float> floats = as<float>(TDRT_U8, TDRT_F32, values);
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(floats[i], values[i]) << i;
}

} // namespace
