//===- Calls.cpp - the GPU entry points for generated code ----------------===//

#include "device/Gpus.h"

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
