//===- DLPackTest.cpp - tensors of other frameworks -----------------------===//

#include "../../../lib/CAPI/DLPack.h"
#include "Programs.h"

using namespace capi_test;

namespace {

DLManagedTensorVersioned borrowed(void *data, DLDataType type,
                                  std::vector<int64_t> &shape) {
  DLManagedTensorVersioned managed = {};
  managed.version = {1, 1};
  managed.dl_tensor = {
      data, {kDLCPU, 0}, int32_t(shape.size()), type, shape.data(), nullptr, 0};
  return managed;
}

TEST(DLPackTest, EveryDtype) {
  struct Dtype {
    const char *name;
    DLDataType type;
  } dtypes[] = {{"f64", {kDLFloat, 64, 1}}, {"f32", {kDLFloat, 32, 1}},
                {"f16", {kDLFloat, 16, 1}}, {"bf16", {kDLBfloat, 16, 1}},
                {"i64", {kDLInt, 64, 1}},   {"i32", {kDLInt, 32, 1}},
                {"i16", {kDLInt, 16, 1}},   {"i8", {kDLInt, 8, 1}},
                {"u8", {kDLUInt, 8, 1}},    {"bool", {kDLBool, 8, 1}},
                {"u16", {kDLUInt, 16, 1}},  {"u32", {kDLUInt, 32, 1}},
                {"u64", {kDLUInt, 64, 1}}};
  std::string text;
  for (const Dtype &dtype : dtypes)
    text += std::string("export fn ") + dtype.name + "s(x: " + dtype.name +
            "[2, 3]) -> " + dtype.name + "[3, 2] = x.T\n";
  Program program(text);
  Module module(program);
  for (const Dtype &dtype : dtypes) {
    size_t bytes = dtype.type.bits / 8;
    // The bits of one and zero are valid in every dtype.
    std::vector<char> data(6 * bytes);
    data[bytes] = 1;
    std::vector<int64_t> shape = {2, 3};
    DLManagedTensorVersioned x = borrowed(data.data(), dtype.type, shape);
    DLManagedTensorVersioned *inputs[] = {&x}, *output;
    Error error;
    const tdc_function *transpose =
        program.find((dtype.name + std::string("s")).c_str());
    ASSERT_EQ(tdc_call_dlpack(module, transpose, 1, inputs, 1, &output, &error),
              TDC_OK)
        << error.text();
    const DLTensor &y = output->dl_tensor;
    EXPECT_EQ(output->version.major, 1u);
    EXPECT_EQ(y.dtype.code, dtype.type.code) << dtype.name;
    EXPECT_EQ(y.dtype.bits, dtype.type.bits);
    ASSERT_EQ(y.ndim, 2);
    EXPECT_EQ(y.shape[0], 3);
    EXPECT_EQ(y.strides[0], 2);
    EXPECT_EQ(y.strides[1], 1);
    // Element (0, 1) has become (1, 0).
    EXPECT_EQ(static_cast<char *>(y.data)[2 * bytes], 1) << dtype.name;
    output->deleter(output);
  }
}

TEST(DLPackTest, OffsetsAndStrides) {
  Program program("export fn f(x: f32[2]) -> f32[2] = x + 1\n");
  Module module(program);
  float data[] = {9, 1, 9, 2};
  std::vector<int64_t> shape = {2};
  int64_t strides[] = {2};
  DLManagedTensorVersioned x = borrowed(data, {kDLFloat, 32, 1}, shape);
  x.dl_tensor.byte_offset = 4;
  x.dl_tensor.strides = strides;
  DLManagedTensorVersioned *inputs[] = {&x}, *output;
  Error error;
  ASSERT_EQ(
      tdc_call_dlpack(module, program.find("f"), 1, inputs, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_EQ(static_cast<float *>(output->dl_tensor.data)[0], 2);
  EXPECT_EQ(static_cast<float *>(output->dl_tensor.data)[1], 3);
  output->deleter(output);
}

TEST(DLPackTest, Refused) {
  Program program("export fn f(x: f32[2]) -> f32[2] = x + 1\n");
  Module module(program);
  const tdc_function *f = program.find("f");
  float data[] = {1, 2};
  std::vector<int64_t> shape = {2};
  auto refuse = [&](auto change) {
    DLManagedTensorVersioned x = borrowed(data, {kDLFloat, 32, 1}, shape);
    change(x);
    DLManagedTensorVersioned *inputs[] = {&x}, *output;
    Error error;
    EXPECT_EQ(tdc_call_dlpack(module, f, 1, inputs, 1, &output, &error),
              TDC_USAGE_ERROR);
    EXPECT_EQ(output, nullptr);
    return error.text();
  };
  EXPECT_EQ(refuse([](auto &x) { x.version.major = 2; }),
            "error: input `x` of `f` is of version 2 of DLPack; tdc knows "
            "version 1\n");
  EXPECT_EQ(refuse([](auto &x) { x.dl_tensor.device.device_type = kDLCUDA; }),
            "error: input `x` of `f` is not on the cpu\n");
  EXPECT_EQ(refuse([](auto &x) { x.dl_tensor.dtype.lanes = 2; }),
            "error: input `x` of `f` has no dtype of tdc\n");
  EXPECT_EQ(refuse([](auto &x) { x.dl_tensor.dtype.code = 5; }),
            "error: input `x` of `f` has no dtype of tdc\n");
}

} // namespace
