//===- KillSaver.cpp - saves checkpoints until it is killed ---------------===//
//
// tdc-kill-saver safe|naive PATH
//
// Restores PATH if it exists, then saves it again and again. All of a
// checkpoint's state is one number. Before each save it writes the number of
// the last finished one to standard output. `naive` overwrites the file in
// place: the negative control of KillTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "tdc_runtime.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

constexpr int64_t kElements = 128 << 10; // 1 MB
const int64_t dims[] = {kElements};
const tdrt_slot slots[] = {
    {"state", "state", TDRT_SLOT_PARAM, TDRT_I64, 1, 0, dims, nullptr, 0, 0}};
const int32_t indexes[] = {0};
const char *const keys[] = {"state"};
const char *const names[] = {"step"};
const int32_t types[] = {TDRT_INT};
tdrt_checkpoint what = {1, 1, indexes, keys, names, types, 1, 0, 0, 0, nullptr};

bool naive;
const char *path;

/// A writer that ignores crashes: it overwrites the file in place, without
/// checksums, in the pieces in which buffered output arrives.
int32_t overwrite(const int64_t *state) {
  std::string text = "{\"state\":{\"dtype\":\"I64\",\"shape\":[" +
                     std::to_string(kElements) + "],\"data_offsets\":[0," +
                     std::to_string(kElements * 8) + "]}}";
  uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char *>(&length), 8);
  bytes += text;
  bytes.append(reinterpret_cast<const char *>(state), kElements * 8);
  int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (size_t at = 0; at < bytes.size(); at += 4096)
    if (write(to, bytes.data() + at,
              std::min<size_t>(4096, bytes.size() - at)) < 0)
      return 751;
  close(to);
  return 0;
}

int32_t statements(tdrt_context *ctx) {
  int64_t *state = reinterpret_cast<int64_t *>(ctx->arena);
  if (tdrt_exists(path)) {
    if (int32_t status = tdrt_checkpoint_restore(ctx, path, &what, -1))
      return status;
    for (int64_t i = 0; i < kElements; ++i)
      if (state[i] != state[0])
        return tdrt_fail_check(ctx, 101, "states are mixed", -1);
  }
  for (;;) {
    printf("%ld\n", static_cast<long>(state[0]));
    fflush(stdout);
    for (int64_t i = 0; i < kElements; ++i)
      ++state[i];
    tdrt_value step;
    step.i = state[0];
    int32_t status = naive ? overwrite(state)
                           : tdrt_checkpoint_save(ctx, path, &what, &step, -1);
    if (status)
      return status;
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  naive = strcmp(argv[1], "naive") == 0;
  path = argv[2];
  what.full = !naive;
  tdrt_program program = {};
  program.abi_version = TDRT_ABI_VERSION;
  program.name = "tdc-kill-saver";
  program.num_slots = 1;
  program.slots = slots;
  program.arena_bytes = kElements * 8;
  program.main = statements;
  return tdrt_run_program(&program, 1, argv);
}
