//===- FormatsTest.cpp - files written by other programs ------------------===//
//
// data/make_files.py and data/make_images.py wrote them with NumPy, Python and
// PIL. Files that are saved here are compared with NumPy's own bytes.
//
//===----------------------------------------------------------------------===//

#include "support/Files.h"
#include "support/TestProgram.h"
#include "tdc_files.h"
#include <atomic>
#include <cmath>
#include <functional>
#include <thread>

using namespace tdrt_test;

namespace {

const std::string data = TDRT_TEST_DATA "/";

using Load = decltype(tdrt_load);

class FormatsTest : public testing::Test {
protected:
  tdrt_program program = emptyProgram();
  Opened ctx{program};
  TemporaryFolder folder;

  /// The numbers of a file, which must have the given dtype and sizes.
  template <class T>
  std::vector<T> load(const std::string &path, int32_t dtype,
                      const std::vector<int64_t> &dims,
                      const char *key = nullptr, Load *function = tdrt_load) {
    std::vector<int64_t> found(dims.size(), -1);
    void *values = nullptr;
    int32_t status =
        function(ctx, path.c_str(), key, dtype,
                 static_cast<int32_t>(found.size()), found.data(), &values, -1);
    EXPECT_EQ(status, 0) << ctx.error();
    if (status)
      return {};
    EXPECT_EQ(found, dims) << path;
    int64_t count = 1;
    for (int64_t size : found)
      count *= size;
    auto *first = static_cast<T *>(values);
    std::vector<T> result(first, first + count);
    tdrt_free(ctx, 0, values);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), 0);
    return result;
  }
};

template <class T> std::vector<T> counting(int n, int modulus = 100) {
  std::vector<T> numbers(n);
  for (int i = 0; i < n; ++i)
    numbers[i] = static_cast<T>(i % modulus);
  return numbers;
}

TEST_F(FormatsTest, Bfloat16OfNumPy) {
  auto values = load<uint16_t>(data + "bf16.npy", TDRT_BF16, {2, 3});
  ASSERT_EQ(values,
            (std::vector<uint16_t>{0, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0}));
  int64_t dims[] = {2, 3};
  tdrt_tensor tensor = {values.data(), TDRT_BF16, 2, dims};
  std::string copy = folder / "bf16.npy";
  ASSERT_EQ(tdrt_save_tensor(ctx, copy.c_str(), &tensor, -1), 0);
  EXPECT_EQ(readFile(copy), readFile(data + "bf16.npy"));
}

TEST_F(FormatsTest, Npz) {
  for (std::string name : {"stored.npz", "deflated.npz"}) {
    std::string path = data + name;
    EXPECT_EQ(load<float>(path, TDRT_F32, {2, 3}, "a"), counting<float>(6));
    EXPECT_EQ(load<float>(path, TDRT_F32, {2, 3}, "a.npy", tdrt_load_npz),
              counting<float>(6));
    EXPECT_EQ(load<int64_t>(path, TDRT_I64, {4}, "b.weight"),
              counting<int64_t>(4));
    EXPECT_EQ(load<int32_t>(path, TDRT_I32, {2, 3, 4}, "columns"),
              counting<int32_t>(24));
    EXPECT_EQ(load<uint8_t>(path, TDRT_BOOL, {2}, "flag"),
              counting<uint8_t>(2));
    EXPECT_EQ(load<float>(path, TDRT_F32, {0, 2}, "none").size(), 0u);
  }
  EXPECT_EQ(load<uint8_t>(data + "deflated.npz", TDRT_U8, {100, 1000}, "large"),
            std::vector<uint8_t>(100000));
  EXPECT_EQ(load<float>(data + "other.npz", TDRT_F32, {2, 3}, "a"),
            counting<float>(6));
  EXPECT_EQ(load<float>(data + "streamed.npz", TDRT_F32, {2, 3}, "a"),
            counting<float>(6));
}

TEST_F(FormatsTest, NpzIsSaved) {
  std::vector<float> values = counting<float>(6);
  int64_t dims[] = {2, 3};
  tdrt_tensor tensor = {values.data(), TDRT_F32, 2, dims};
  std::string path = folder / "x.npz";
  ASSERT_EQ(tdrt_save_tensor(ctx, path.c_str(), &tensor, -1), 0);
  EXPECT_EQ(load<float>(path, TDRT_F32, {2, 3}, "arr_0"), values);
}

TEST_F(FormatsTest, Csv) {
  EXPECT_EQ(load<double>(data + "plain.csv", TDRT_F64, {3, 4}),
            counting<double>(12));
  EXPECT_EQ(load<float>(data + "plain.csv", TDRT_F32, {3, 4}),
            counting<float>(12));
  EXPECT_EQ(load<int64_t>(data + "names.csv", TDRT_I64, {3, 4}),
            counting<int64_t>(12));
  EXPECT_EQ(load<int32_t>(data + "names.csv", TDRT_I32, {3, 4}),
            counting<int32_t>(12));
  EXPECT_EQ(load<int16_t>(data + "names.csv", TDRT_I16, {3, 4}),
            counting<int16_t>(12));
  EXPECT_EQ(load<uint8_t>(data + "names.csv", TDRT_U8, {3, 4}, nullptr,
                          tdrt_load_csv),
            counting<uint8_t>(12));
  auto quoted = load<float>(data + "quoted.csv", TDRT_F32, {3, 2});
  ASSERT_EQ(quoted.size(), 6u);
  EXPECT_EQ(quoted[0], 1.5f);
  EXPECT_EQ(quoted[1], -2.0f);
  EXPECT_TRUE(std::isnan(quoted[2]));
  EXPECT_EQ(quoted[3], INFINITY);
  EXPECT_EQ(quoted[4], 1000.0f);
  EXPECT_EQ(quoted[5], 0.0f);
}

TEST_F(FormatsTest, CsvOfTinyNumbers) {
  std::string path = folder / "x.csv";
  writeFile(path, "1e-400\n-1e-400\n4.9406564584124654e-324\n1e-320\n");
  EXPECT_EQ(load<double>(path, TDRT_F64, {4}),
            (std::vector<double>{0, 0, 4.9406564584124654e-324, 1e-320}));
  EXPECT_EQ(load<float>(path, TDRT_F32, {4}), std::vector<float>(4, 0));
}

TEST_F(FormatsTest, CsvOfOneColumn) {
  std::string path = folder / "x.csv";
  writeFile(path, "label\n1\n-128\n 127 \n\n\n");
  EXPECT_EQ(load<int8_t>(path, TDRT_I8, {3}),
            (std::vector<int8_t>{1, -128, 127}));
  writeFile(path, "x\n0\n18446744073709551615\n9223372036854775808");
  EXPECT_EQ(load<uint64_t>(path, TDRT_U64, {3}),
            (std::vector<uint64_t>{0, UINT64_MAX, UINT64_C(1) << 63}));
  writeFile(path, "true\nfalse\n1\n0");
  EXPECT_EQ(load<uint8_t>(path, TDRT_BOOL, {4}),
            (std::vector<uint8_t>{1, 0, 1, 0}));
}

TEST_F(FormatsTest, CsvAcrossBuffers) {
  // Longer than one read, so that fields are cut at any place.
  std::string path = folder / "x.csv", text;
  for (int i = 0; i < 40000; ++i)
    text += std::to_string(i) + ",\"" + std::to_string(-i) + "\"\r\n";
  writeFile(path, text);
  auto values = load<int32_t>(path, TDRT_I32, {40000, 2});
  ASSERT_EQ(values.size(), 80000u);
  for (int i = 0; i < 40000; ++i)
    ASSERT_TRUE(values[2 * i] == i && values[2 * i + 1] == -i) << i;
}

TEST_F(FormatsTest, Idx) {
  EXPECT_EQ(load<uint8_t>(data + "u1-idx2-ubyte", TDRT_U8, {2, 3}),
            counting<uint8_t>(6));
  EXPECT_EQ(load<uint8_t>(data + "u1.idx2.gz", TDRT_U8, {2, 3}, nullptr,
                          tdrt_load_idx),
            counting<uint8_t>(6));
  EXPECT_EQ(load<int8_t>(data + "i1-idx2-ubyte", TDRT_I8, {2, 3}),
            counting<int8_t>(6));
  EXPECT_EQ(load<int16_t>(data + "i2-idx2-ubyte", TDRT_I16, {2, 3}),
            counting<int16_t>(6));
  EXPECT_EQ(load<int32_t>(data + "i4-idx2-ubyte", TDRT_I32, {2, 3}),
            counting<int32_t>(6));
  EXPECT_EQ(load<float>(data + "f4-idx2-ubyte", TDRT_F32, {2, 3}),
            counting<float>(6));
  EXPECT_EQ(load<double>(data + "f8-idx2-ubyte", TDRT_F64, {2, 3}),
            counting<double>(6));
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

constexpr int64_t height = 11, width = 13;

/// The numbers that make_images.py writes, each passed through `change`.
template <class T>
std::vector<T> pattern(int channels, int limit,
                       const std::function<int(int)> &change) {
  std::vector<T> numbers;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        numbers.push_back(static_cast<T>(change(
            (y * 31 + x * 7 + c * 50) * std::max(limit / 256, 1) % limit)));
  return numbers;
}
template <class T>
std::vector<T> pattern(int channels, int limit, int factor = 1) {
  return pattern<T>(channels, limit, [=](int n) { return n * factor; });
}

TEST_F(FormatsTest, ImagesAsPilReadsThem) {
  const std::pair<const char *, int64_t> images[] = {
      {"l.png", 1},          {"la.png", 2},         {"rgb.png", 3},
      {"rgba.png", 4},       {"gray.jpg", 1},       {"rgb.jpg", 3},
      {"subsampled.jpg", 3}, {"progressive.jpg", 3}};
  for (auto [name, channels] : images) {
    std::vector<int64_t> dims = {height, width};
    if (channels > 1)
      dims.push_back(channels);
    EXPECT_EQ(load<uint8_t>(data + name, TDRT_U8, dims),
              load<uint8_t>(data + name + ".npy", TDRT_U8, dims))
        << name;
  }
}

TEST_F(FormatsTest, EveryFormOfPng) {
  std::vector<int64_t> gray = {height, width}, rgb = {height, width, 3},
                       rgba = {height, width, 4};
  auto load8 = [&](const char *name, const std::vector<int64_t> &dims) {
    return load<uint8_t>(data + name + ".png", TDRT_U8, dims, nullptr,
                         tdrt_load_png);
  };
  EXPECT_EQ(load8("gray1", gray), pattern<uint8_t>(1, 2, 255));
  EXPECT_EQ(load8("gray2", gray), pattern<uint8_t>(1, 4, 85));
  EXPECT_EQ(load8("gray4", gray), pattern<uint8_t>(1, 16, 17));
  EXPECT_EQ(load8("texts", gray), pattern<uint8_t>(1, 256));
  EXPECT_EQ(load8("rgb-interlaced", rgb), pattern<uint8_t>(3, 256));
  auto load16 = [&](const char *name, const std::vector<int64_t> &dims) {
    return load<int32_t>(data + name + ".png", TDRT_I32, dims);
  };
  EXPECT_EQ(load16("gray16", gray), pattern<int32_t>(1, 65536));
  EXPECT_EQ(load16("rgb16", rgb), pattern<int32_t>(3, 65536));
  EXPECT_EQ(load16("rgb16-interlaced", rgb), pattern<int32_t>(3, 65536));

  // A palette becomes its colours, a transparent shade becomes another channel.
  std::vector<uint8_t> colours, alphas, keyed;
  for (int n : pattern<int>(1, 16)) {
    for (int c = 0; c < 3; ++c) {
      colours.push_back((3 * n + c) * 5);
      alphas.push_back((3 * n + c) * 5);
    }
    alphas.push_back(n * 10);
  }
  for (int n : pattern<int>(1, 256)) {
    keyed.push_back(n);
    keyed.push_back(n == 7 ? 0 : 255);
  }
  EXPECT_EQ(load8("palette", rgb), colours);
  EXPECT_EQ(load8("palette-alpha", rgba), alphas);
  EXPECT_EQ(load8("gray-key", {height, width, 2}), keyed);
}

TEST_F(FormatsTest, EndingsAreReadInAnyCase) {
  std::string path = folder / "X.JPG";
  writeFile(path, readFile(data + "gray.jpg"));
  EXPECT_EQ(load<uint8_t>(path, TDRT_U8, {height, width}),
            load<uint8_t>(data + "gray.jpg.npy", TDRT_U8, {height, width}));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// An .npy file of f32[rows, 256] that is a hole on the disk.
void writeSparse(const std::string &path, int64_t rows) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", 256), }";
  header += std::string(117 - header.size(), ' ') + "\n";
  writeFile(path, npy(header));
  ASSERT_EQ(truncate(path.c_str(), 128 + rows * 1024), 0);
}

TEST_F(FormatsTest, LargeFilesAreViews) {
  // 256 GB.
  constexpr int64_t rows = 256 << 20;
  std::string path = folder / "x.npy";
  writeSparse(path, rows);
  int fd = open(path.c_str(), O_WRONLY);
  const float last = 2.5;
  ASSERT_EQ(pwrite(fd, &last, 4, 128 + rows * 1024 - 4), 4);
  close(fd);
  int64_t dims[] = {-1, 256};
  void *values = nullptr;
  ASSERT_EQ(
      tdrt_load(ctx, path.c_str(), nullptr, TDRT_F32, 2, dims, &values, -1), 0)
      << ctx.error();
  EXPECT_EQ(dims[0], rows);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values) % 64, 0u);
  auto *numbers = static_cast<float *>(values);
  EXPECT_EQ(numbers[0], 0.0f);
  EXPECT_EQ(numbers[rows * 256 - 1], 2.5f);
  EXPECT_EQ(numbers[rows * 256 + 15], 0.0f); // of the slack
  // Writes to the view do not reach the file.
  numbers[1] = 7;
  EXPECT_EQ(tdrt_bytes_in_use(ctx), 0);
  tdrt_free(ctx, 0, values);
}

TEST_F(FormatsTest, ViewsOfManyThreads) {
  // More views than are watched at one time: the other files are read.
  std::string path = folder / "x.npy";
  writeSparse(path, TDRT_MAP_FROM / 1024);
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Opened own(program);
      std::vector<void *> views(17);
      for (void *&view : views) {
        int64_t dims[] = {-1, 256};
        failed += tdrt_load(own, path.c_str(), nullptr, TDRT_F32, 2, dims,
                            &view, -1) != 0 ||
                  static_cast<float *>(view)[TDRT_MAP_FROM / 8] != 0;
      }
      for (void *view : views)
        tdrt_free(own, 0, view);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(FormatsTest, AViewThatIsCutOffEndsTheProgram) {
  std::string path = folder / "x.npy";
  writeSparse(path, TDRT_MAP_FROM / 1024);
  auto read = [&] {
    int64_t dims[] = {-1, 256};
    void *values = nullptr;
    if (tdrt_load(ctx, path.c_str(), nullptr, TDRT_F32, 2, dims, &values, -1))
      _exit(1);
    if (truncate(path.c_str(), 4096) != 0)
      _exit(1);
    volatile float number = static_cast<float *>(values)[TDRT_MAP_FROM / 8];
    _exit(number == 0 ? 0 : 1);
  };
  EXPECT_EXIT(read(), testing::ExitedWithCode(3),
              "error\\[TR704\\]: `.*x.npy`: the file became shorter");
}

} // namespace
