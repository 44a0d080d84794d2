//===- CheckpointFuzz.cpp - any bytes as a checkpoint ---------------------===//
//
// Restores a file of the fuzzer's bytes into a small program, in one of the
// four possible ways, or restores one value of it. Any bytes must give a
// status, and a failure must leave the program's state unchanged.
//
//===----------------------------------------------------------------------===//

#include "MemoryFile.h"
#include "tdc_runtime.h"
#include <cstring>

namespace {

const int64_t dims[] = {2, 3};
const int32_t order[] = {1, 0};
const tdrt_slot slots[] = {
    {"w", "w", TDRT_SLOT_PARAM, TDRT_F32, 2, 0, dims, order, 0},
    {"on", "on", TDRT_SLOT_BUFFER, TDRT_BOOL, 0, 0, nullptr, nullptr, 64}};
const int32_t indexes[] = {0, 1};
const char *const keys[] = {"w", "on"};
constexpr int64_t kBytes = 128;

tdrt_context *makeContext() {
  static tdrt_program program = {};
  program.abi_version = TDRT_ABI_VERSION;
  program.name = "fuzz";
  program.num_slots = 2;
  program.slots = slots;
  program.arena_bytes = kBytes;
  tdrt_context *ctx;
  const char *argv[] = {"fuzz"};
  if (tdrt_open(&program, 1, argv, &ctx))
    abort();
  return ctx;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Opening a context costs more than reading a file, so it is reused.
  static tdrt_context *const ctx = makeContext();
  static const std::string before(ctx->arena, kBytes);
  const char *path = writeMemoryFile(data, size);
  int32_t choice = chooseBy(data, size, 9);
  tdrt_forget_last_call(ctx);
  if (choice == 8) {
    tdrt_value value;
    tdrt_restore_value(ctx, path, "epoch", TDRT_FLOAT, &value, -1);
    return 0;
  }
  tdrt_checkpoint what = {2,           0,       indexes,    keys,
                          nullptr,     nullptr, choice & 1, choice >> 1 & 1,
                          choice >> 2, 0,       nullptr};
  memcpy(ctx->arena, before.data(), kBytes);
  int32_t status = tdrt_checkpoint_restore(ctx, path, &what, -1);
  if (status != 0 &&
      (status < 700 || memcmp(ctx->arena, before.data(), kBytes)))
    abort();
  if (static_cast<uint8_t>(ctx->arena[64]) > 1)
    abort();
  return 0;
}
