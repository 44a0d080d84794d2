//===- Versions.cpp - the version of a program for this machine -----------===//

#include "program/Versions.h"
#include "base/Failure.h"
#include "program/Devices.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tdrt;

namespace {

bool equals(const char *text, const char *other) {
  return strcmp(text, other) == 0;
}

const char *getWish(const char *device) {
  if (device && !equals(device, "auto"))
    return device;
  const char *wish = getenv("TDC_DEVICE");
  if (!wish || !*wish)
    return "auto";
  if (!equals(wish, "cpu") && !equals(wish, "cuda") && !equals(wish, "auto"))
    fail(313, "TDC_DEVICE is " + inQuotes(wish) +
                  ": it can be `cpu`, `cuda` or `auto`");
  return wish;
}

/// The reason why `program`, which needs GPUs, cannot run; a code of 0 if it
/// can. If simulated GPUs are requested but missing, it throws Failure TR312:
/// that is a mistake, not a reason to run without GPUs.
Failure findObstacle(const tdrt_program &program) {
  try {
    program.gpu->backend()->requireDevices(program.cuda_devices,
                                           program.gpu->sim_library);
    return {0, ""};
  } catch (Failure &failure) {
    if (failure.code == 312)
      throw;
    return std::move(failure);
  }
}

/// Whether a version computes on GPUs, and does not only query them.
bool usesGpus(const tdrt_gpu_program &gpu) {
  return std::any_of(gpu.arena_bytes, gpu.arena_bytes + gpu.num_devices,
                     [](int64_t bytes) { return bytes >= 0; });
}

} // namespace

const tdrt_program &tdrt::chooseVersion(Context &context, const char *device) {
  const tdrt_program &first = *context.program;
  const char *wish = getWish(device);
  bool wantsCuda = equals(wish, "cuda");
  if (equals(wish, "cpu")) {
    for (const tdrt_program *one = &first; one; one = one->otherwise)
      if (one->cuda_devices == 0)
        return *one;
    fail(306, "the program has no code for the cpu: build it with "
              "`--device cpu`");
  }
  Failure obstacle = {306, "the program has no code for GPUs: build it with "
                           "`--device cuda`"};
  bool missesGpus = false;
  for (const tdrt_program *one = &first; one; one = one->otherwise) {
    if (one->cuda_devices > 0) {
      Failure reason = findObstacle(*one);
      if (reason.code == 0)
        return *one;
      obstacle = std::move(reason);
      missesGpus |= usesGpus(*one->gpu);
    } else if (!wantsCuda) {
      if (missesGpus)
        context.tellNote("runs on the cpu: " + obstacle.message);
      return *one;
    }
  }
  throw obstacle;
}
