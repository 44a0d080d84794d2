//===- CudaModule.cpp - the module `cuda` of the language -----------------===//

#include "device/cuda/Driver.h"
#include "program/Context.h"
#include <algorithm>
#include <cstring>

using namespace tdrt;

int32_t tdrt_cuda_device_count(char *why, int64_t room) {
  auto tell = [&](const char *reason) {
    if (!why || room < 1)
      return;
    size_t length = std::min<size_t>(strlen(reason), room - 1);
    memcpy(why, reason, length);
    why[length] = 0;
  };
  try {
    int count = Driver::get().countDevices();
    tell("");
    return count;
  } catch (const Failure &failure) {
    tell(failure.message.c_str());
    return failure.code == 312 ? -1 : 0;
  } catch (const std::exception &) {
    tell("out of memory");
  }
  return 0;
}

/// The driver. Throws Failure TR103 if it has no GPU of that number.
static const Driver &findGpu(int64_t index) {
  const Driver &driver = Driver::get();
  if (index < 0 || index >= driver.countDevices())
    fail(103, "there is no cuda:" + std::to_string(index) + ": " +
                  std::to_string(driver.countDevices()) + " can be seen" +
                  visibleDevicesText());
  return driver;
}

int32_t tdrt_cuda_device_name(tdrt_context *ctx, int64_t index, int32_t site,
                              const char **name) {
  Context &context = Context::of(ctx);
  return context.guarded(site, [&] {
    std::string text = findGpu(index).getName(static_cast<int>(index));
    context.output.beginString();
    context.output.add([&](std::string &building) { building += text; });
    *name = context.output.endString();
  });
}

int32_t tdrt_cuda_total_memory(tdrt_context *ctx, int64_t index, int32_t site,
                               int64_t *bytes) {
  return Context::of(ctx).guarded(site, [&] {
    *bytes = findGpu(index).getTotalMemory(static_cast<int>(index));
  });
}

int32_t tdrt_cuda_synchronize(tdrt_context *ctx, int32_t site) {
  Context &context = Context::of(ctx);
  return context.guarded(site, [&] {
    if (!context.gpus)
      return;
    HostSpan span(context, "wait", site);
    context.gpus->synchronize();
  });
}
