//===- MemoryTest.cpp - arena and run-time sizes --------------------------===//

#include "base/Memory.h"
#include "base/Failure.h"
#include "support/TestProgram.h"
#include <cstring>
#include <random>
#include <sys/resource.h>

using namespace tdrt_test;

namespace {

TEST(MemoryTest, AlignedAndReadablePastTheEnd) {
  tdrt::HostMemory memory;
  std::mt19937 random(1);
  std::vector<std::pair<char *, size_t>> blocks;
  for (int i = 0; i < 2000; ++i) {
    if (!blocks.empty() && random() % 3 == 0) {
      size_t at = random() % blocks.size();
      auto [data, size] = blocks[at];
      for (size_t b = 0; b < size; ++b)
        ASSERT_EQ(data[b], static_cast<char>(size));
      memory.release(data);
      blocks.erase(blocks.begin() + at);
      continue;
    }
    size_t size = random() % (i % 10 ? 3000 : 300000);
    char *data = static_cast<char *>(memory.allocate(size));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
    memset(data, static_cast<char>(size), size);
    volatile char last = data[size + 63];
    (void)last;
    blocks.push_back({data, size});
  }
  for (auto [data, size] : blocks)
    memory.release(data);
  EXPECT_EQ(memory.inUse(), 0);
}

TEST(MemoryTest, FreedBlocksComeBack) {
  tdrt::HostMemory memory;
  void *first = memory.allocate(1000);
  memory.release(first);
  EXPECT_EQ(memory.allocate(1000), first);
}

TEST(MemoryTest, CountsAreBytesAskedFor) {
  tdrt_program program = emptyProgram();
  program.arena_bytes = 1000;
  Opened ctx(program);
  EXPECT_EQ(tdrt_bytes_in_use(ctx), 1000);
  void *a, *b;
  const int64_t some[] = {100}, none[] = {0};
  ASSERT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_I8, 1, some, -1, &a), 0);
  ASSERT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_I8, 1, none, -1, &b), 0);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(tdrt_bytes_in_use(ctx), 1100);
  tdrt_free(ctx, 0, a);
  tdrt_free(ctx, 0, nullptr);
  EXPECT_EQ(tdrt_bytes_in_use(ctx), 1000);
  EXPECT_STREQ(tdrt_stats_json(ctx), "{\"copies\":[],\"sites\":[],\"loops\":[],"
                                     "\"arena\":{\"cpu\":1000},"
                                     "\"peak\":{\"cpu\":1100}}\n");
  // b is not freed here: closing the context must do that.
}

TEST(MemoryTest, ArenaIsZeros) {
  for (int64_t bytes : {0, 100, 300000, 10000000}) {
    tdrt::HostMemory memory;
    char *arena = memory.allocateArena(bytes);
    ASSERT_EQ(reinterpret_cast<uintptr_t>(arena) % 64, 0u);
    for (int64_t i = 0; i < bytes + 64; ++i)
      ASSERT_EQ(arena[i], 0);
  }
}

TEST(MemoryTest, Impossible) {
  tdrt_program program = emptyProgram();
  tdrt_site sites[] = {{"m.tdsl", 4, 7, nullptr, nullptr}};
  program.sites = sites;
  program.num_sites = 1;
  Opened ctx(program);
  void *data;
  int64_t large[] = {int64_t(1) << 32, int64_t(1) << 32, 8};
  EXPECT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_F32, 3, large, 0, &data), 202);
  EXPECT_EQ(data, nullptr);
  EXPECT_EQ(ctx.error(), "error[TR202]: f32[4294967296, 4294967296, 8] is too "
                         "large for any memory\n  --> m.tdsl:4:7\n");
}

// More than half of the address space leaves no room for the counts.
TEST(MemoryTest, MoreThanCanBeAddressed) {
  tdrt_program program = emptyProgram();
  Opened ctx(program);
  void *data;
  const int64_t size[] = {int64_t(1) << 62};
  EXPECT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_I8, 1, size, -1, &data), 202);
  EXPECT_EQ(ctx.error(),
            "error[TR202]: a tensor of this size cannot be addressed\n");
  program.arena_bytes = INT64_MAX;
  Opened other(program);
  EXPECT_EQ(other.status, 202);
  EXPECT_EQ(other.error(), "error[TR202]: a program's memory of "
                           "9223372036854775807 bytes is too large\n");
}

TEST(MemoryTest, NegativeSize) {
  tdrt_program program = emptyProgram();
  Opened ctx(program);
  void *data;
  int64_t dims[] = {0, -2};
  EXPECT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_F32, 2, dims, -1, &data), 104);
  EXPECT_EQ(ctx.error(), "error[TR104]: a size is negative: -2\n");
}

// AddressSanitizer's allocator ends the process instead.
#ifndef TDRT_ASAN
TEST(MemoryTest, OutOfMemory) {
  tdrt_program program = emptyProgram();
  Opened ctx(program);
  void *data;
  const int64_t much[] = {int64_t(1) << 60}, some[] = {100};
  ASSERT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_I8, 1, much, -1, &data), 201);
  EXPECT_EQ(ctx.error(), "error[TR201]: out of memory: 1152.9 PB asked for, 0 "
                         "bytes in use by this program\n");
  // The context is still usable.
  EXPECT_EQ(tdrt_alloc_tensor(ctx, 0, TDRT_I8, 1, some, -1, &data), 0);
}

TEST(MemoryTest, OutOfMemoryForTheArena) {
  tdrt_program program = emptyProgram();
  program.arena_bytes = int64_t(1) << 55;
  Opened ctx(program);
  EXPECT_EQ(ctx.status, 201);
  EXPECT_EQ(ctx.error(), "error[TR201]: out of memory: the program needs 36.0 "
                         "PB for its state and its intermediate values\n");
}
#endif

} // namespace
