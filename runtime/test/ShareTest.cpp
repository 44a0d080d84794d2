//===- ShareTest.cpp - one state, several threads -------------------------===//

#include "support/TestProgram.h"
#include "tdc_runtime.h"
#include <cmath>
#include <thread>

using namespace tdrt_test;

namespace {

constexpr int64_t kSize = 16;
constexpr int64_t kBytes = 64;
const int64_t dims[] = {kSize};
const tdrt_slot slots[] = {
    {"w", "m.w", TDRT_SLOT_PARAM, TDRT_F32, 1, 0, dims, nullptr, 0, 0}};
const tdrt_port ports[] = {{"x", TDRT_F32, 1, dims}};

/// The result lies in the arena, after the state, as in compiled code.
int32_t scale(tdrt_context *ctx, const tdrt_tensor *in, tdrt_tensor *out) {
  const auto *w = reinterpret_cast<const float *>(ctx->state);
  auto *y = reinterpret_cast<float *>(ctx->arena + kBytes);
  for (int64_t i = 0; i < kSize; ++i)
    y[i] = w[i] * static_cast<const float *>(in->data)[i];
  *out = {y, TDRT_F32, 1, dims};
  return 0;
}

/// Calls `scale` repeatedly with one number; returns how often the result was
/// wrong.
int countWrong(tdrt_context *ctx, float number, int calls) {
  int wrong = 0;
  float x[kSize];
  for (float &element : x)
    element = number;
  for (int i = 0; i < calls; ++i) {
    tdrt_tensor in = {x, TDRT_F32, 1, dims}, out;
    wrong += tdrt_call(ctx, 0, &in, &out) != 0 ||
             static_cast<const float *>(out.data)[kSize - 1] != 3 * number;
  }
  return wrong;
}

TEST(ShareTest, CallsOnSeveralThreads) {
  const tdrt_export exports[] = {
      {"scale", 1, 1, ports, ports, scale, 0, 0, nullptr}};
  tdrt_program program = emptyProgram();
  program.main = [](tdrt_context *ctx) -> int32_t {
    for (int64_t i = 0; i < kSize; ++i)
      reinterpret_cast<float *>(ctx->state)[i] = 3;
    return 0;
  };
  program.arena_bytes = 2 * kBytes;
  program.state_bytes = kBytes;
  program.num_slots = 1;
  program.slots = slots;
  program.num_exports = 1;
  program.exports = exports;
  Opened ctx(program);
  ASSERT_EQ(ctx->arena, ctx->state);
  ASSERT_EQ(tdrt_main(ctx), 0);
  int wrong[4] = {};
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      tdrt_context *shared;
      wrong[k] = tdrt_share(ctx, &shared) ? -1 : countWrong(shared, k, 10000);
      tdrt_close(shared);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(wrong[k], 0) << k;
  // Writes of the program's own context are visible to the others.
  tdrt_context *shared;
  ASSERT_EQ(tdrt_share(ctx, &shared), 0);
  reinterpret_cast<float *>(ctx->state)[0] = 5;
  EXPECT_EQ(reinterpret_cast<float *>(shared->state)[0], 5);
  EXPECT_NE(ctx->arena, shared->arena);
  tdrt_close(shared);
}

TEST(ShareTest, OutOfMemory) {
  tdrt_program program = emptyProgram();
  Opened ctx(program);
  program.arena_bytes = int64_t(1) << 55;
  tdrt_context *shared;
  EXPECT_EQ(tdrt_share(ctx, &shared), 201);
  EXPECT_NE(std::string(tdrt_error_text(shared)).find("out of memory"),
            std::string::npos);
  tdrt_close(shared);
}

// The first value that is not finite is told, in whichever context it is.
TEST(ShareTest, OneWarning) {
  const tdrt_export exports[] = {
      {"differentiate", 0, 0, nullptr, nullptr,
       [](tdrt_context *ctx, const tdrt_tensor *, tdrt_tensor *) -> int32_t {
         tdrt_kernel_value(ctx, NAN, -1);
         return 0;
       },
       0, 0, nullptr}};
  tdrt_program program = emptyProgram();
  program.num_exports = 1;
  program.exports = exports;
  Opened ctx(program);
  tdrt_context *one, *two;
  ASSERT_EQ(tdrt_share(ctx, &one), 0);
  ASSERT_EQ(tdrt_share(ctx, &two), 0);
  static int warnings;
  warnings = 0;
  tdrt_report_errors([](const tdrt_error *) { ++warnings; });
  for (tdrt_context *context : {one, two, ctx.ctx, one})
    EXPECT_EQ(tdrt_call(context, 0, nullptr, nullptr), 0);
  tdrt_report_errors(nullptr);
  EXPECT_EQ(warnings, 1);
  tdrt_close(one);
  tdrt_close(two);
}

} // namespace
