//===- GPUTest.cpp - modules that use a GPU -------------------------------===//

#include "Programs.h"
#include "tdc/tdc.hpp"
#include <cstdlib>

using namespace capi_test;

namespace {

/// kLinear on a simulated GPU. No other tests use the driver, which is opened
/// only once.
class GPUTest : public testing::Test {
protected:
  static void SetUpTestSuite() { setenv("TDC_SIM_CUDA", "1", 1); }

  GPUTest() { text.insert(text.find("let optimizer"), "net.to(cuda)\n"); }

  std::string text = kLinear;
};

TEST_F(GPUTest, MemoryBudget) {
  tdc_options options = {};
  options.size = sizeof(options);
  options.memory_budget = "cuda:0=1G";
  Program fits(text, &options);

  // Its weight and bias.
  options.memory_budget = "8";
  tdc_program *program;
  Error error;
  EXPECT_EQ(tdc_compile_text(text.data(), text.size(), "a.tdsl", &options,
                             &program, &error),
            TDC_PROGRAM_ERROR);
  EXPECT_EQ(error.code(), "TD512") << error.text();

  // The machine shows one GPU.
  options.memory_budget = "cuda:0=1G,cuda:3=1G";
  Error absent;
  EXPECT_EQ(tdc_compile_text(text.data(), text.size(), "a.tdsl", &options,
                             &program, &absent),
            TDC_PROGRAM_ERROR);
  EXPECT_EQ(absent.code(), "TD506") << absent.text();

  tdc::Options few;
  few.memoryBudget = "8";
  tdc::Expected<tdc::Module> module = tdc::loadText(text, "a.tdsl", few);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().status(), TDC_PROGRAM_ERROR);
}

// Values of statements that exports use are no state: they are not saved.
TEST(GPUValuesTest, AreNoState) {
  setenv("TDC_SIM_CUDA", "1", 1);
  Program program(R"(
let net = Linear(2, 1)
let far = ones(4).to(cuda)
export fn sum(x: f32[N, 2]) -> f32[] = net(x).sum() + far.sum().to(cpu)
)");
  Module module(program);
  std::string path = testing::TempDir() + "capi_gpu_values.safetensors";
  Error error;
  ASSERT_EQ(tdc_save(module, path.c_str(), &error), TDC_OK) << error.text();
  EXPECT_EQ(tdc_restore(module, path.c_str(), &error), TDC_OK) << error.text();
  unlink(path.c_str());
}

TEST_F(GPUTest, CallsAndState) {
  Program program(text);
  Module module(program);
  EXPECT_EQ(program.find("predict")->runs_alone, 1);
  EXPECT_LT(train(module, program.find("step"), 100), 0.01f);
  Floats x = points();
  tdc_tensor input = x.get(), output = {};
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("predict"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_NEAR(floatsOf(output)[1], 3, 0.1);
  tdc_tensor_free(&output);

  Error read, write, save, restore;
  EXPECT_EQ(tdc_state_read(module, "net.weight", &output, &read),
            TDC_RUN_ERROR);
  EXPECT_NE(read.text().find("on a GPU"), std::string::npos);
  EXPECT_EQ(tdc_state_write(module, "net.weight", &output, &write),
            TDC_RUN_ERROR);
  EXPECT_EQ(tdc_save(module, "never.safetensors", &save), TDC_RUN_ERROR);
  EXPECT_EQ(tdc_restore(module, "never.safetensors", &restore), TDC_RUN_ERROR);
}

// Functions use values that the program computed on a GPU. State on the cpu is
// still accessible from outside.
TEST_F(GPUTest, Values) {
  Program program(R"(
let net = Linear(2, 1).to(cpu)
let table = (rand(int(ones(3).sum().item()), 2) * 0.0 + 3.0).to(cuda)
let shift = ones(2).to(cuda)
export fn predict(x: f32[2]) -> f32[1] = net(x)
export fn rows(x: f32[2]) -> f32[N, 2] = (table + shift).cpu() + x
)");
  Module module(program);
  Floats x({2}, {1, 2});
  tdc_tensor input = x.get(), output = {};
  Error error;
  ASSERT_EQ(
      tdc_call(module, program.find("rows"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  EXPECT_EQ(floatsOf(output), (std::vector<float>{5, 6, 5, 6, 5, 6}));
  tdc_tensor_free(&output);
  EXPECT_EQ(tdc_state_read(module, "net.bias", &output, &error), TDC_OK)
      << error.text();
  tdc_tensor_free(&output);
}

} // namespace
