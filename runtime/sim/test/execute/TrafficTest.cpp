//===- TrafficTest.cpp - bank conflicts and sectors -----------------------===//
//
// Expected counts are computed by hand: 32 banks of 4 bytes, sectors of 32
// bytes.
//
//===----------------------------------------------------------------------===//

#include "TestDevice.h"

namespace tdc::sim {

namespace {

constexpr Dim3 kOne{1, 1, 1};

/// One warp that executes `body`. %r2 is `stride` times the lane, from the
/// beginning of 8 KiB of shared memory; %rd3 is the same in global memory.
Work run(const std::string &body, unsigned stride) {
  TestDevice device;
  const std::string by = std::to_string(stride);
  device.load(
      kernelOf(1, ".shared .align 16 .b8 tile[8192];\nmov.u32 %r1, %tid.x;\n"
                  "mov.u32 %r2, tile;\nmad.lo.u32 %r2, %r1, " +
                      by + ", %r2;\nmul.wide.u32 %rd3, %r1, " + by +
                      ";\nadd.u64 %rd3, %rd3, %rd0;\n" + body));
  return device.launch("k", kOne, Dim3{32, 1, 1}, 0u,
                       device.upload(std::vector<int>(2048, 1)));
}

struct Shared {
  const char *store;
  unsigned stride;
  uint64_t wavefronts, conflicts;
};

TEST(Traffic, BanksOfSharedMemory) {
  const char *word = "st.shared.b32 [%r2], 1;";
  const char *two = "st.shared.v2.b32 [%r2], {1, 1};";
  const char *four = "st.shared.v4.b32 [%r2], {1, 1, 1, 1};";
  for (const Shared &row : {
           Shared{word, 4, 1, 0},
           Shared{word, 8, 2, 1},
           Shared{word, 64, 16, 15},
           Shared{word, 128, 32, 31},
           Shared{word, 132, 1, 0}, // a pitch of 33 words
           Shared{"st.shared.b16 [%r2], 1;", 2, 1, 0},
           Shared{"st.shared.b8 [%r2], 1;", 1, 1, 0},
           Shared{"st.shared.b64 [%r2], 1;", 8, 2, 0},
           Shared{two, 8, 2, 0},
           Shared{two, 16, 4, 2},
           Shared{four, 16, 4, 0},
           Shared{four, 64, 16, 12},
           Shared{four, 144, 4, 0}, // a pitch of 36 words
       }) {
    SCOPED_TRACE(row.store);
    SCOPED_TRACE(row.stride);
    Work work = run(row.store, row.stride);
    EXPECT_EQ(work.wavefronts, row.wavefronts);
    EXPECT_EQ(work.conflicts, row.conflicts);
    EXPECT_EQ(work.bytesWritten, 0u);
  }
}

/// One word for all lanes is no conflict, nor are inactive lanes.
TEST(Traffic, SharedMemoryOfSomeLanes) {
  Work work = run("st.shared.b32 [%r2], 1;\nbar.sync 0;\n"
                  "ld.shared.b32 %r3, [tile];",
                  4);
  EXPECT_EQ(work.wavefronts, 2u);
  EXPECT_EQ(work.conflicts, 0u);
  work = run("setp.lt.u32 %p1, %r1, 3;\n@%p1 st.shared.b32 [%r2], 1;", 128);
  EXPECT_EQ(work.wavefronts, 3u);
  work = run("setp.lt.u32 %p1, %r1, 0;\n@%p1 st.shared.b32 [%r2], 1;", 128);
  EXPECT_EQ(work.wavefronts, 0u);
  // Through a generic address.
  work = run("cvt.u64.u32 %rd4, %r2;\ncvta.shared.u64 %rd4, %rd4;\n"
             "st.b32 [%rd4], 1;",
             128);
  EXPECT_EQ(work.conflicts, 31u);
  EXPECT_EQ(work.bytesWritten, 0u);
  work = run("st.shared.b32 [%r2], 1;\nred.shared.add.u32 [%r2], 1;", 8);
  EXPECT_EQ(work.conflicts, 2u);
}

/// A matrix is eight rows of 16 bytes.
TEST(Traffic, Matrices) {
  const std::string fill =
      "st.shared.v4.b32 [%r2], {1, 1, 1, 1};\nbar.warp.sync 0xffffffff;\n";
  const std::string load =
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];";
  for (auto [stride, conflicts] : {std::pair(128u, 28u), {144u, 0u}}) {
    Work stores = run(fill, stride), both = run(fill + load, stride);
    EXPECT_EQ(stores.conflicts, conflicts);
    EXPECT_EQ(both.conflicts, 2 * conflicts);
    EXPECT_EQ(both.wavefronts, 2 * (4 + conflicts));
  }
  Work one =
      run(fill + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];", 128);
  EXPECT_EQ(one.conflicts, 28u + 7u);
  Work copies = run("cp.async.cg.shared.global [%r2], [%rd3], 16;\n"
                    "cp.async.wait_all;",
                    128);
  EXPECT_EQ(copies.conflicts, 28u);
  EXPECT_EQ(copies.bytesRead, 32u * 32);
}

TEST(Traffic, SectorsOfGlobalMemory) {
  struct Row {
    const char *access;
    unsigned stride;
    uint64_t read, written;
  };
  for (const Row &row : {
           Row{"ld.global.b32 %r4, [%rd3];", 4, 128, 0},
           Row{"ld.global.b32 %r4, [%rd3];", 8, 256, 0},
           Row{"ld.global.b32 %r4, [%rd3];", 0, 32, 0},
           Row{"ld.global.b32 %r4, [%rd3];", 128, 1024, 0},
           Row{"ld.global.b8 %h4, [%rd3];", 1, 32, 0},
           Row{"ld.b32 %r4, [%rd3];", 4, 128, 0},
           Row{"st.global.v4.b32 [%rd3], {1, 1, 1, 1};", 16, 0, 512},
           Row{"red.global.add.u32 [%rd3], 1;", 4, 128, 128},
       }) {
    SCOPED_TRACE(row.access);
    SCOPED_TRACE(row.stride);
    Work work = run(row.access, row.stride);
    EXPECT_EQ(work.bytesRead, row.read);
    EXPECT_EQ(work.bytesWritten, row.written);
    EXPECT_EQ(work.wavefronts, 0u);
  }
  // Lanes in a permuted order.
  Work work = run("xor.b32 %r5, %r1, 21;\nmul.wide.u32 %rd4, %r5, 4;\n"
                  "add.u64 %rd4, %rd4, %rd0;\nld.global.b32 %r4, [%rd4];",
                  4);
  EXPECT_EQ(work.bytesRead, 128u);
}

} // namespace

} // namespace tdc::sim
