//===- Programs.h - programs for the tests of tdc.h -----------------------===//

#ifndef TDC_TEST_UNIT_CAPI_PROGRAMS_H
#define TDC_TEST_UNIT_CAPI_PROGRAMS_H

#include "tdc/tdc.h"
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace capi_test {

/// A network that learns y = 2 a - b + 1 in calls of `step`.
inline const char *const kLinear = R"(
let net = Linear(2, 1)
let optimizer = SGD(net.parameters(), lr=0.1)
export fn predict(x: f32[N, 2]) -> f32[N, 1] = net(x)
export fn step(x: f32[N, 2], y: f32[N, 1]) -> f32[] {
    let loss = mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss
}
)";

/// Expects an error, and frees it.
class Error {
public:
  ~Error() { tdc_error_free(error); }
  tdc_error **operator&() { return &error; }
  std::string text() const { return error ? tdc_error_text(error) : ""; }
  std::string code() const { return first() ? first()->code : ""; }
  const tdc_diagnostic *first() const {
    return error ? tdc_error_get(error, 0) : nullptr;
  }

  tdc_error *error = nullptr;
};

class Program {
public:
  explicit Program(const std::string &text,
                   const tdc_options *options = nullptr) {
    Error error;
    EXPECT_EQ(tdc_compile_text(text.data(), text.size(), "test.tdsl", options,
                               &program, &error),
              TDC_OK)
        << error.text();
  }
  ~Program() { tdc_program_free(program); }
  Program(const Program &) = delete;
  operator tdc_program *() { return program; }

  const tdc_function *find(const char *name) {
    const tdc_function *function;
    Error error;
    EXPECT_EQ(tdc_find_function(program, name, &function, &error), TDC_OK)
        << error.text();
    return function;
  }

  tdc_program *program = nullptr;
};

class Module {
public:
  explicit Module(tdc_program *program) {
    Error error;
    EXPECT_EQ(tdc_open(program, &module, &error), TDC_OK) << error.text();
  }
  ~Module() { tdc_module_free(module); }
  Module(const Module &) = delete;
  operator tdc_module *() { return module; }

  tdc_module *module = nullptr;
};

/// A tensor that the test owns.
struct Floats {
  Floats(std::vector<int64_t> shape, std::vector<float> values)
      : shape(std::move(shape)), values(std::move(values)) {}
  tdc_tensor get() {
    return {values.data(), TDC_F32, int32_t(shape.size()), shape.data(),
            nullptr};
  }

  std::vector<int64_t> shape;
  std::vector<float> values;
};

inline std::vector<float> floatsOf(const tdc_tensor &tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i)
    count *= tensor.shape[i];
  const auto *data = static_cast<const float *>(tensor.data);
  return {data, data + count};
}

/// Four points of the function that kLinear learns.
inline Floats points() { return {{4, 2}, {0, 0, 1, 0, 0, 1, 1, 1}}; }
inline Floats targets() { return {{4, 1}, {1, 3, 0, 2}}; }

/// Trains for this many steps and returns the last loss.
inline float train(tdc_module *module, const tdc_function *step, int steps) {
  Floats x = points(), y = targets();
  float loss = -1;
  tdc_tensor inputs[] = {x.get(), y.get()};
  tdc_tensor output = {&loss, TDC_F32, 0, nullptr, nullptr};
  for (int i = 0; i < steps; ++i) {
    Error error;
    EXPECT_EQ(tdc_call(module, step, 2, inputs, 1, &output, &error), TDC_OK)
        << error.text();
  }
  return loss;
}

} // namespace capi_test

#endif // TDC_TEST_UNIT_CAPI_PROGRAMS_H
