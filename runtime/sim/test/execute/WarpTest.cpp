//===- WarpTest.cpp - exchange between the lanes of a warp ----------------===//

#include "OpcodeRows.h"
#include "TestDevice.h"
#include <array>

namespace tdc::sim {

namespace {

constexpr unsigned kLanes = 32;
using Lanes = std::array<uint32_t, kLanes>;

/// The results of a `body` run in one warp: lane i has a[i] in %r1 and b[i] in
/// %r2 (and both in %d1), and %p1 says whether a is odd; %r10 and %p2 are
/// results.
struct Outcome {
  Lanes result, predicate;
};
Outcome runWarp(const std::string &body, const Lanes &a, const Lanes &b) {
  TestDevice device;
  device.load(kernelOf(
      4, ".reg .b64 %d<4>;\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd10, %r0, 4;\n"
         "add.u64 %rd0, %rd0, %rd10;\nadd.u64 %rd1, %rd1, %rd10;\n"
         "add.u64 %rd2, %rd2, %rd10;\nadd.u64 %rd3, %rd3, %rd10;\n"
         "ld.global.b32 %r1, [%rd0];\nld.global.b32 %r2, [%rd1];\n"
         "mov.b64 %d1, {%r1, %r2};\nand.b32 %r3, %r1, 1;\n"
         "setp.ne.u32 %p1, %r3, 0;\nmov.b32 %r10, 77;\nmov.pred %p2, 0;\n" +
             body +
             "\nst.global.b32 [%rd2], %r10;\nselp.b32 %r11, 1, 0, %p2;\n"
             "st.global.b32 [%rd3], %r11;\n"));
  std::vector<uint32_t> left(a.begin(), a.end()), right(b.begin(), b.end());
  uint64_t result = device.allocate(sizeof a),
           truth = device.allocate(sizeof a);
  device.launch("k", {1, 1, 1}, {kLanes, 1, 1}, 0, device.upload(left),
                device.upload(right), result, truth);
  Outcome outcome;
  auto results = device.download<uint32_t>(result, kLanes);
  auto truths = device.download<uint32_t>(truth, kLanes);
  std::copy(results.begin(), results.end(), outcome.result.begin());
  std::copy(truths.begin(), truths.end(), outcome.predicate.begin());
  return outcome;
}

Lanes randomLanes(unsigned range) {
  static std::mt19937_64 random(3);
  Lanes lanes;
  for (uint32_t &lane : lanes)
    lane = uint32_t(random()) % range;
  return lanes;
}

/// PTX ISA 9.7.9.6, the pseudocode of shfl.
void checkShuffle(const std::string &mode, bool hasPredicate) {
  const std::string opcode = "shfl.sync." + mode + ".b32";
  for (uint32_t c : {0x1fu, 0u, 0x1c03u, 0x181fu, 0x1807u, 0x100fu}) {
    Lanes a = randomLanes(1u << 30), b = randomLanes(32);
    Outcome got = runWarp(opcode + " %r10" + (hasPredicate ? "|%p2" : "") +
                              ", %r1, %r2, " + std::to_string(c) + ", -1;",
                          a, b);
    for (int lane = 0; lane < int(kLanes); ++lane) {
      int bval = int(b[lane]), cval = int(c & 31), segmask = int(c >> 8 & 31);
      int maxLane = (lane & segmask) | (cval & ~segmask);
      int minLane = lane & segmask, j = 0;
      bool pval = false;
      if (mode == "up") {
        j = lane - bval;
        pval = j >= maxLane;
      } else if (mode == "down") {
        j = lane + bval;
        pval = j <= maxLane;
      } else if (mode == "bfly") {
        j = lane ^ bval;
        pval = j <= maxLane;
      } else {
        j = minLane | (bval & ~segmask);
        pval = j <= maxLane;
      }
      if (!pval)
        j = lane;
      ASSERT_EQ(got.result[lane], a[j])
          << mode << " c " << c << " lane " << lane;
      if (hasPredicate)
        ASSERT_EQ(got.predicate[lane], pval) << mode << " lane " << lane;
    }
  }
}

/// Votes on whether values are odd, among all lanes and among some; none, one,
/// some or all values are odd.
void checkVote(const std::string &mode) {
  for (uint32_t oddLanes : {0u, 1u, 0x80000000u, 0xf0f0f0f0u, ~0u}) {
    Lanes a;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      a[lane] = oddLanes >> lane & 1;
    bool isBallot = mode == "ballot";
    const std::string opcode =
        "vote.sync." + mode + (isBallot ? ".b32" : ".pred");
    for (bool isNegated : {false, true}) {
      uint32_t holds = isNegated ? ~oddLanes : oddLanes;
      Outcome got = runWarp(opcode + (isBallot ? " %r10, " : " %p2, ") +
                                (isNegated ? "!" : "") + "%p1, -1;",
                            a, a);
      uint32_t expected = mode == "all"   ? holds == ~0u
                          : mode == "any" ? holds != 0
                          : mode == "uni" ? holds == 0 || holds == ~0u
                                          : holds;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        ASSERT_EQ(isBallot ? got.result[lane] : got.predicate[lane], expected);
    }
  }
}

void checkMatch(bool isAll, bool isWide, bool hasPredicate) {
  for (unsigned range : {1u, 3u, 40u}) {
    Lanes a = randomLanes(range), b = isWide ? randomLanes(2) : Lanes{};
    if (range == 1)
      b = {};
    const std::string opcode = std::string("match.") + (isAll ? "all" : "any") +
                               ".sync" + (isWide ? ".b64" : ".b32");
    Outcome got = runWarp(opcode + " %r10" + (hasPredicate ? "|%p2" : "") +
                              (isWide ? ", %d1" : ", %r1") + ", -1;",
                          a, b);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint32_t equal = 0;
      for (unsigned other = 0; other < kLanes; ++other)
        equal |= uint32_t(a[other] == a[lane] && b[other] == b[lane]) << other;
      uint32_t expected = isAll ? (equal == ~0u ? ~0u : 0) : equal;
      ASSERT_EQ(got.result[lane], expected) << opcode << " lane " << lane;
      if (hasPredicate)
        ASSERT_EQ(got.predicate[lane], equal == ~0u);
    }
  }
}

void checkReduction(const std::string &operation, const std::string &type) {
  Lanes a = randomLanes(~0u);
  // Only the odd lanes take part; the others keep their values.
  for (unsigned lane = 0; lane < kLanes; ++lane)
    a[lane] = (a[lane] & ~1u) | (lane % 3 == 0);
  uint32_t members = 0;
  for (unsigned lane = 0; lane < kLanes; lane += 3)
    members |= 1u << lane;
  Outcome got = runWarp("@%p1 redux.sync." + operation + type + " %r10, %r1, " +
                            std::to_string(members) + ";",
                        a, a);
  int64_t expected = operation == "min"   ? INT64_MAX
                     : operation == "max" ? INT64_MIN
                     : operation == "and" ? -1
                                          : 0;
  for (unsigned lane = 0; lane < kLanes; lane += 3) {
    int64_t value = type == ".s32" ? int64_t(int32_t(a[lane])) : a[lane];
    expected = operation == "add"   ? expected + value
               : operation == "min" ? std::min(expected, value)
               : operation == "max" ? std::max(expected, value)
               : operation == "and" ? (expected & value)
               : operation == "or"  ? (expected | value)
                                    : (expected ^ value);
  }
  for (unsigned lane = 0; lane < kLanes; ++lane)
    ASSERT_EQ(got.result[lane], lane % 3 ? 77 : uint32_t(expected))
        << operation << type << " lane " << lane;
}

} // namespace

OpcodeRows warpRows() {
  OpcodeRows rows;
  for (const std::string mode : {"up", "down", "bfly", "idx"})
    for (bool hasPredicate : {false, true})
      rows.push_back({"shfl.sync." + mode + ".b32",
                      [=] { checkShuffle(mode, hasPredicate); }});
  for (const std::string mode : {"all", "any", "uni", "ballot"})
    rows.push_back({"vote.sync." + mode + (mode == "ballot" ? ".b32" : ".pred"),
                    [=] { checkVote(mode); }});
  for (bool isWide : {false, true}) {
    const std::string type = isWide ? ".b64" : ".b32";
    rows.push_back(
        {"match.any.sync" + type, [=] { checkMatch(false, isWide, false); }});
    for (bool hasPredicate : {false, true})
      rows.push_back({"match.all.sync" + type,
                      [=] { checkMatch(true, isWide, hasPredicate); }});
  }
  for (const std::string type : {".u32", ".s32"})
    for (const std::string operation : {"add", "min", "max"})
      rows.push_back({"redux.sync." + operation + type,
                      [=] { checkReduction(operation, type); }});
  for (const std::string operation : {"and", "or", "xor"})
    rows.push_back({"redux.sync." + operation + ".b32",
                    [=] { checkReduction(operation, ".b32"); }});
  rows.push_back({"activemask.b32", [] {
                    Lanes a{};
                    a[3] = a[9] = 1;
                    Outcome got = runWarp("@%p1 activemask.b32 %r10;", a, a);
                    EXPECT_EQ(got.result[3], 1u << 3 | 1u << 9);
                    EXPECT_EQ(got.result[4], 77u);
                  }});
  return rows;
}

namespace {

TEST(Warp, MembersHaveToCome) {
  TestDevice device;
  // Lane 0 has ended when the others shuffle with it.
  device.load(kernelOf(0, "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n"
                          "@%p1 ret;\n"
                          "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;"));
  std::string fault = device.faultOf("k", Dim3{1, 1, 1}, Dim3{32, 1, 1}, 0u);
  EXPECT_HAS(fault, "waits for lane 0 of its warp");
  EXPECT_HAS(fault, "has ended");
  EXPECT_EQ(device.code, CUDA_ERROR_LAUNCH_FAILED);

  // The executing lane must be a member.
  device.load(kernelOf(0, "mov.u32 %r1, %tid.x;\n"
                          "shfl.sync.bfly.b32 %r2, %r1, 1, 31, 0xffff;"));
  fault = device.faultOf("k", Dim3{1, 1, 1}, Dim3{32, 1, 1}, 0u);
  EXPECT_HAS(fault, "thread (16,0,0)");
  EXPECT_HAS(fault, "member mask that it is not in");

  // Two halves wait for each other at different places.
  device.load(kernelOf(0, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n"
                          "@%p1 bra LOW;\nbar.warp.sync -1;\nbra.uni END;\n"
                          "LOW: vote.sync.any.pred %p2, %p1, -1;\nEND:\n"));
  fault = device.faultOf("k", Dim3{1, 1, 1}, Dim3{32, 1, 1}, 0u);
  EXPECT_HAS(fault, "waits elsewhere");

  // A lane that does not take part has no value to read.
  device.load(kernelOf(0, "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n"
                          "@%p1 shfl.sync.idx.b32 %r2, %r1, 20, 31, 0xffff;"));
  fault = device.faultOf("k", Dim3{1, 1, 1}, Dim3{32, 1, 1}, 0u);
  EXPECT_HAS(fault, "reads from lane 20, which does not take part");

  // One instruction has one mask.
  device.load(kernelOf(0, "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\n"
                          "bar.warp.sync %r2;"));
  fault = device.faultOf("k", Dim3{1, 1, 1}, Dim3{32, 1, 1}, 0u);
  EXPECT_HAS(fault, "has another member mask");
}

/// Lanes that come later are waited for, whichever path is longer.
TEST(Warp, LanesMeetAtSynchronisation) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    TestDevice device(seed);
    device.load(kernelOf(1, R"(
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd1, %r1, 4;
      add.u64 %rd0, %rd0, %rd1;
      and.b32 %r2, %r1, 1;
      setp.eq.u32 %p1, %r2, 0;
      @%p1 bra EVEN;
      mov.u32 %r3, 0;
    LOOP:
      add.u32 %r3, %r3, 1;
      setp.lt.u32 %p2, %r3, %r1;
      @%p2 bra LOOP;
      bra.uni MEET;
    EVEN:
      mov.u32 %r3, 100;
    MEET:
      shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;
      st.global.u32 [%rd0], %r4;)"));
    uint64_t out = device.allocate(128);
    device.launch("k", {1, 1, 1}, {32, 1, 1}, 0, out);
    auto got = device.download<uint32_t>(out, 32);
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(got[lane], lane % 2 ? 100u : lane + 1);
  }
}

} // namespace
} // namespace tdc::sim
