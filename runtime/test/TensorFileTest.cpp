//===- TensorFileTest.cpp - files that numpy and safetensors wrote --------===//

#include "base/XXH64.h"
#include "support/TestProgram.h"
#include "tdc_files.h"
#include <cstring>

using namespace tdrt_test;

namespace {

const std::string data = TDRT_TEST_DATA "/";

class TensorFileTest : public testing::Test {
protected:
  tdrt_program program = emptyProgram();
  Opened ctx{program};
  TemporaryFolder folder;

  int32_t load(const std::string &path, const char *key, int32_t dtype,
               std::vector<int64_t> &dims, void **to) {
    return tdrt_load(ctx, path.c_str(), key, dtype,
                     static_cast<int32_t>(dims.size()), dims.data(), to, -1);
  }
};

template <class T>
void expectCounting(const void *data, int64_t n, int modulus = 100) {
  for (int64_t i = 0; i < n; ++i)
    EXPECT_EQ(static_cast<const T *>(data)[i], static_cast<T>(i % modulus));
}

TEST_F(TensorFileTest, EveryDtypeOfNumpy) {
  const std::pair<const char *, int32_t> rows[] = {
      {"f8", TDRT_F64},  {"f4", TDRT_F32}, {"f2", TDRT_F16}, {"i8", TDRT_I64},
      {"i4", TDRT_I32},  {"i2", TDRT_I16}, {"i1", TDRT_I8},  {"u1", TDRT_U8},
      {"b1", TDRT_BOOL}, {"u2", TDRT_U16}, {"u4", TDRT_U32}, {"u8", TDRT_U64}};
  for (auto [name, dtype] : rows) {
    std::string path = data + name + ".npy";
    std::vector<int64_t> dims = {-1, 3};
    void *values = nullptr;
    ASSERT_EQ(load(path, nullptr, dtype, dims, &values), 0) << ctx.error();
    EXPECT_EQ(dims, (std::vector<int64_t>{2, 3}));
    if (dtype == TDRT_F64)
      expectCounting<double>(values, 6);
    if (dtype == TDRT_F32)
      expectCounting<float>(values, 6);
    if (dtype == TDRT_I64)
      expectCounting<int64_t>(values, 6);
    if (dtype == TDRT_BOOL)
      expectCounting<uint8_t>(values, 6, 2);
    // Saving the tensor again gives numpy's bytes.
    tdrt_tensor tensor = {values, dtype, 2, dims.data()};
    std::string copy = folder / name;
    ASSERT_EQ(tdrt_save_tensor(ctx, copy.c_str(), &tensor, -1), 0);
    EXPECT_EQ(readFile(copy), readFile(path)) << name;
    tdrt_free(ctx, 0, values);
  }
  EXPECT_EQ(tdrt_bytes_in_use(ctx), 0);
}

TEST_F(TensorFileTest, ScalarsVectorsAndNothing) {
  const std::pair<const char *, std::vector<int64_t>> rows[] = {
      {"scalar", {}}, {"vector", {5}}, {"empty", {0, 4}}};
  for (const auto &[name, shape] : rows) {
    std::vector<int64_t> dims(shape.size(), -1);
    void *values = nullptr;
    ASSERT_EQ(load(data + name + ".npy", nullptr, TDRT_F32, dims, &values), 0);
    EXPECT_EQ(dims, shape);
    tdrt_tensor tensor = {values, TDRT_F32, static_cast<int32_t>(dims.size()),
                          dims.data()};
    std::string copy = folder / name;
    ASSERT_EQ(tdrt_save_tensor(ctx, copy.c_str(), &tensor, -1), 0);
    EXPECT_EQ(readFile(copy), readFile(data + name + ".npy"));
    tdrt_free(ctx, 0, values);
  }
}

TEST_F(TensorFileTest, ColumnsBecomeRows) {
  std::vector<int64_t> dims = {2, 3, 4};
  void *values = nullptr;
  ASSERT_EQ(load(data + "columns.npy", nullptr, TDRT_I32, dims, &values), 0);
  expectCounting<int32_t>(values, 24);
}

TEST_F(TensorFileTest, LaterVersions) {
  for (const char *name : {"version2.npy", "version3.npy"}) {
    float values[6];
    void *to = values;
    std::vector<int64_t> dims = {2, 3};
    ASSERT_EQ(load(data + name, nullptr, TDRT_F32, dims, &to), 0);
    EXPECT_EQ(to, values);
    expectCounting<float>(values, 6);
  }
}

TEST_F(TensorFileTest, Safetensors) {
  std::string path = data + "some.safetensors";
  std::vector<int64_t> dims = {-1, -1};
  void *values = nullptr;
  ASSERT_EQ(load(path, "a", TDRT_F32, dims, &values), 0) << ctx.error();
  expectCounting<float>(values, 6);
  dims = {4};
  values = nullptr;
  ASSERT_EQ(load(path, "b.weight", TDRT_I64, dims, &values), 0);
  expectCounting<int64_t>(values, 4);
  dims = {};
  values = nullptr;
  ASSERT_EQ(load(path, "one", TDRT_U8, dims, &values), 0);
  EXPECT_EQ(*static_cast<uint8_t *>(values), 7);
  dims = {-1, 2};
  values = nullptr;
  ASSERT_EQ(load(path, "none", TDRT_F32, dims, &values), 0);
  EXPECT_EQ(dims[0], 0);

  tdrt::SafetensorsHeader header;
  ASSERT_FALSE(tdrt::inspectSafetensors(path.c_str(), header));
  EXPECT_EQ(header.tensors.size(), 5u);
  EXPECT_EQ(*header.findMetadata("format"), "np");
  EXPECT_EQ(*header.findMetadata("naïve"), "é");
}

TEST_F(TensorFileTest, OtherTypeThanDeclared) {
  std::string path = data + "f4.npy";
  std::vector<int64_t> dims = {-1, 28};
  void *values = nullptr;
  EXPECT_EQ(load(path, nullptr, TDRT_U8, dims, &values), 701);
  EXPECT_EQ(values, nullptr);
  EXPECT_EQ(dims, (std::vector<int64_t>{-1, 28}));
  EXPECT_EQ(ctx.error(), "error[TR701]: `" + path +
                             "`: the file holds f32[2, 3], the program wants "
                             "u8[?, 28]\n");
}

TEST_F(TensorFileTest, InspectWithoutContext) {
  tdrt::FileTensor tensor;
  ASSERT_FALSE(
      tdrt::inspectTensorFile((data + "i8.npy").c_str(), nullptr, tensor));
  EXPECT_EQ(tensor.dtype, TDRT_I64);
  EXPECT_EQ(tensor.dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensor.bytes, 48u);
}

// The values of the specification's own test program (xxhsum's sanity check).
TEST(XXH64Test, KnownValues) {
  std::string buffer;
  uint64_t generator = 2654435761u;
  for (int i = 0; i < 101; ++i) {
    buffer += static_cast<char>(generator >> 56);
    generator *= 11400714785074694797u;
  }
  EXPECT_EQ(tdrt::xxh64("", 0), 0xEF46DB3751D8E999u);
  EXPECT_EQ(tdrt::xxh64(buffer.data(), 1), 0xE934A84ADB052768u);
  EXPECT_EQ(tdrt::xxh64(buffer.data(), 4), 0x9136A0DCA57457EEu);
  EXPECT_EQ(tdrt::xxh64(buffer.data(), 14), 0x8282DCC4994E35C8u);
  EXPECT_EQ(tdrt::xxh64("abc", 3), 0x44BC2CF5AD770999u);
  EXPECT_EQ(tdrt::hexText(0x0123456789abcdef), "0123456789abcdef");
}

} // namespace
