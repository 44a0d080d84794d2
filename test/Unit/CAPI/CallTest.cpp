//===- CallTest.cpp - tdc_call, tensors in files --------------------------===//

#include "Programs.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace capi_test;

namespace {

const char *const kFunctions = R"(
export fn scale(x: f32[N, 2]) -> f32[N, 2] = x * 2
export fn both(x: f32[3], n: i64[]) -> (f32[3], i64[]) {
    return x + 1, n + 1
}
export fn pick(x: f32[4], i: i64[N]) -> f32[N] = x[i]
export fn swap(x: f32[4], y: f32[4]) -> (f32[4], f32[4]) { return y, x }
export fn next(x: f32[4]) -> (f32[4], f32[4]) { return x + 1, x }
export fn same(x: f32[4]) -> f32[4] = x
)";

class CallTest : public testing::Test {
protected:
  Program program{kFunctions};
  Module module{program};
};

TEST_F(CallTest, ResultsAreAllocated) {
  Floats x({3, 2}, {1, 2, 3, 4, 5, 6});
  tdc_tensor input = x.get(), output = {};
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("scale"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_EQ(output.dtype, TDC_F32);
  ASSERT_EQ(output.rank, 2);
  EXPECT_EQ(output.shape[0], 3);
  EXPECT_EQ(floatsOf(output), (std::vector<float>{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(output.data) % 64, 0u);
  tdc_tensor_free(&output);
  EXPECT_EQ(output.data, nullptr);
}

TEST_F(CallTest, ResultsGoWhereTheCallerSays) {
  Floats x({3, 2}, {1, 2, 3, 4, 5, 6}), y({3, 2}, {0, 0, 0, 0, 0, 0});
  tdc_tensor input = x.get(), output = y.get();
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("scale"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_EQ(y.values, (std::vector<float>{2, 4, 6, 8, 10, 12}));
  // In place is allowed: the input has been read before.
  ASSERT_EQ(
      tdc_call(module, program.find("scale"), 1, &output, 1, &output, &error),
      TDC_OK);
  EXPECT_EQ(y.values, (std::vector<float>{4, 8, 12, 16, 20, 24}));
}

// Also if a result is an unchanged input.
TEST_F(CallTest, OutputsThatAreInputs) {
  Floats x({4}, {1, 2, 3, 4}), y({4}, {5, 6, 7, 8});
  tdc_tensor both[] = {x.get(), y.get()};
  Error error;
  ASSERT_EQ(tdc_call(module, program.find("swap"), 2, both, 2, both, &error),
            TDC_OK)
      << error.text();
  EXPECT_EQ(x.values, (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(y.values, (std::vector<float>{1, 2, 3, 4}));

  ASSERT_EQ(tdc_call(module, program.find("next"), 1, both, 2, both, &error),
            TDC_OK);
  EXPECT_EQ(x.values, (std::vector<float>{6, 7, 8, 9}));
  EXPECT_EQ(y.values, (std::vector<float>{5, 6, 7, 8}));

  tdc_tensor made[] = {x.get(), {}};
  ASSERT_EQ(tdc_call(module, program.find("next"), 1, both, 2, made, &error),
            TDC_OK);
  EXPECT_EQ(x.values, (std::vector<float>{7, 8, 9, 10}));
  EXPECT_EQ(floatsOf(made[1]), (std::vector<float>{6, 7, 8, 9}));
  tdc_tensor_free(&made[1]);
}

TEST_F(CallTest, OutputsThatAreInputsInPart) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  int64_t four = 4;
  tdc_tensor input = {values.data(), TDC_F32, 1, &four, nullptr};
  tdc_tensor output = {values.data() + 1, TDC_F32, 1, &four, nullptr};
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("same"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_EQ(values, (std::vector<float>{1, 1, 2, 3, 4, 6}));
}

TEST_F(CallTest, OutputsThatOverlap) {
  std::vector<float> values = {1, 2, 3, 4, 5, 6, 7};
  int64_t four = 4;
  Floats x({4}, {0, 0, 0, 0});
  tdc_tensor input = x.get();
  tdc_tensor outputs[] = {
      {values.data(), TDC_F32, 1, &four, nullptr},
      {values.data() + 3, TDC_F32, 1, &four, nullptr},
  };
  Error error;
  EXPECT_EQ(
      tdc_call(module, program.find("next"), 1, &input, 2, outputs, &error),
      TDC_USAGE_ERROR);
  EXPECT_EQ(error.text(), "error: output `out1` of `next` shares memory with "
                          "output `out0`\n");
  EXPECT_EQ(values, (std::vector<float>{1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(CallTest, ResultsThatDoNotFit) {
  Floats x({3, 2}, {1, 2, 3, 4, 5, 6}), y({2, 2}, {7, 7, 7, 7});
  tdc_tensor input = x.get(), output = y.get();
  Error error;
  EXPECT_EQ(
      tdc_call(module, program.find("scale"), 1, &input, 1, &output, &error),
      TDC_USAGE_ERROR);
  EXPECT_EQ(error.text(),
            "error: output `out` of `scale` is f32[3, 2], not f32[2, 2]\n");
  EXPECT_EQ(y.values, (std::vector<float>{7, 7, 7, 7}));
  int64_t strides[] = {2, 1};
  output.strides = strides;
  Error strided;
  EXPECT_EQ(
      tdc_call(module, program.find("scale"), 1, &input, 1, &output, &strided),
      TDC_USAGE_ERROR);
}

// One result goes to the caller's memory, the other is allocated, or none is.
TEST_F(CallTest, SeveralResults) {
  Floats x({3}, {1, 2, 3}), y({3}, {0, 0, 0});
  int64_t n = 41;
  tdc_tensor inputs[] = {x.get(), {&n, TDC_I64, 0, nullptr, nullptr}};
  tdc_tensor outputs[] = {y.get(), {}};
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("both"), 2, inputs, 2, outputs, &error),
      TDC_OK)
      << error.text();
  EXPECT_EQ(y.values, (std::vector<float>{2, 3, 4}));
  EXPECT_EQ(*static_cast<int64_t *>(outputs[1].data), 42);
  tdc_tensor_free(&outputs[1]);
  outputs[0].dtype = TDC_I32;
  Error wrong;
  EXPECT_EQ(
      tdc_call(module, program.find("both"), 2, inputs, 2, outputs, &wrong),
      TDC_USAGE_ERROR);
  EXPECT_EQ(outputs[1].data, nullptr);
}

TEST_F(CallTest, Strides) {
  Floats x({2, 3}, {1, 2, 3, 4, 5, 6});
  int64_t shape[] = {3, 2}, strides[] = {1, 3};
  tdc_tensor input = {x.values.data(), TDC_F32, 2, shape, strides};
  tdc_tensor output = {};
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("scale"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_EQ(floatsOf(output), (std::vector<float>{2, 8, 4, 10, 6, 12}));
  tdc_tensor_free(&output);
}

// Memory that ends at the end of its page, and odd addresses: kernels must not
// read past the end.
TEST_F(CallTest, AnyAddress) {
  size_t page = sysconf(_SC_PAGESIZE);
  auto *memory =
      static_cast<char *>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  for (int64_t rows : {1, 3, 7, 64}) {
    for (size_t fromEnd : {0, 1, 3, 4, 64}) {
      int64_t shape[] = {rows, 2};
      size_t bytes = rows * 8;
      char *data = memory + page - bytes - fromEnd;
      std::vector<float> values(rows * 2, 1.5f), doubled(rows * 2, 3.0f);
      memcpy(data, values.data(), bytes);
      tdc_tensor input = {data, TDC_F32, 2, shape, nullptr}, output = {};
      Error error;
      ASSERT_EQ(tdc_call(module, program.find("scale"), 1, &input, 1, &output,
                         &error),
                TDC_OK)
          << error.text();
      EXPECT_EQ(floatsOf(output), doubled) << rows << " " << fromEnd;
      tdc_tensor_free(&output);
    }
  }
  munmap(memory, 2 * page);
}

TEST_F(CallTest, EmptyTensors) {
  int64_t shape[] = {0, 2};
  tdc_tensor input = {nullptr, TDC_F32, 2, shape, nullptr}, output = {};
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("scale"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_NE(output.data, nullptr);
  EXPECT_EQ(output.shape[0], 0);
  tdc_tensor_free(&output);
}

TEST_F(CallTest, InputsThatAreNone) {
  const tdc_function *scale = program.find("scale");
  int64_t shape[] = {3, 2}, negative[] = {-1, 2},
          huge[] = {int64_t(1) << 62, 2};
  float data[6] = {};
  struct Case {
    tdc_tensor input;
    const char *text;
  } cases[] = {
      {{data, 77, 2, shape, nullptr}, "has no dtype of tdc"},
      {{data, TDC_F32, 17, shape, nullptr}, "has 17 dims; it can have 0 to 16"},
      {{data, TDC_F32, -1, shape, nullptr}, "has -1 dims; it can have 0 to 16"},
      {{data, TDC_F32, 2, nullptr, nullptr}, "has no shape"},
      {{data, TDC_F32, 2, negative, nullptr}, "has a negative size"},
      {{data, TDC_F32, 2, huge, nullptr}, "is too large for any memory"},
      {{nullptr, TDC_F32, 2, shape, nullptr}, "has no data"},
  };
  for (const Case &wrong : cases) {
    tdc_tensor output = {};
    Error error;
    EXPECT_EQ(tdc_call(module, scale, 1, &wrong.input, 1, &output, &error),
              TDC_USAGE_ERROR);
    EXPECT_EQ(error.text(),
              std::string("error: input `x` of `scale` ") + wrong.text + "\n");
    EXPECT_EQ(output.data, nullptr);
  }
}

// An error of a run has a run's code.
TEST_F(CallTest, RunTimeErrors) {
  Floats x({3, 3}, std::vector<float>(9));
  tdc_tensor input = x.get(), output = {};
  Error type;
  EXPECT_EQ(
      tdc_call(module, program.find("scale"), 1, &input, 1, &output, &type),
      TDC_USAGE_ERROR);
  EXPECT_EQ(type.code(), "TR107");
  Floats four({4}, {1, 2, 3, 4});
  int64_t index[] = {0, 9}, two[] = {2};
  tdc_tensor inputs[] = {four.get(), {index, TDC_I64, 1, two, nullptr}};
  Error range;
  EXPECT_EQ(
      tdc_call(module, program.find("pick"), 2, inputs, 1, &output, &range),
      TDC_RUN_ERROR);
  EXPECT_EQ(range.code(), "TR103");
  EXPECT_EQ(range.first()->line, 6);
  EXPECT_EQ(output.data, nullptr);
  // The next call is not affected.
  index[1] = 3;
  Error none;
  ASSERT_EQ(
      tdc_call(module, program.find("pick"), 2, inputs, 1, &output, &none),
      TDC_OK)
      << none.text();
  EXPECT_EQ(floatsOf(output), (std::vector<float>{1, 4}));
  tdc_tensor_free(&output);
}

TEST_F(CallTest, FunctionOfAnotherProgram) {
  Program other(kFunctions);
  tdc_tensor input = {}, output = {};
  Error error;
  EXPECT_EQ(
      tdc_call(module, other.find("scale"), 1, &input, 1, &output, &error),
      TDC_USAGE_ERROR);
}

TEST_F(CallTest, NumberOfTensors) {
  Floats x({3, 2}, {1, 2, 3, 4, 5, 6});
  tdc_tensor inputs[] = {x.get(), x.get()}, output = {};
  Error error;
  EXPECT_EQ(
      tdc_call(module, program.find("scale"), 2, inputs, 1, &output, &error),
      TDC_USAGE_ERROR);
  EXPECT_EQ(error.text(), "error: `scale` has 1 input and 1 output; the call "
                          "has 2 inputs and 1 output\n");
}

TEST_F(CallTest, TensorsInFiles) {
  std::string path = testing::TempDir() + "capi_call_test.npy";
  Floats x({2, 3}, {1, 2, 3, 4, 5, 6});
  int64_t shape[] = {3, 2}, strides[] = {1, 3};
  tdc_tensor transposed = {x.values.data(), TDC_F32, 2, shape, strides};
  Error error;
  ASSERT_EQ(tdc_save_tensor(path.c_str(), &transposed, &error), TDC_OK)
      << error.text();
  tdc_tensor read;
  ASSERT_EQ(tdc_load_tensor(path.c_str(), nullptr, nullptr, &read, &error),
            TDC_OK)
      << error.text();
  EXPECT_EQ(read.shape[0], 3);
  EXPECT_EQ(floatsOf(read), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  tdc_tensor_free(&read);
  int64_t any[] = {-1, 2};
  tdc_tensor_type type = {"x", TDC_F32, 2, any};
  ASSERT_EQ(tdc_load_tensor(path.c_str(), nullptr, &type, &read, &error),
            TDC_OK)
      << error.text();
  tdc_tensor_free(&read);
  type.dtype = TDC_I64;
  Error wrong;
  EXPECT_EQ(tdc_load_tensor(path.c_str(), nullptr, &type, &read, &wrong),
            TDC_RUN_ERROR);
  EXPECT_EQ(wrong.code(), "TR701");
  EXPECT_EQ(read.data, nullptr);
  for (auto [dtype, rank] : {std::pair(99, 2), {0, 40}, {0, -1}}) {
    tdc_tensor_type none = {"x", dtype, rank, any};
    Error fault;
    EXPECT_EQ(tdc_load_tensor(path.c_str(), nullptr, &none, &read, &fault),
              TDC_USAGE_ERROR);
    EXPECT_EQ(fault.text().rfind("error: the type has ", 0), 0u)
        << fault.text();
  }
  unlink(path.c_str());
  Error missing;
  EXPECT_EQ(tdc_load_tensor(path.c_str(), nullptr, nullptr, &read, &missing),
            TDC_RUN_ERROR);
  EXPECT_EQ(missing.code(), "TR702");
}

} // namespace
