//===- SharedCalls.cpp - one compiled program, called by four threads -----===//
//
// Linked with the code of examples/embed/net.tdsl, all of it under
// ThreadSanitizer: see `races` in scripts/test.py.
//
//===----------------------------------------------------------------------===//

#include "tdc_runtime.h"
#include <cstdio>
#include <thread>
#include <vector>

extern "C" const tdrt_program tdc_program;

/// Calls predict(x) for one row repeatedly; returns how often it failed or
/// differed.
static int askOften(tdrt_context *ctx, float number) {
  const int64_t dims[] = {1, 2};
  float x[] = {number, -number};
  float first = 0;
  int wrong = 0;
  for (int i = 0; i < 1000; ++i) {
    tdrt_tensor in = {x, TDRT_F32, 2, dims}, out;
    if (tdrt_call(ctx, 0, &in, &out) != 0)
      return 1;
    float result = *static_cast<const float *>(out.data);
    if (i == 0)
      first = result;
    wrong += result != first;
  }
  return wrong;
}

int main(int argc, char **argv) {
  tdrt_context *ctx;
  if (tdrt_open(&tdc_program, argc, argv, &ctx) || tdrt_main(ctx)) {
    fputs(tdrt_error_text(ctx), stderr);
    return 1;
  }
  int wrong[4];
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      tdrt_context *shared;
      wrong[k] = tdrt_share(ctx, &shared) ? 1 : askOften(shared, k);
      tdrt_close(shared);
    });
  int all = 0;
  for (int k = 0; k < 4; ++k) {
    threads[k].join();
    all += wrong[k];
  }
  tdrt_close(ctx);
  return all ? 1 : 0;
}
