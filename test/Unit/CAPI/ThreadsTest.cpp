//===- ThreadsTest.cpp - one module, several threads ----------------------===//

#include "Programs.h"
#include <atomic>
#include <thread>

using namespace capi_test;

namespace {

// Four threads predict while a fifth trains: every prediction belongs to one
// state between two steps, since parameters change together.
TEST(ThreadsTest, PredictWhileTraining) {
  Program program(R"(
model Twice {
    param a: f32[64] = init.constant(1.0)
    param b: f32[64] = init.constant(1.0)
    fn forward(x: f32[64]) -> f32[64] = self.a * x - self.b * x
}
let net = Twice()
let optimizer = SGD(net.parameters(), lr=0.001)
export fn difference(x: f32[64]) -> f32[64] = net(x)
export fn step() -> f32[] {
    let loss = net.a.sum() + net.b.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
}
)");
  Module module(program);
  const tdc_function *difference = program.find("difference");
  const tdc_function *step = program.find("step");
  std::atomic<int> wrong{0}, failed{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  threads.reserve(5);
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      Floats x({64}, std::vector<float>(64, 2.0f)), y = x;
      tdc_tensor input = x.get(), output = y.get();
      // Predictions never stop, and the training thread still gets the lock.
      while (!done) {
        failed +=
            tdc_call(module, difference, 1, &input, 1, &output, nullptr) != 0;
        for (float value : y.values)
          wrong += value != 0;
      }
    });
  threads.emplace_back([&] {
    float loss;
    tdc_tensor output = {&loss, TDC_F32, 0, nullptr, nullptr};
    for (int i = 0; i < 2000; ++i)
      failed += tdc_call(module, step, 0, nullptr, 1, &output, nullptr) != 0;
    done = true;
  });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadsTest, CompileTrainPredict) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  float losses[4];
  for (float &loss : losses)
    threads.emplace_back([&loss] {
      Program program(kLinear);
      Module module(program);
      loss = train(module, program.find("step"), 100);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (float loss : losses) {
    EXPECT_LT(loss, 0.01f);
    EXPECT_EQ(loss, losses[0]);
  }
}

// In processes of their own: the first kernel decides how many there are.
TEST(ThreadsTest, NumberOfThreads) {
  auto multiply = [](int32_t threads) {
    Error error;
    EXPECT_EQ(tdc_set_threads(threads, &error), TDC_OK) << error.text();
    Program program(R"(
let x = ones(512, 512) * 0.5
export fn product() -> f32[] = (x @ x).sum()
)");
    Module module(program);
    float sum = 0;
    tdc_tensor output = {&sum, TDC_F32, 0, nullptr, nullptr};
    EXPECT_EQ(tdc_call(module, program.find("product"), 0, nullptr, 1, &output,
                       nullptr),
              TDC_OK);
    EXPECT_EQ(tdc_set_threads(threads, nullptr), TDC_OK);
    EXPECT_EQ(tdc_set_threads(threads + 1, &error), TDC_USAGE_ERROR);
    EXPECT_EQ(error.text(),
              "error: a kernel has started another number of threads before\n");
    std::fprintf(stderr, "sum %.0f\n", sum);
    std::_Exit(testing::Test::HasFailure() ? 1 : 0);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(multiply(1), testing::ExitedWithCode(0), "sum 33554432\n");
  EXPECT_EXIT(multiply(2), testing::ExitedWithCode(0), "sum 33554432\n");
  Error error;
  for (int32_t count : {-1, 0, 1025})
    EXPECT_EQ(tdc_set_threads(count, &error), TDC_USAGE_ERROR);
  EXPECT_EQ(error.text(),
            "error: the number of threads is 1 to 1024, not 1025\n");
}

} // namespace
