//===- HandleTest.cpp - values with replicas ------------------------------===//

#include "support/GpuPrograms.h"

using namespace tdrt_test;

namespace {

/// The copies that the program has counted.
std::string copiesOf(tdrt_context *ctx) {
  std::string text = tdrt_stats_json(ctx);
  size_t begin = text.find("\"sites\":") + 8;
  return text.substr(begin, text.find(",\"loops\"") - begin);
}

/// Runs `body` with a slot of handles, the only content of the cpu's arena.
void checkSlot(int32_t count, const Environment &environment,
               const std::function<void(GpuProgram &gpus, Opened &ctx,
                                        tdrt_handle **slot)> &body) {
  checkWithGpus(count, environment, [&] {
    GpuProgram gpus(count);
    gpus.program.arena_bytes = 64;
    Opened ctx(gpus.program);
    body(gpus, ctx, reinterpret_cast<tdrt_handle **>(ctx->arena));
  });
}

TEST(HandleTest, ReplicasAreMadeOnce) {
  checkWithGpus(2, {}, [] {
    GpuProgram gpus(2);
    Opened ctx(gpus.program);
    int64_t before = tdrt_bytes_in_use(ctx);
    tdrt_handle *handle = nullptr;
    void *data = nullptr;
    ASSERT_EQ(tdrt_handle_create(ctx, 0, 8, 0, &handle, &data), 0);
    *static_cast<double *>(data) = 2.5;
    EXPECT_EQ(copiesOf(ctx), "[]");
    void *onGpu[2] = {}, *onCpu = nullptr;
    for (int i = 0; i < 2; ++i)
      for (int32_t to : {1, 2}) {
        ASSERT_EQ(
            tdrt_handle_get(ctx, handle, gpus.transferTo(to), &onGpu[to - 1]),
            0)
            << ctx.error();
        double value = 0;
        ASSERT_EQ(
            tdrt_transfer(ctx, gpus.transfer(to, 0), &value, onGpu[to - 1], 8),
            0);
        EXPECT_EQ(value, 2.5);
      }
    ASSERT_EQ(tdrt_handle_get(ctx, handle, gpus.transferTo(0), &onCpu), 0);
    EXPECT_EQ(onCpu, data);
    EXPECT_EQ(copiesOf(ctx),
              "[{\"line\":2,\"src\":\"cuda:0\",\"dst\":\"cpu\",\"executed\":2,"
              "\"bytes\":16},"
              "{\"line\":3,\"src\":\"cuda:1\",\"dst\":\"cpu\",\"executed\":2,"
              "\"bytes\":16},"
              "{\"line\":10,\"src\":\"cpu\",\"dst\":\"cuda:0\",\"executed\":1,"
              "\"bytes\":8},"
              "{\"line\":10,\"src\":\"cpu\",\"dst\":\"cuda:1\",\"executed\":1,"
              "\"bytes\":8}]");
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before + 3 * 8);
    tdrt_handle_release(ctx, handle);
    tdrt_handle_retain(nullptr);
    tdrt_handle_release(ctx, nullptr);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before);
  });
}

TEST(HandleTest, MadeOnAGpu) {
  checkWithGpus(2, {}, [] {
    GpuProgram gpus(2);
    Opened ctx(gpus.program);
    tdrt_handle *handle = nullptr;
    void *data = nullptr, *other = nullptr, *onCpu = nullptr;
    ASSERT_EQ(tdrt_handle_create(ctx, 2, 8, 0, &handle, &data), 0);
    double value = 7;
    ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(0, 2), data, &value, 8), 0);
    ASSERT_EQ(tdrt_handle_get(ctx, handle, gpus.transferTo(1), &other), 0);
    ASSERT_EQ(tdrt_handle_get(ctx, handle, gpus.transferTo(0), &onCpu), 0);
    EXPECT_EQ(*static_cast<double *>(onCpu), 7);
    // Not released here: closing the context must do that.
  });
}

TEST(HandleTest, Slots) {
  checkSlot(1, {}, [](GpuProgram &gpus, Opened &ctx, tdrt_handle **slot) {
    int64_t before = tdrt_bytes_in_use(ctx);
    tdrt_handle *zeros = nullptr, *handle = nullptr, *held = nullptr;
    void *data = nullptr;
    // Zeros are on no device; each device gets them without a copy.
    ASSERT_EQ(tdrt_handle_read(ctx, slot, 8, 0, &zeros), 0);
    ASSERT_EQ(tdrt_handle_get(ctx, zeros, gpus.transferTo(0), &data), 0);
    EXPECT_EQ(*static_cast<double *>(data), 0);
    ASSERT_EQ(tdrt_handle_get(ctx, zeros, gpus.transferTo(1), &data), 0);
    EXPECT_EQ(copiesOf(ctx), "[]");
    double value = 1;
    ASSERT_EQ(tdrt_transfer(ctx, gpus.transfer(1, 0), &value, data, 8), 0);
    EXPECT_EQ(value, 0);
    tdrt_handle_release(ctx, zeros);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before + 16);
    // The slot holds the new value, and nothing refers to the old one.
    ASSERT_EQ(tdrt_handle_create(ctx, 0, 8, 0, &handle, &data), 0);
    *static_cast<double *>(data) = 3;
    tdrt_handle_write(ctx, slot, handle);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before + 8);
    // A value that is written back to its own slot stays alive.
    ASSERT_EQ(tdrt_handle_read(ctx, slot, 8, 0, &held), 0);
    EXPECT_EQ(held, handle);
    tdrt_handle_release(ctx, handle);
    tdrt_handle_write(ctx, slot, held);
    tdrt_handle_release(ctx, held);
    ASSERT_EQ(tdrt_handle_get(ctx, *slot, gpus.transferTo(0), &data), 0);
    EXPECT_EQ(*static_cast<double *>(data), 3);
  });
}

// A slot of a tensor without elements.
TEST(HandleTest, EmptySlots) {
  checkSlot(1, {}, [](GpuProgram &gpus, Opened &ctx, tdrt_handle **slot) {
    tdrt_handle *zeros = nullptr;
    void *data = nullptr;
    ASSERT_EQ(tdrt_handle_read(ctx, slot, 0, 0, &zeros), 0);
    ASSERT_EQ(tdrt_handle_get(ctx, zeros, gpus.transferTo(1), &data), 0);
    EXPECT_NE(data, nullptr);
    tdrt_handle_release(ctx, zeros);
  });
}

TEST(HandleTest, MovedSlots) {
  checkSlot(2, {}, [](GpuProgram &gpus, Opened &ctx, tdrt_handle **slot) {
    // Nothing is moved before the first write.
    ASSERT_EQ(tdrt_handle_move(ctx, slot, gpus.transferTo(1)), 0);
    EXPECT_EQ(*slot, nullptr);
    tdrt_handle *handle = nullptr, *zeros = nullptr;
    void *data = nullptr;
    ASSERT_EQ(tdrt_handle_read(ctx, slot, 8, 0, &zeros), 0);
    tdrt_handle_release(ctx, zeros);
    ASSERT_EQ(tdrt_handle_move(ctx, slot, gpus.transferTo(1)), 0);
    EXPECT_EQ(*slot, zeros);
    EXPECT_EQ(copiesOf(ctx), "[]");

    ASSERT_EQ(tdrt_handle_create(ctx, 0, 8, 0, &handle, &data), 0);
    *static_cast<double *>(data) = 3;
    tdrt_handle_write(ctx, slot, handle);
    tdrt_handle_release(ctx, handle);
    int64_t before = tdrt_bytes_in_use(ctx);
    for (int32_t to : {0, 1, 1, 2, 1, 2})
      ASSERT_EQ(tdrt_handle_move(ctx, slot, gpus.transferTo(to)), 0);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before);
    ASSERT_EQ(tdrt_handle_get(ctx, *slot, gpus.transferTo(0), &data), 0);
    EXPECT_EQ(*static_cast<double *>(data), 3);
    EXPECT_EQ(
        copiesOf(ctx),
        "[{\"line\":10,\"src\":\"cpu\",\"dst\":\"cuda:0\",\"executed\":1,"
        "\"bytes\":8},"
        "{\"line\":10,\"src\":\"cuda:0\",\"dst\":\"cuda:1\",\"executed\":2,"
        "\"bytes\":16},"
        "{\"line\":10,\"src\":\"cuda:1\",\"dst\":\"cpu\",\"executed\":1,"
        "\"bytes\":8},"
        "{\"line\":10,\"src\":\"cuda:1\",\"dst\":\"cuda:0\",\"executed\":1,"
        "\"bytes\":8}]");
  });
}

TEST(HandleTest, FailedMove) {
  checkSlot(1, {{"TDC_SIM_MEMORY", "8192"}},
            [](GpuProgram &gpus, Opened &ctx, tdrt_handle **slot) {
              tdrt_handle *handle = nullptr;
              void *data = nullptr;
              ASSERT_EQ(tdrt_handle_create(ctx, 0, 16384, 0, &handle, &data),
                        0);
              memset(data, 0, 16384);
              tdrt_handle_write(ctx, slot, handle);
              tdrt_handle_release(ctx, handle);
              int64_t before = tdrt_bytes_in_use(ctx);
              EXPECT_EQ(tdrt_handle_move(ctx, slot, gpus.transferTo(1)), 308);
              EXPECT_EQ(*slot, handle);
              EXPECT_EQ(tdrt_bytes_in_use(ctx), before);
            });
}

// A value in a slot outlives the call that made it.
TEST(HandleTest, OutlivesACall) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.program.arena_bytes = 64;
    gpus.exportFunction(
        [](tdrt_context *ctx, const tdrt_tensor *, tdrt_tensor *) {
          auto *slot = reinterpret_cast<tdrt_handle **>(ctx->arena);
          tdrt_handle *handle = nullptr;
          void *data = nullptr;
          if (*slot)
            return 0;
          int32_t status = tdrt_handle_create(ctx, 0, 8, 0, &handle, &data);
          *static_cast<double *>(data) = 5;
          tdrt_handle_write(ctx, slot, handle);
          tdrt_handle_release(ctx, handle);
          return status;
        });
    Opened ctx(gpus.program);
    ASSERT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 0);
    ASSERT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 0);
    auto *slot = reinterpret_cast<tdrt_handle **>(ctx->arena);
    void *data = nullptr, *other = nullptr;
    const int64_t one[] = {1};
    ASSERT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_F64, 1, one, 0, &other), 0);
    ASSERT_EQ(tdrt_handle_get(ctx, *slot, gpus.transferTo(0), &data), 0);
    EXPECT_NE(data, other);
    EXPECT_EQ(*static_cast<double *>(data), 5);
  });
}

// A failed call returns in the middle, and its values are released.
TEST(HandleTest, FailedCallHoldsNothing) {
  checkWithGpus(1, {}, [] {
    GpuProgram gpus(1);
    gpus.program.arena_bytes = 64;
    gpus.exportFunction(
        [](tdrt_context *ctx, const tdrt_tensor *, tdrt_tensor *) {
          auto *slot = reinterpret_cast<tdrt_handle **>(ctx->arena);
          tdrt_handle *kept = nullptr, *lost = nullptr, *zeros = nullptr;
          void *data = nullptr;
          tdrt_handle_create(ctx, 0, 8, 0, &kept, &data);
          *static_cast<double *>(data) = 5;
          tdrt_handle_write(ctx, slot, kept);
          tdrt_handle_create(ctx, 1, 1000, 0, &lost, &data);
          tdrt_handle_retain(lost);
          tdrt_handle_read(ctx, slot + 1, 1000, 0, &zeros);
          return tdrt_fail_check(ctx, 101, "", 0);
        });
    Opened ctx(gpus.program);
    int64_t before = tdrt_bytes_in_use(ctx);
    auto *slots = reinterpret_cast<tdrt_handle **>(ctx->arena);
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(tdrt_call(ctx, 0, nullptr, nullptr), 101);
      EXPECT_EQ(tdrt_bytes_in_use(ctx), before + 8);
      void *data = nullptr;
      ASSERT_EQ(tdrt_handle_get(ctx, slots[0], gpus.transferTo(0), &data), 0);
      EXPECT_EQ(*static_cast<double *>(data), 5);
    }
    ASSERT_EQ(tdrt_handle_move(ctx, slots, gpus.transferTo(1)), 0);
    tdrt_handle_write(ctx, slots, nullptr);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before);
  });
}

TEST(HandleTest, OutOfMemory) {
  checkWithGpus(1, {{"TDC_SIM_MEMORY", "1000000"}}, [] {
    GpuProgram gpus(1);
    Opened ctx(gpus.program);
    int64_t before = tdrt_bytes_in_use(ctx);
    tdrt_handle *handle = nullptr, *small = nullptr;
    void *data = nullptr;
    EXPECT_EQ(tdrt_handle_create(ctx, 1, 2000000, 3, &handle, &data), 308);
    EXPECT_EQ(handle, nullptr);
    ASSERT_EQ(tdrt_handle_create(ctx, 0, 2000000, 3, &handle, &data), 0);
    EXPECT_EQ(tdrt_handle_get(ctx, handle, gpus.transferTo(1), &data), 308);
    // The value is unchanged, and there is memory for others.
    EXPECT_EQ(tdrt_handle_get(ctx, handle, gpus.transferTo(0), &data), 0);
    EXPECT_EQ(tdrt_handle_create(ctx, 1, 1000, 3, &small, &data), 0);
    tdrt_handle_release(ctx, small);
    tdrt_handle_release(ctx, handle);
    EXPECT_EQ(tdrt_bytes_in_use(ctx), before);
  });
}

} // namespace
