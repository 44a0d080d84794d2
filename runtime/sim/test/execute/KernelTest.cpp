//===- KernelTest.cpp - small kernels, from end to end --------------------===//

#include "TestDevice.h"
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

using namespace tdc::sim;

namespace {

/// Thread and block numbers, a loop, a divergent branch, arithmetic.
TEST(Kernel, AddsVectors) {
  TestDevice device;
  device.load(R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c,
                    .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<11>;
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $done;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  mul.wide.s32 %rd4, %r5, 4;
  add.s64 %rd5, %rd1, %rd4;
  add.s64 %rd6, %rd2, %rd4;
  add.s64 %rd7, %rd3, %rd4;
  ld.global.f32 %r6, [%rd5];
  ld.global.f32 %r7, [%rd6];
  add.rn.f32 %r8, %r6, %r7;
  st.global.f32 [%rd7], %r8;
$done:
  ret;
}
)");
  constexpr uint32_t kCount = 1000;
  std::vector<float> a(kCount), b(kCount, 0.5f);
  std::iota(a.begin(), a.end(), 0.0f);
  uint64_t result = device.allocate(kCount * sizeof(float));
  Work work = device.launch("add", {8, 1, 1}, {128, 1, 1}, 0, device.upload(a),
                            device.upload(b), result, kCount);
  std::vector<float> c = device.download<float>(result, kCount);
  for (unsigned i = 0; i < kCount; ++i)
    EXPECT_EQ(c[i], float(i) + 0.5f);
  EXPECT_EQ(work.operations, kCount);
  EXPECT_EQ(work.bytesRead, 8 * kCount);
  EXPECT_EQ(work.bytesWritten, 4 * kCount);
  // Seven instructions and the last one for all threads, eleven more for those
  // in range.
  EXPECT_EQ(work.instructions, 1024 * 8 + kCount * 11);
}

/// LLVM's NVPTX output for a switch (a table of branches), indexed tables of
/// constants, parameters and local memory, dynamic shared memory and debug
/// information: data/llvm-features.ll.
TEST(Kernel, MadeByLLVM) {
  constexpr uint32_t kCount = 70;
  const std::array<float, 8> values = {8, 7, 6, 5, 4, 3, 2, 1};
  const std::function<float(uint32_t)> expected[] = {
      [](uint32_t t) { return float(t % 8 + 1); },
      [&](uint32_t t) { return values[t % 8]; },
      [](uint32_t t) { return float(t); },
      [](uint32_t t) { return float(t % 8); },
      [](uint32_t t) { return std::sqrt(float(t)); },
      [](uint32_t) { return 5.0f; }};
  TestDevice device;
  device.load(readTestData("llvm-features.ptx"));
  for (uint32_t kind = 0; kind < std::size(expected); ++kind) {
    uint64_t out = device.allocate(kCount * sizeof(float));
    device.launch("features", {1, 1, 1}, {96, 1, 1}, kCount * sizeof(float),
                  out, values, kind, kCount);
    std::vector<float> got = device.download<float>(out, kCount);
    for (uint32_t t = 0; t < kCount; ++t)
      EXPECT_EQ(got[t], expected[kind](t)) << "kind " << kind;
  }
  // Line tables give the line of the program.
  EXPECT_HAS(device.faultOf("features", Dim3{1, 1, 1}, Dim3{96, 1, 1}, 280u,
                            device.allocate(276), values, 0, kCount),
             " of its PTX (program.tdsl:12): thread (69,0,0)");
}

} // namespace
