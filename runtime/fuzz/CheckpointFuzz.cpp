//===- CheckpointFuzz.cpp - any bytes as a checkpoint ---------------------===//
//
// Restores a file of the fuzzer's bytes into a small program. Whatever the
// bytes are: a status, and on failure the program's state as it was.
//
//===----------------------------------------------------------------------===//

#include "tdc_runtime.h"
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

const int64_t dims[] = {2, 3};
const int32_t order[] = {1, 0};
const tdrt_slot slots[] = {
    {"w", "w", TDRT_SLOT_PARAM, TDRT_F32, 2, 0, dims, order, 0},
    {"on", "on", TDRT_SLOT_BUFFER, TDRT_BOOL, 0, 0, nullptr, nullptr, 64}};
const int32_t indexes[] = {0, 1};
const char *const keys[] = {"w", "on"};

tdrt_context *makeContext() {
  static tdrt_program program = {};
  program.abi_version = TDRT_ABI_VERSION;
  program.name = "fuzz";
  program.num_slots = 2;
  program.slots = slots;
  program.arena_bytes = 128;
  tdrt_context *ctx;
  const char *argv[] = {"fuzz"};
  if (tdrt_open(&program, 1, argv, &ctx))
    abort();
  return ctx;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const int fd = memfd_create("checkpoint", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  if (ftruncate(fd, 0) != 0 ||
      pwrite(fd, data, size, 0) != static_cast<ssize_t>(size))
    abort();
  for (int32_t mode = 0; mode < 4; ++mode) {
    tdrt_checkpoint what = {2,       0,       indexes,  keys,
                            nullptr, nullptr, mode & 1, mode >> 1};
    tdrt_context *ctx = makeContext();
    std::string before(ctx->arena, 128);
    int32_t status = tdrt_checkpoint_restore(ctx, path.c_str(), &what, -1);
    if (status != 0 && (status < 700 || memcmp(ctx->arena, before.data(), 128)))
      abort();
    if (static_cast<uint8_t>(ctx->arena[64]) > 1)
      abort();
    tdrt_value value;
    tdrt_restore_value(ctx, path.c_str(), "epoch", TDRT_FLOAT, &value, -1);
    tdrt_close(ctx);
  }
  return 0;
}
