//===- RaceTest.cpp - accesses that nothing orders ------------------------===//

#include "TestDevice.h"

namespace tdc::sim {

namespace {

constexpr Dim3 kOne{1, 1, 1};
constexpr uint64_t kSeeds = 16;

/// Two warps, of which `first` is executed by warp 0 and `second` by warp 1;
/// the word they share is [%rd2], in shared memory.
std::string runWarps(const std::string &first, const std::string &second,
                     uint64_t seed) {
  TestDevice device(seed);
  device.load(kernelOf(
      1, ".shared .align 16 .b8 tile[64];\nmov.u64 %rd2, tile;\n"
         "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %warpid;\n"
         "setp.ne.u32 %p1, %r1, 0;\n@!%p1 st.shared.b32 [%rd2], 0;\n"
         "bar.sync 7;\nand.b32 %r3, %r1, 31;\nsetp.eq.u32 %p2, %r3, 0;\n"
         "setp.eq.u32 %p3, %r2, 0;\n@!%p3 bra SECOND;\n" +
             first + "\nbra.uni END;\nSECOND:\n" + second + "\nEND:"));
  return device.faultOf("k", kOne, Dim3{64, 1, 1}, 0u,
                        device.upload(std::vector<int>(64, 1)));
}

const std::string kRead = "@%p2 ld.shared.b32 %r5, [%rd2];\n";
const std::string kWrite = "@%p2 st.shared.b32 [%rd2], 1;\n";
const std::string kUpdate = "@%p2 red.shared.add.u32 [%rd2], 1;\n";

TEST(Race, SharedMemoryInAnyOrder) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_HAS(runWarps(kWrite, kWrite, seed), "a race: written by warp");
    EXPECT_HAS(runWarps(kWrite, kRead, seed), "a race: ");
    EXPECT_HAS(runWarps(kRead, kWrite, seed), "a race: ");
    EXPECT_HAS(runWarps(kUpdate, kRead, seed), "a race: ");
    EXPECT_HAS(runWarps(kUpdate, kWrite, seed), "a race: ");
    EXPECT_EQ(runWarps(kRead, kRead, seed), "");
    EXPECT_EQ(runWarps(kUpdate, kUpdate, seed), "");
  }
}

TEST(Race, BarriersOrder) {
  const std::string barrier = "bar.sync 0;\n";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(runWarps(kWrite + barrier, barrier + kRead, seed), "");
    EXPECT_EQ(runWarps(kRead + barrier, barrier + kWrite, seed), "");
    EXPECT_EQ(runWarps(kUpdate + barrier, barrier + kWrite, seed), "");
    // But not what comes after it.
    EXPECT_HAS(runWarps(barrier + kWrite, barrier + kRead, seed), "a race");
    // Who arrives does not wait: only what it did before is ordered.
    EXPECT_EQ(runWarps(kWrite + "bar.arrive 2, 64;",
                       "bar.sync 2, 64;\n" + kRead, seed),
              "");
    EXPECT_HAS(runWarps("bar.arrive 2, 64;\n" + kWrite,
                        "bar.sync 2, 64;\n" + kRead, seed),
               "a race");
  }
}

/// Bytes of one word are different places.
TEST(Race, BytesOfAWord) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(runWarps("@%p2 st.shared.b16 [%rd2], 1;",
                       "@%p2 st.shared.b16 [%rd2+2], 1;", seed),
              "");
    EXPECT_HAS(runWarps("@%p2 st.shared.b16 [%rd2], 1;",
                        "@%p2 st.shared.b8 [%rd2+1], 1;", seed),
               "a race");
  }
}

/// A barrier of two warps does not order a third.
TEST(Race, NamedBarriersOrderTheirWarps) {
  const std::string text = kernelOf(0, R"(
      .shared .align 4 .b8 word[4];
      mov.u32 %r1, %tid.x;
      mov.u32 %r2, %warpid;
      and.b32 %r3, %r1, 31;
      setp.eq.u32 %p2, %r3, 0;
      setp.eq.u32 %p3, %r2, 2;
      @%p3 bra THIRD;
      setp.eq.u32 %p4, %r2, 0;
      and.pred %p5, %p2, %p4;
      @%p5 st.shared.b32 [word], 1;
      bar.sync 1, 64;
      not.pred %p4, %p4;
      and.pred %p5, %p2, %p4;
      @%p5 st.shared.b32 [word], 2;
      bar.sync 0;
      bra.uni END;
    THIRD:
      BEFORE
      bar.sync 0;
      @%p2 ld.shared.b32 %r4, [word];
    END:)");
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (bool races : {false, true}) {
      std::string variant = text;
      variant.replace(variant.find("BEFORE"), 6,
                      races ? "@%p2 st.shared.b32 [word], 3;" : "");
      TestDevice device(seed);
      device.load(variant);
      std::string fault = device.faultOf("k", kOne, Dim3{96, 1, 1}, 0u);
      EXPECT_EQ(fault.empty(), !races) << fault;
    }
  }
}

/// In global memory blocks are compared, too: nothing orders them.
TEST(Race, GlobalMemory) {
  auto run = [](const std::string &body, Dim3 grid, Dim3 block, uint64_t seed) {
    TestDevice device(seed);
    device.load(kernelOf(1, "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %warpid;\n"
                            "mov.u32 %r3, %tid.x;\n"
                            "mul.wide.u32 %rd1, %r3, 4;\n"
                            "add.u64 %rd2, %rd0, %rd1;\n"
                            "setp.eq.u32 %p1, %r1, 0;\n" +
                                body));
    return device.faultOf("k", grid, block, 0u,
                          device.upload(std::vector<int>(64, 1)));
  };
  Dim3 two{2, 1, 1}, warp{32, 1, 1}, pair{64, 1, 1};
  const std::string write = "st.global.b32 [%rd0], 1;\n";
  const std::string read = "ld.global.b32 %r5, [%rd0];\n";
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(run(read, two, pair, seed), "");
    EXPECT_EQ(run("red.global.add.u32 [%rd0], 1;", two, pair, seed), "");
    EXPECT_HAS(run("st.global.b32 [%rd2], 1;", two, warp, seed),
               "of the same launch, and nothing orders the two blocks");
    EXPECT_HAS(run("@%p1 " + write + "@!%p1 " + read, two, warp, seed),
               "a race: ");
    EXPECT_HAS(run(write, kOne, pair, seed), "of the same block");
    EXPECT_EQ(run("st.global.b32 [%rd2], 1;\nbar.sync 0;\nxor.b32 %r4, %r3, 32;"
                  "\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd0, %rd3;\n"
                  "ld.global.b32 %r5, [%rd3];",
                  kOne, pair, seed),
              "");
    EXPECT_HAS(run("st.global.b32 [%rd2], 1;\nxor.b32 %r4, %r3, 32;"
                   "\nmul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd0, %rd3;\n"
                   "ld.global.b32 %r5, [%rd3];",
                   kOne, pair, seed),
               "a race: ");
  }
}

/// Launches are ordered.
TEST(Race, NotBetweenLaunches) {
  TestDevice device;
  device.load(kernelOf(1, "st.global.b32 [%rd0], 1;"));
  uint64_t address = device.allocate(4);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(device.faultOf("k", kOne, Dim3{32, 1, 1}, 0u, address), "");
}

/// So many barriers that segments are numbered anew.
TEST(Race, AfterVeryManyBarriers) {
  TestDevice device;
  device.load(kernelOf(1, R"(
      .shared .align 4 .b8 tile[256];
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd1, %r1, 4;
      mov.u64 %rd2, tile;
      add.u64 %rd3, %rd2, %rd1;
      xor.b32 %r2, %r1, 32;
      mul.wide.u32 %rd4, %r2, 4;
      add.u64 %rd4, %rd2, %rd4;
      mov.u32 %r3, 0;
    LOOP:
      bar.sync 0;
      add.u32 %r3, %r3, 1;
      setp.lt.u32 %p1, %r3, 1200;
      @%p1 bra LOOP;
      st.shared.u32 [%rd3], %r1;
      bar.sync 0;
      ld.shared.u32 %r4, [%rd4];)"));
  // 3,600 blocks of 1,201 barriers are more than 2^22 segments.
  EXPECT_EQ(device.faultOf("k", Dim3{3600, 1, 1}, Dim3{64, 1, 1}, 0u,
                           device.allocate(4)),
            "");
}

} // namespace
} // namespace tdc::sim
