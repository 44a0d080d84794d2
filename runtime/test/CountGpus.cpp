//===- CountGpus.cpp - a program that only requests a GPU -----------------===//
//
// DriverTest starts it because it has no library folder next to its own, where
// it would find a simulated driver. Its argument is the driver's path when the
// program was built. Prints the error, or "ok".
//
//===----------------------------------------------------------------------===//

#include "tdc_runtime.h"
#include <cstdio>

int main(int argc, char **argv) {
  tdrt_gpu_program gpu = {};
  gpu.backend = tdrt_cuda_backend;
  gpu.sim_library = argc > 1 ? argv[1] : nullptr;
  tdrt_program program = {};
  program.abi_version = TDRT_ABI_VERSION;
  program.cuda_devices = 1;
  program.gpu = &gpu;
  tdrt_context *ctx = nullptr;
  int32_t status = tdrt_open(&program, 1, argv, &ctx);
  puts(status ? tdrt_error_text(ctx) : "ok");
  tdrt_close(ctx);
  return status != 0;
}
