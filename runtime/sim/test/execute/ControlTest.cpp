//===- ControlTest.cpp - branches, ends, barriers and fences --------------===//

#include "OpcodeRows.h"
#include "TestDevice.h"

namespace tdc::sim {

namespace {

constexpr Dim3 kOne{1, 1, 1};

/// Exchanges values of all threads of a block through one barrier: four warps
/// write to shared memory, wait, and read what their neighbours have written.
std::string exchange(const std::string &barrier) {
  return kernelOf(1,
                  ".shared .align 4 .b8 tile[512];\nmov.u32 %r1, %tid.x;\n"
                  "mul.wide.u32 %rd1, %r1, 4;\nmov.u64 %rd2, tile;\n"
                  "add.u64 %rd3, %rd2, %rd1;\nst.shared.u32 [%rd3], %r1;\n" +
                      barrier +
                      "\nxor.b32 %r2, %r1, 32;\nmul.wide.u32 %rd4, %r2, 4;\n"
                      "add.u64 %rd4, %rd2, %rd4;\nld.shared.u32 %r3, [%rd4];\n"
                      "add.u64 %rd5, %rd0, %rd1;\nst.global.u32 [%rd5], %r3;");
}

void checkExchange(const std::string &barrier) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    TestDevice device(seed);
    device.load(exchange(barrier));
    uint64_t out = device.allocate(512);
    device.launch("k", kOne, {128, 1, 1}, 0, out);
    auto got = device.download<uint32_t>(out, 128);
    for (unsigned i = 0; i < 128; ++i)
      ASSERT_EQ(got[i], i ^ 32) << barrier;
  }
}

/// Warps 2 and 3 write, warps 0 and 1 read; a warp that only arrives does not
/// wait.
void checkArrive(const std::string &base, const std::string &suffix) {
  const std::string text = kernelOf(
      1, ".shared .align 4 .b8 tile[256];\nmov.u32 %r1, %tid.x;\n"
         "mov.u64 %rd2, tile;\nand.b32 %r5, %r1, 63;\n"
         "mul.wide.u32 %rd1, %r5, 4;\nadd.u64 %rd3, %rd2, %rd1;\n"
         "add.u64 %rd4, %rd0, %rd1;\n"
         "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra TAKE;\n"
         "st.shared.u32 [%rd3], %r1;\n" +
             base + ".arrive" + suffix + " 3, 128;\nbra.uni END;\nTAKE:\n" +
             base + ".sync" + suffix +
             " 3, 128;\nld.shared.u32 %r2, [%rd3];\n"
             "st.global.u32 [%rd4], %r2;\nEND:");
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    TestDevice device(seed);
    device.load(text);
    uint64_t out = device.allocate(256);
    device.launch("k", kOne, {128, 1, 1}, 0, out);
    auto got = device.download<uint32_t>(out, 64);
    for (unsigned i = 0; i < 64; ++i)
      ASSERT_EQ(got[i], i + 64);
  }
}

/// Reduces over the threads with numbers up to `limit`.
void checkReduction(const std::string &opcode, const std::string &operation,
                    bool hasCount) {
  for (unsigned limit : {0u, 1u, 40u, 127u, 128u}) {
    bool isCount = operation == "popc";
    TestDevice device;
    device.load(kernelOf(
        1, "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\n"
           "add.u64 %rd1, %rd0, %rd1;\nsetp.ge.u32 %p1, %r1, " +
               std::to_string(limit) + ";\n" + opcode +
               (isCount ? " %r2" : " %p2") + ", 1" + (hasCount ? ", 128" : "") +
               ", !%p1;\n" + (isCount ? "" : "selp.u32 %r2, 1, 0, %p2;\n") +
               "st.global.u32 [%rd1], %r2;"));
    uint64_t out = device.allocate(512);
    device.launch("k", kOne, {128, 1, 1}, 0, out);
    uint32_t expected = isCount              ? limit
                        : operation == "and" ? limit == 128
                                             : limit > 0;
    for (uint32_t got : device.download<uint32_t>(out, 128))
      ASSERT_EQ(got, expected) << opcode << " " << limit;
  }
}

/// Blocks pass on their results: the last block to count itself, with fences
/// before and after the atomic, reads the values that all blocks have written.
std::string lastBlock(const std::string &before, const std::string &after) {
  return kernelOf(3, "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd4, %r1, 4;\n"
                     "add.u64 %rd5, %rd0, %rd4;\nst.global.u32 [%rd5], %r1;\n" +
                         before + "\natom.global.add.u32 %r2, [%rd1], 1;\n" +
                         after +
                         "\nsetp.ne.u32 %p1, %r2, 7;\n@%p1 bra END;\n"
                         "mov.u32 %r3, 0;\nmov.u32 %r4, 0;\n"
                         "LOOP: ld.global.u32 %r5, [%rd0];\n"
                         "add.u32 %r3, %r3, %r5;\nadd.u64 %rd0, %rd0, 4;\n"
                         "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 8;\n"
                         "@%p2 bra LOOP;\nst.global.u32 [%rd2], %r3;\nEND:");
}

std::string runLastBlock(const std::string &before, const std::string &after) {
  TestDevice device;
  device.load(lastBlock(before, after));
  uint64_t sum = device.allocate(4);
  std::string fault =
      device.faultOf("k", Dim3{8, 1, 1}, kOne, 0u, device.allocate(32),
                     device.upload(std::vector<uint32_t>{0}), sum);
  if (fault.empty())
    EXPECT_EQ(device.download<uint32_t>(sum, 1)[0], 28u);
  return fault;
}

/// The value that thread i of a warp stores when `body` jumps or ends.
std::vector<uint32_t> runThreads(const std::string &body) {
  TestDevice device;
  device.load(kernelOf(1, "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 4;\n"
                          "add.u64 %rd1, %rd0, %rd1;\nmov.u32 %r2, 1;\n"
                          "rem.u32 %r3, %r1, 5;\nsetp.eq.u32 %p1, %r3, 3;\n" +
                              body + "\nst.global.u32 [%rd1], %r2;"));
  uint64_t out = device.upload(std::vector<uint32_t>(40, 0));
  device.launch("k", kOne, {40, 1, 1}, 0, out);
  return device.download<uint32_t>(out, 40);
}

} // namespace

OpcodeRows controlRows() {
  OpcodeRows rows;
  for (const std::string base : {"bar", "bar.cta", "barrier", "barrier.cta"})
    for (const std::string suffix : {"", ".aligned"}) {
      if (!suffix.empty() && base.rfind("barrier", 0) != 0)
        continue;
      const std::string sync = base + ".sync" + suffix;
      rows.push_back({sync, [=] { checkExchange(sync + " 0;"); }});
      rows.push_back({sync, [=] { checkExchange(sync + " 2, 128;"); }});
      rows.push_back(
          {base + ".arrive" + suffix, [=] { checkArrive(base, suffix); }});
      for (const std::string operation : {"popc", "and", "or"}) {
        const std::string opcode = base + ".red." + operation + suffix +
                                   (operation == "popc" ? ".u32" : ".pred");
        for (bool hasCount : {false, true})
          rows.push_back(
              {opcode, [=] { checkReduction(opcode, operation, hasCount); }});
      }
    }
  // Every fence of device scope orders blocks; one of block scope does not.
  for (const std::string opcode :
       {"membar.gl", "membar.sys", "fence.gpu", "fence.sys", "fence.sc.gpu",
        "fence.sc.sys", "fence.acq_rel.gpu", "fence.acq_rel.sys"})
    rows.push_back({opcode, [=] {
                      EXPECT_EQ(runLastBlock(opcode + ";", opcode + ";"), "");
                    }});
  for (const std::string opcode :
       {"membar.cta", "fence.cta", "fence.sc.cta", "fence.acq_rel.cta"})
    rows.push_back({opcode, [=] {
                      EXPECT_HAS(runLastBlock(opcode + ";", opcode + ";"),
                                 "a race: written by block");
                    }});
  for (const std::string opcode : {"bra", "bra.uni"})
    rows.push_back({opcode, [=] {
                      auto got = runThreads("@%p1 " + opcode +
                                            " OVER;\nmov.u32 %r2, 2;\nOVER:");
                      for (unsigned i = 0; i < 40; ++i)
                        EXPECT_EQ(got[i], i % 5 == 3 ? 1u : 2u);
                    }});
  for (const std::string opcode : {"brx.idx", "brx.idx.uni"})
    rows.push_back(
        {opcode, [=] {
           auto got = runThreads(
               "TABLE: .branchtargets A, B, C, A, END;\n" + opcode +
               " %r3, TABLE;\nA: mov.u32 %r2, 10;\nbra.uni END;\n"
               "B: mov.u32 %r2, 11;\nC: add.u32 %r2, %r2, 12;\nEND:");
           const uint32_t expected[] = {10, 23, 13, 10, 1};
           for (unsigned i = 0; i < 40; ++i)
             EXPECT_EQ(got[i], expected[i % 5]);
         }});
  for (const std::string opcode : {"ret", "ret.uni", "exit"})
    rows.push_back({opcode, [=] {
                      auto got = runThreads("@%p1 " + opcode + ";");
                      for (unsigned i = 0; i < 40; ++i)
                        EXPECT_EQ(got[i], i % 5 == 3 ? 0u : 1u);
                    }});
  rows.push_back({"trap", [] {
                    TestDevice device;
                    device.load(kernelOf(0, "trap;"));
                    EXPECT_HAS(device.faultOf("k", kOne, kOne, 0u),
                               "executes a trap");
                  }});
  rows.push_back({"bar.warp.sync", [] {
                    auto got = runThreads("@%p1 mov.u32 %r2, 3;\n"
                                          "activemask.b32 %r4;\n"
                                          "bar.warp.sync %r4;");
                    for (unsigned i = 0; i < 40; ++i)
                      EXPECT_EQ(got[i], i % 5 == 3 ? 3u : 1u);
                  }});
  return rows;
}

namespace {

TEST(Control, IndexedBranchesStayInTheirTable) {
  TestDevice device;
  device.load(kernelOf(0, "mov.u32 %r1, 2;\nT: .branchtargets A, A;\n"
                          "brx.idx %r1, T;\nA:"));
  EXPECT_HAS(device.faultOf("k", kOne, kOne, 0u),
             "branches to entry 2 of a table of 2");
}

TEST(Control, BarriersThatAreNeverComplete) {
  TestDevice device;
  Dim3 block{64, 1, 1};
  // The second warp ends.
  device.load(kernelOf(0, "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\n"
                          "@%p1 ret;\nbar.sync 0;"));
  EXPECT_HAS(device.faultOf("k", kOne, block, 0u),
             "waits at a barrier for ever: warp 1 has ended");
  // The warps wait at two different barriers.
  device.load(kernelOf(0, "mov.u32 %r1, %warpid;\nbar.sync %r1;"));
  EXPECT_HAS(device.faultOf("k", kOne, block, 0u),
             "waits at a barrier for ever");
  // Half of a warp does not arrive.
  device.load(kernelOf(0, "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 16;\n"
                          "@%p1 bra OTHER;\nbar.sync 0;\nbra.uni END;\n"
                          "OTHER: bar.sync 0;\nEND:"));
  EXPECT_HAS(device.faultOf("k", kOne, block, 0u), "to execute the same");
}

TEST(Control, BarriersAgreeOnTheirThreads) {
  TestDevice device;
  Dim3 block{64, 1, 1};
  auto faultOf = [&](const std::string &body) {
    device.load(kernelOf(0, "mov.u32 %r1, %tid.x;\n"
                            "setp.lt.u32 %p1, %r1, 32;\n" +
                                body));
    return device.faultOf("k", kOne, block, 0u);
  };
  EXPECT_HAS(faultOf("bar.sync 16;"), "uses barrier 16 of 16");
  EXPECT_HAS(faultOf("bar.sync 0, 40;"), "expected a multiple of 32");
  EXPECT_HAS(faultOf("bar.sync 0, 96;"), "expected a multiple of 32");
  block = {96, 1, 1};
  EXPECT_HAS(faultOf("@%p1 bar.sync 0, 64;\n@!%p1 bar.sync 0, 96;"),
             "threads, others for ");
  block = {64, 1, 1};
  EXPECT_HAS(faultOf("@%p1 bar.arrive 1, 64;\n@%p1 bar.arrive 1, 64;"),
             "arrives twice at barrier 1");
  EXPECT_HAS(faultOf("bar.sync %r1;"), "has another barrier than its warp");
}

TEST(Control, WithoutFencesBlocksAreNotOrdered) {
  EXPECT_HAS(runLastBlock("", "membar.gl;"), "a race: written by block");
  EXPECT_HAS(runLastBlock("membar.gl;", ""), "a race: written by block");
}

TEST(Control, KernelsThatDoNotEnd) {
  TestDevice device;
  device.load(kernelOf(0, "LOOP: bra.uni LOOP;"));
  EXPECT_HAS(device.faultOf("k", kOne, kOne, 0u), "does not end");
}

/// Nested loops that lanes leave at different times.
TEST(Control, LoopsOfDifferentLength) {
  auto got = runThreads(R"(
      mov.u32 %r2, 0;
      mov.u32 %r4, 0;
    OUTER:
      mov.u32 %r5, 0;
    INNER:
      setp.ge.u32 %p2, %r5, %r4;
      @%p2 bra NEXT;
      add.u32 %r2, %r2, 1;
      add.u32 %r5, %r5, 1;
      bra.uni INNER;
    NEXT:
      add.u32 %r4, %r4, 1;
      setp.le.u32 %p3, %r4, %r1;
      @%p3 bra OUTER;)");
  for (unsigned i = 0; i < 40; ++i)
    EXPECT_EQ(got[i], i * (i + 1) / 2);
}

} // namespace
} // namespace tdc::sim
