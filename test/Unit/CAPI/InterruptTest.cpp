//===- InterruptTest.cpp - stopping what runs -----------------------------===//

#include "Programs.h"
#include <csignal>
#include <sys/time.h>

using namespace capi_test;

namespace {

tdc_module *running;

/// Interrupts `running` every 10 ms from a signal handler as long as it exists:
/// one interruption may come before there is anything to stop.
class Interrupter {
public:
  Interrupter() {
    struct sigaction action = {};
    action.sa_handler = [](int) {
      if (running)
        tdc_interrupt(running);
    };
    sigaction(SIGALRM, &action, nullptr);
    setTimer(10000);
  }
  ~Interrupter() {
    setTimer(0);
    running = nullptr;
  }

private:
  static void setTimer(suseconds_t microseconds) {
    itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }
};

/// Functions that end for negative values only; `train` changes the state.
constexpr const char *kForEver = R"(
let net = Linear(4, 1)
let optimizer = SGD(net.parameters(), lr=0.0)
export fn spin(x: f32[1, 4]) -> f32[] {
    var total = x.sum()
    while (total >= 0.0).item() { total = total * 0.5 }
    return total
}
export fn train(x: f32[1, 4]) -> f32[] {
    var loss = x.sum()
    while (loss >= 0.0).item() {
        loss = net(x).sum() * 0.0
        loss.backward()
        optimizer.step()
    }
    return loss
}
)";

TEST(InterruptTest, Calls) {
  Program program(kForEver);
  Module module(program);
  Floats x({1, 4}, {1, 1, 1, 1});
  for (const char *name : {"spin", "train", "spin"}) {
    tdc_tensor input = x.get(), output = {};
    Error error;
    Interrupter interrupter;
    running = module;
    EXPECT_EQ(
        tdc_call(module, program.find(name), 1, &input, 1, &output, &error),
        TDC_INTERRUPTED);
    EXPECT_EQ(error.text(), "error: interrupted\n");
    EXPECT_EQ(output.data, nullptr);
  }
  // An interruption while nothing runs does not stop the next call.
  std::string path = testing::TempDir() + "interrupt.safetensors";
  Error saved, restored;
  tdc_interrupt(module);
  EXPECT_EQ(tdc_save(module, path.c_str(), &saved), TDC_OK) << saved.text();
  tdc_interrupt(module);
  EXPECT_EQ(tdc_restore(module, path.c_str(), &restored), TDC_OK)
      << restored.text();
  remove(path.c_str());
  tdc_interrupt(module);
  Floats negative({1, 4}, {-1, -1, -1, -1});
  tdc_tensor input = negative.get(), output = {};
  Error error;
  EXPECT_EQ(
      tdc_call(module, program.find("train"), 1, &input, 1, &output, &error),
      TDC_OK)
      << error.text();
  tdc_tensor_free(&output);
}

TEST(InterruptTest, Statements) {
  Program program("var x = zeros(4)\n"
                  "while (x.sum() < 1.0).item() { x = x * 0.5 }\n"
                  "print(x)\n");
  Error error;
  Interrupter interrupter;
  EXPECT_EQ(tdc_open(program, &running, &error), TDC_INTERRUPTED);
  EXPECT_EQ(running, nullptr);
  EXPECT_EQ(error.text(), "error: interrupted\n");
}

} // namespace
