//===- ValuesTest.cpp - what the statements computed, in functions --------===//

#include "Programs.h"
#include <atomic>
#include <thread>

using namespace capi_test;

namespace {

/// Values of a size that is known, of one that is not, and numbers.
const char *const kValues = R"(
let data = tensor([[1.0, 2.0], [3.0, 6.0]])
let mean = data.mean(0)
let n = int(data.sum().item()) - 9
let table = rand(n, 2) * 0.0 + 3.0
var steps = 0
for i in range(n) { steps += i }
let net = Linear(2, 1)
export fn center(x: f32[N, 2]) -> f32[N, 2] = x - mean
export fn rows(x: f32[2]) -> f32[M, 2] = table + x * float(steps)
export fn step(x: f32[N, 2]) -> f32[] {
    let loss = net(x - mean).sum()
    loss.backward()
    return loss
}
)";

TEST(ValuesTest, FunctionsUseThem) {
  Program program(kValues);
  Module module(program);
  EXPECT_EQ(program.find("center")->runs_alone, 0);
  EXPECT_EQ(program.find("rows")->runs_alone, 0);
  Floats x({2, 2}, {0, 0, 5, 6}), y({2}, {1, 2});
  tdc_tensor input = x.get(), output = {};
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("center"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_EQ(floatsOf(output), (std::vector<float>{-2, -4, 3, 2}));
  tdc_tensor_free(&output);
  // n is 3, and 0 + 1 + 2 is 3.
  input = y.get();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(
        tdc_call(module, program.find("rows"), 1, &input, 1, &output, &error),
        TDC_OK)
        << error.text();
    EXPECT_EQ(floatsOf(output), (std::vector<float>{6, 9, 6, 9, 6, 9}));
    tdc_tensor_free(&output);
  }
}

// They are no state: neither listed nor saved.
TEST(ValuesTest, AreNoState) {
  std::string path = testing::TempDir() + "capi_values_test.safetensors";
  std::string saves = kValues + ("save(\"" + path + "\", net=net)\n");
  Program program(saves.c_str());
  ASSERT_EQ(tdc_state_count(program), 2u);
  EXPECT_STREQ(tdc_state_get(program, 0)->name, "net.weight");
  Module module(program);
  Error error;
  // The module reads files that the program saves, and the other way round.
  ASSERT_EQ(tdc_restore(module, path.c_str(), &error), TDC_OK) << error.text();
  ASSERT_EQ(tdc_save(module, path.c_str(), &error), TDC_OK) << error.text();
  std::string restores = kValues + ("restore(\"" + path + "\", net=net)\n");
  Program second(restores.c_str());
  Module fresh(second);
  EXPECT_EQ(tdc_save(fresh, path.c_str(), &error), TDC_OK) << error.text();
  unlink(path.c_str());
}

// Functions that only read run concurrently, and all see the same values.
TEST(ValuesTest, OnSeveralThreads) {
  Program program(kValues);
  Module module(program);
  const tdc_function *rows = program.find("rows");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      Floats x({2}, {float(k), 1});
      tdc_tensor input = x.get();
      for (int i = 0; i < 300; ++i) {
        tdc_tensor output = {};
        if (tdc_call(module, rows, 1, &input, 1, &output, nullptr) != TDC_OK ||
            floatsOf(output) != std::vector<float>{3 + 3.f * k, 6, 3 + 3.f * k,
                                                   6, 3 + 3.f * k, 6})
          ++wrong;
        tdc_tensor_free(&output);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

} // namespace
