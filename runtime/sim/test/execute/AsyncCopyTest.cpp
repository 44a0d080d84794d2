//===- AsyncCopyTest.cpp - cp.async ---------------------------------------===//

#include "OpcodeRows.h"
#include "TestDevice.h"

namespace tdc::sim {

namespace {

constexpr Dim3 kOne{1, 1, 1}, kWarp{32, 1, 1};

/// Each of 32 threads copies `bytes` through shared memory; `wait` follows
/// `copy` (the addresses are in %rd3 and %rd4).
std::string copyKernel(unsigned bytes, const std::string &copy,
                       const std::string &wait) {
  std::string text = ".shared .align 16 .b8 tile[512];\nmov.u32 %r1, %tid.x;\n"
                     "mul.wide.u32 %rd2, %r1, " +
                     std::to_string(bytes) +
                     ";\nmov.u64 %rd3, tile;\nadd.u64 %rd3, %rd3, %rd2;\n"
                     "add.u64 %rd4, %rd1, %rd2;\nadd.u64 %rd5, %rd0, %rd2;\n"
                     "and.b32 %r9, %r1, 1;\nsetp.ne.u32 %p1, %r9, 0;\n" +
                     copy + "\n" + wait + "\n";
  for (unsigned i = 0; i < bytes; i += 4)
    text += "ld.shared.b32 %r2, [%rd3+" + std::to_string(i) +
            "];\nst.global.b32 [%rd5+" + std::to_string(i) + "], %r2;\n";
  return kernelOf(2, text);
}

/// The first `sizeOf(thread)` bytes of each thread come from the source, the
/// others are 0.
template <typename SizeOf>
void check(unsigned bytes, const std::string &copy, const std::string &wait,
           const SizeOf &sizeOf) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    TestDevice device(seed);
    device.load(copyKernel(bytes, copy, wait));
    std::vector<uint8_t> in(32 * bytes);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = uint8_t(i * 7 + 1);
    uint64_t out = device.allocate(in.size());
    device.launch("k", kOne, kWarp, 0, out, device.upload(in));
    auto got = device.download<uint8_t>(out, in.size());
    for (size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(got[i], i % bytes < sizeOf(unsigned(i / bytes)) ? in[i] : 0)
          << copy << " byte " << i;
  }
}

void checkCopy(const std::string &cache) {
  const std::string opcode = "cp.async." + cache + ".shared.global";
  for (unsigned bytes : {4u, 8u, 16u}) {
    if (cache == "cg" && bytes != 16)
      continue;
    const std::string text =
        opcode + " [%rd3], [%rd4], " + std::to_string(bytes);
    check(bytes, text + ";", "cp.async.wait_all;",
          [=](unsigned) { return bytes; });
    check(bytes,
          "rem.u32 %r3, %r1, " + std::to_string(bytes + 1) + ";\n" + text +
              ", %r3;",
          "cp.async.wait_all;",
          [=](unsigned thread) { return thread % (bytes + 1); });
    check(bytes, text + ", %p1;", "cp.async.wait_all;",
          [=](unsigned thread) { return thread % 2 ? 0 : bytes; });
  }
}

const std::string kCopy = "cp.async.ca.shared.global [%rd3], [%rd4], 4;";

std::string faultOf(const std::string &copy, const std::string &wait,
                    uint64_t seed = 1) {
  TestDevice device(seed);
  device.load(copyKernel(4, copy, wait));
  return device.faultOf("k", kOne, kWarp, 0u, device.allocate(128),
                        device.upload(std::vector<uint32_t>(32, 9)));
}

} // namespace

OpcodeRows asyncCopyRows() {
  OpcodeRows rows;
  for (const std::string cache : {"ca", "cg"})
    rows.push_back(
        {"cp.async." + cache + ".shared.global", [=] { checkCopy(cache); }});
  auto waits = [] {
    EXPECT_EQ(faultOf(kCopy, "cp.async.commit_group;\n"
                             "cp.async.wait_group 0;"),
              "");
    // At most one group stays in flight: a later, empty one, or the copy's own.
    EXPECT_EQ(faultOf(kCopy, "cp.async.commit_group;\ncp.async.commit_group;\n"
                             "cp.async.wait_group 1;"),
              "");
    EXPECT_HAS(faultOf(kCopy, "cp.async.commit_group;\n"
                              "cp.async.wait_group 1;"),
               "cp.async is to fill it and is not waited for");
    EXPECT_HAS(faultOf(kCopy, "cp.async.wait_group 0;"),
               "cp.async is to fill it and is not waited for");
  };
  rows.push_back({"cp.async.wait_group", waits});
  rows.push_back({"cp.async.commit_group", waits});
  rows.push_back({"cp.async.wait_all", [] {
                    EXPECT_EQ(faultOf(kCopy, "cp.async.wait_all;"), "");
                    EXPECT_EQ(faultOf(kCopy, "cp.async.commit_group;\n"
                                             "cp.async.wait_all;"),
                              "");
                  }});
  return rows;
}

namespace {

TEST(AsyncCopy, WhatIsInFlightIsNotTouched) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    EXPECT_HAS(faultOf(kCopy, "", seed), "is not waited for");
    EXPECT_HAS(faultOf(kCopy, "st.shared.b32 [%rd3], 1;", seed),
               "is not waited for");
    EXPECT_HAS(faultOf(kCopy, kCopy, seed), "is not waited for");
  }
}

TEST(AsyncCopy, Operands) {
  EXPECT_HAS(faultOf("cp.async.cg.shared.global [%rd3], [%rd4], 4;", ""),
             "copies 4 bytes: expected 16");
  EXPECT_HAS(faultOf("cp.async.ca.shared.global [%rd3], [%rd4], 2;", ""),
             "copies 2 bytes: expected 4, 8 or 16");
  EXPECT_HAS(faultOf("cp.async.ca.shared.global [%rd3], [%rd4], 4, 5;", ""),
             "copies 5 bytes of a source into 4");
  EXPECT_HAS(faultOf("cp.async.ca.shared.global [%rd3], [%rd4+2], 4;", ""),
             "reads 4 bytes at");
  EXPECT_HAS(faultOf("cp.async.ca.shared.global [%rd3+2], [%rd4], 4;", ""),
             "not a multiple of 4");
  EXPECT_HAS(faultOf("cp.async.ca.shared.global [%rd3+512], [%rd4], 4;", ""),
             "of shared memory");
  EXPECT_HAS(faultOf("cp.async.ca.shared.global [%rd3], [%rd4+128], 4;", ""),
             "past the end of allocation");
}

/// With no byte to read, the source may be at any address.
TEST(AsyncCopy, NothingIsReadOfASourceOfSize0) {
  EXPECT_EQ(faultOf("cp.async.ca.shared.global [%rd3], [%rd4+4096], 4, 0;",
                    "cp.async.wait_all;"),
            "");
}

/// Another warp needs a barrier after the wait, and before the copy overwrites
/// bytes that it reads.
TEST(AsyncCopy, RacesWithOtherWarps) {
  const std::string head =
      ".shared .align 16 .b8 tile[512];\nmov.u32 %r1, %tid.x;\n"
      "mul.wide.u32 %rd2, %r1, 4;\nmov.u64 %rd3, tile;\n"
      "add.u64 %rd5, %rd3, %rd2;\nadd.u64 %rd4, %rd1, %rd2;\n"
      "xor.b32 %r2, %r1, 32;\nmul.wide.u32 %rd6, %r2, 4;\n"
      "add.u64 %rd6, %rd3, %rd6;\nadd.u64 %rd7, %rd0, %rd2;\n";
  const std::string copy =
      "cp.async.ca.shared.global [%rd5], [%rd4], 4;\ncp.async.wait_all;\n";
  const std::string use =
      "ld.shared.b32 %r3, [%rd6];\nst.global.b32 [%rd7], %r3;\n";
  auto run = [&](const std::string &body, uint64_t seed) {
    TestDevice device(seed);
    device.load(kernelOf(2, head + body));
    return device.faultOf("k", kOne, Dim3{64, 1, 1}, 0u, device.allocate(256),
                          device.upload(std::vector<uint32_t>(64, 5)));
  };
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    EXPECT_EQ(run(copy + "bar.sync 0;\n" + use + "bar.sync 0;\n" + copy, seed),
              "");
    EXPECT_NE(run(copy + use, seed), "");
    EXPECT_NE(run(copy + "bar.sync 0;\n" + use + copy, seed), "");
  }
}

} // namespace
} // namespace tdc::sim
