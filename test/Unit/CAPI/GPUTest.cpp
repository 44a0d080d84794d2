//===- GPUTest.cpp - modules that use a GPU -------------------------------===//

#include "Programs.h"
#include <cstdlib>

using namespace capi_test;

namespace {

// On a simulated one. No other test asks the driver, which is opened once.
TEST(GPUTest, CallsAndState) {
  setenv("TDC_SIM_CUDA", "1", 1);
  std::string text = kLinear;
  text.insert(text.find("let optimizer"), "net.to(cuda)\n");
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

} // namespace
