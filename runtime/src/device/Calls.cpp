//===- Calls.cpp - what generated code asks of GPUs -----------------------===//

#include "device/Gpus.h"
#include "device/cuda/Driver.h"
#include <algorithm>
#include <cstring>

using namespace tdrt;

int32_t tdrt_launch(tdrt_context *ctx, int32_t device, int32_t kernel,
                    int64_t blocks, const uint64_t *parameters, int32_t site) {
  return Context::of(ctx).guarded(site, [&] {
    Gpus::of(ctx).launch(device, kernel, blocks, parameters, site);
  });
}

int32_t tdrt_launch_sequence(tdrt_context *ctx, int32_t sequence,
                             const uint64_t *words) {
  Gpus &gpus = Gpus::of(ctx);
  const tdrt_sequence &row = gpus.getSequence(sequence);
  bool isDone = false;
  int32_t status = Context::of(ctx).guarded(
      row.sites[0], [&] { isDone = gpus.launchSequence(sequence, words); });
  for (int32_t i = 0; i < row.num_launches && status == 0 && !isDone; ++i) {
    int32_t kernel = row.kernels[i];
    status =
        tdrt_launch(ctx, row.device, kernel, static_cast<int64_t>(words[0]),
                    words + 1, row.sites[i]);
    words += 1 + gpus.countParameters(kernel);
  }
  return status;
}

int32_t tdrt_transfer(tdrt_context *ctx, int32_t transfer, void *to,
                      const void *from, int64_t bytes) {
  Gpus &gpus = Gpus::of(ctx);
  const tdrt_transfer_site &row = gpus.getTransfer(transfer);
  return Context::of(ctx).guarded(
      row.site, [&] { gpus.transfer(transfer, row.from, to, from, bytes); });
}

int32_t tdrt_mark(tdrt_context *ctx, int32_t device, int32_t site,
                  int64_t *ticket) {
  return Context::of(ctx).guarded(
      site, [&] { *ticket = Gpus::of(ctx).mark(device); });
}

int32_t tdrt_copy_start(tdrt_context *ctx, int32_t transfer, void *to,
                        const void *from, int64_t bytes, int64_t after,
                        int64_t *ticket) {
  Gpus &gpus = Gpus::of(ctx);
  return Context::of(ctx).guarded(gpus.getTransfer(transfer).site, [&] {
    gpus.startTransfer(transfer, to, from, bytes, after, ticket);
  });
}

int32_t tdrt_copy_wait(tdrt_context *ctx, int32_t device, int64_t ticket,
                       int32_t site) {
  return Context::of(ctx).guarded(
      site, [&] { Gpus::of(ctx).wait(device, ticket, site); });
}

int32_t tdrt_copy_on_device(tdrt_context *ctx, int32_t device, void *to,
                            const void *from, int64_t bytes, int32_t site) {
  return Context::of(ctx).guarded(
      site, [&] { Gpus::of(ctx).copyOnDevice(device, to, from, bytes, site); });
}

//===----------------------------------------------------------------------===//
// The module `cuda` of the language
//===----------------------------------------------------------------------===//

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

/// The driver, if it has a GPU of that number. Throws Failure TR103.
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
