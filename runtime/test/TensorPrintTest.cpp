//===- TensorPrintTest.cpp - tensors against PyTorch's texts --------------===//

#include "support/TestProgram.h"
#include <cmath>
#include <cstring>

using namespace tdrt_test;

namespace {

using Values = std::vector<double>;

std::vector<int64_t> dims(std::vector<int64_t> sizes) { return sizes; }
Values list(Values values) { return values; }

Values ramp(int n, double start, double step) {
  Values values;
  for (int i = 0; i < n; ++i)
    values.push_back(start + i * step);
  return values;
}

/// A value that would change the format, at a position that a summary omits.
Values spike() {
  Values values(1100, 1.5);
  values[500] = 1e20;
  return values;
}

uint16_t toHalf(double value) {
  // Enough for the table: normal numbers, rounded to nearest.
  uint32_t bits;
  float f = static_cast<float>(value);
  memcpy(&bits, &f, 4);
  uint32_t rounded = bits + 0xfff + ((bits >> 13) & 1);
  return static_cast<uint16_t>((rounded >> 16 & 0x8000) |
                               ((rounded >> 13 & 0x3ffff) - (112 << 10)));
}

uint16_t toBfloat(double value) {
  uint32_t bits;
  float f = static_cast<float>(value);
  memcpy(&bits, &f, 4);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

template <class T> void put(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

std::string encode(int32_t dtype, const Values &values) {
  std::string bytes;
  for (double v : values)
    switch (dtype) {
    case TDRT_F64:
      put(bytes, v);
      break;
    case TDRT_F32:
      put(bytes, static_cast<float>(v));
      break;
    case TDRT_F16:
      put(bytes, toHalf(v));
      break;
    case TDRT_BF16:
      put(bytes, toBfloat(v));
      break;
    case TDRT_I64:
      put(bytes, static_cast<int64_t>(v));
      break;
    case TDRT_I32:
      put(bytes, static_cast<int32_t>(v));
      break;
    case TDRT_I16:
      put(bytes, static_cast<int16_t>(v));
      break;
    case TDRT_I8:
      put(bytes, static_cast<int8_t>(v));
      break;
    case TDRT_U16:
      put(bytes, static_cast<uint16_t>(v));
      break;
    case TDRT_U32:
      put(bytes, static_cast<uint32_t>(v));
      break;
    case TDRT_U64:
      put(bytes, static_cast<uint64_t>(v));
      break;
    default:
      put(bytes, static_cast<uint8_t>(v));
    }
  return bytes;
}

TEST(TensorPrintTest, Table) {
  tdrt_program program = emptyProgram();
  Opened ctx(program);
  auto show = [&](int32_t dtype, const std::vector<int64_t> &sizes,
                  const Values &values) {
    std::string bytes = encode(dtype, values);
    tdrt_tensor tensor = {bytes.data(), dtype,
                          static_cast<int32_t>(sizes.size()), sizes.data()};
    return textOf(ctx, [&] { tdrt_out_tensor(ctx, &tensor); });
  };
#define TENSOR(NAME, DTYPE, DIMS, VALUES, TEXT)                                \
  EXPECT_EQ(show(DTYPE, DIMS, VALUES), TEXT) << NAME;
#include "TensorTable.inc"
}

TEST(TensorPrintTest, HalvesThatAreNoNormalNumbers) {
  tdrt_program program = emptyProgram();
  Opened ctx(program);
  auto show = [&](std::vector<uint16_t> bits) {
    const int64_t size = static_cast<int64_t>(bits.size());
    tdrt_tensor tensor = {bits.data(), TDRT_F16, 1, &size};
    return textOf(ctx, [&] { tdrt_out_tensor(ctx, &tensor); });
  };
  EXPECT_EQ(show({0x3800, 0x7c00, 0xfc00, 0x7e00}),
            "tensor([0.5000,    inf,   -inf,    nan], dtype=torch.float16)");
  EXPECT_EQ(show({0x0001}), "tensor([5.9605e-08], dtype=torch.float16)");
  EXPECT_EQ(show({0x83ff}), "tensor([-6.0976e-05], dtype=torch.float16)");
  EXPECT_EQ(show({0x8000}), "tensor([-0.], dtype=torch.float16)");
}

} // namespace
