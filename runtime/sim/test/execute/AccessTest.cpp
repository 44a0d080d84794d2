//===- AccessTest.cpp - the checks of every access ------------------------===//

#include "TestDevice.h"

namespace tdc::sim {

namespace {

constexpr Dim3 kOne{1, 1, 1};

/// The fault of one or more threads that execute `body` with pointers to 400
/// written bytes and to 400 unwritten ones.
struct Result {
  std::string message;
  CUresult code;
};
Result run(const std::string &body, Dim3 block = kOne) {
  TestDevice device;
  device.load(kernelOf(2, body));
  uint64_t written = device.upload(std::vector<uint32_t>(100, 7));
  uint64_t unwritten = device.allocate(400);
  Result result;
  result.message = device.faultOf("k", kOne, block, 0u, written, unwritten);
  result.code = device.code;
  return result;
}

void expectFault(const std::string &body, const std::string &part,
                 CUresult code = CUDA_ERROR_ILLEGAL_ADDRESS) {
  SCOPED_TRACE(body);
  Result result = run(body);
  EXPECT_HAS(result.message, part);
  EXPECT_EQ(result.code, code);
}

TEST(Access, GlobalBounds) {
  EXPECT_EQ(run("ld.global.b32 %r1, [%rd0+396];").message, "");
  expectFault("ld.global.b32 %r1, [%rd0+416];",
              "16 bytes past the end of allocation 1 (400 bytes) of device 0");
  expectFault("ld.global.b64 %rd5, [%rd0+396];", "only 4 bytes left");
  expectFault("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0+400];",
              "0 bytes past the end of allocation 1");
  expectFault("st.global.b8 [%rd0+400], 1;", "writes 1 byte at");
  expectFault("st.global.v2.b32 [%rd0+396], {%r1, %r2};",
              "only 4 bytes left of allocation 1");
  expectFault("red.global.add.u32 [%rd0+400], 1;", "updates 4 bytes at");
}

TEST(Access, Alignment) {
  expectFault("ld.global.b32 %r1, [%rd0+2];", "not a multiple of 4",
              CUDA_ERROR_MISALIGNED_ADDRESS);
  expectFault("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd0+8];",
              "not a multiple of 16", CUDA_ERROR_MISALIGNED_ADDRESS);
  expectFault(".shared .align 8 .b8 tile[64];\nst.shared.b32 [tile+1], 1;",
              "not a multiple of 4", CUDA_ERROR_MISALIGNED_ADDRESS);
  expectFault(".local .align 8 .b8 own[64];\nst.local.b64 [own+4], 1;",
              "not a multiple of 8", CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST(Access, Unwritten) {
  expectFault(
      "ld.global.b32 %r1, [%rd1+8];",
      "byte 8 of allocation 2 (400 bytes) of device 0 was never written");
  // Checked byte by byte: three of four are not enough.
  expectFault("st.global.b16 [%rd1], 1;\nst.global.b8 [%rd1+2], 1;\n"
              "ld.global.b32 %r1, [%rd1];",
              "byte 3 of allocation 2");
  EXPECT_EQ(run("st.global.b32 [%rd1], 1;\nld.global.b32 %r1, [%rd1];").message,
            "");
  expectFault("atom.global.add.u32 %r1, [%rd1], 1;", "never written");
  expectFault(".shared .align 8 .b8 tile[64];\nld.shared.b32 %r1, [tile];",
              "never written by this block");
  expectFault(".local .align 8 .b8 own[64];\nld.local.b32 %r1, [own];",
              "never written by this thread");
}

/// A full warp takes a fast path, which must check as much.
TEST(Access, RowsAreCheckedToo) {
  const std::string address =
      "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
      "add.u64 %rd3, %rd0, %rd2;\n"
      "add.u64 %rd4, %rd1, %rd2;\n";
  Dim3 warp{32, 1, 1};
  EXPECT_EQ(run(address + "ld.global.b32 %r2, [%rd3];", warp).message, "");
  const std::string warmUp = address + "ld.global.b32 %r2, [%rd3];\n";
  EXPECT_HAS(run(warmUp + "ld.global.b32 %r2, [%rd3+276];", warp).message,
             "thread (31,0,0) of block (0,0,0) reads 4 bytes at");
  EXPECT_HAS(run(warmUp + "ld.global.b32 %r2, [%rd3+1];", warp).message,
             "not a multiple of 4");
  EXPECT_HAS(run(address + "st.global.b32 [%rd4], 1;\n"
                           "bar.warp.sync 0xffffffff;\n"
                           "ld.global.b32 %r2, [%rd4+4];",
                 warp)
                 .message,
             "thread (31,0,0)");
  EXPECT_HAS(run(address + ".shared .align 4 .b8 tile[128];\n"
                           "mov.u64 %rd5, tile;\nadd.u64 %rd5, %rd5, %rd2;\n"
                           "st.shared.b32 [%rd5+4], %r1;",
                 warp)
                 .message,
             "of shared memory: 0 bytes past the end of 128 bytes");
}

TEST(Access, Pointers) {
  expectFault("mov.u64 %rd5, 0;\nld.global.b32 %r1, [%rd5+8];",
              "a null pointer");
  int onStack = 0;
  expectFault("mov.u64 %rd5, " + std::to_string(uintptr_t(&onStack)) +
                  ";\nld.global.b32 %r1, [%rd5];",
              "a pointer of the host?");
}

TEST(Access, FreedMemory) {
  TestDevice device;
  device.load(kernelOf(1, "ld.global.b32 %r1, [%rd0];"));
  uint64_t address = device.upload(std::vector<int>{1});
  device.memory.release(address);
  EXPECT_HAS(device.faultOf("k", kOne, kOne, 0u, address), "which is freed");
}

TEST(Access, OtherDevices) {
  TestDevice device;
  device.load(kernelOf(1, "ld.global.b32 %r1, [%rd0];"));
  uint64_t other = device.upload(std::vector<int>{1}, 1);
  EXPECT_HAS(device.faultOf("k", kOne, kOne, 0u, other),
             "of device 1, to which device 0 has no access");
  device.hasPeerAccess = true;
  EXPECT_EQ(device.faultOf("k", kOne, kOne, 0u, other), "");
}

TEST(Access, SharedAndLocalBounds) {
  expectFault(".shared .align 8 .b8 tile[64];\nst.shared.b32 [tile+64], 1;",
              "of shared memory: 0 bytes past the end of 64 bytes");
  expectFault(".shared .align 8 .b8 tile[62];\nst.shared.b32 [tile+60], 1;",
              "only 2 bytes left of 62 bytes");
  expectFault(".local .align 8 .b8 own[64];\nst.local.b32 [own+68], 1;",
              "of local memory: 4 bytes past the end of 64 bytes");
  // Through a generic address as well.
  expectFault(".shared .align 8 .b8 tile[64];\nmov.u64 %rd2, tile;\n"
              "cvta.shared.u64 %rd3, %rd2;\nst.b32 [%rd3+64], 1;",
              "of shared memory: 0 bytes past the end of 64 bytes");
  expectFault(".local .align 8 .b8 own[64];\nmov.u64 %rd2, own;\n"
              "cvta.local.u64 %rd3, %rd2;\nst.b32 [%rd3+64], 1;",
              "of local memory");
}

TEST(Access, Parameters) {
  expectFault("ld.param.b64 %rd2, [p1+8];", "of the parameters");
  expectFault("mov.b64 %rd2, p0;\ncvta.param.u64 %rd3, %rd2;\n"
              "st.b32 [%rd3], 1;",
              "the parameters of a kernel cannot be changed");
  // Through a register, and through a generic address.
  EXPECT_EQ(run("mov.b64 %rd2, p0;\nld.param.b64 %rd3, [%rd2+8];\n"
                "cvta.param.u64 %rd4, %rd2;\nld.b64 %rd5, [%rd4+8];\n"
                "setp.ne.u64 %p1, %rd3, %rd5;\n@%p1 trap;\n"
                "setp.ne.u64 %p1, %rd3, %rd1;\n@%p1 trap;")
                .message,
            "");
}

/// Dynamic shared memory begins after the static one.
TEST(Access, DynamicSharedMemory) {
  TestDevice device;
  device.load(kernelOf(0,
                       ".shared .align 4 .b8 own[20];\n"
                       "st.shared.b32 [own], 1;\nst.shared.b32 [rest+28], 2;",
                       ".extern .shared .align 16 .b8 rest[];"));
  EXPECT_EQ(Module::getInfo(*device.module->find("k")).sharedBytes, 32u);
  EXPECT_EQ(device.faultOf("k", kOne, kOne, 32u), "");
  EXPECT_HAS(device.faultOf("k", kOne, kOne, 28u),
             "0 bytes past the end of 60 bytes");
}

TEST(Access, GlobalVariables) {
  TestDevice device;
  device.load(kernelOf(
      1,
      "ld.const.f32 %r1, [table+4];\nst.global.b32 [%rd0], %r1;\n"
      "atom.global.add.u32 %r2, [count], 5;\nld.global.u32 %r3, [count];\n"
      "st.global.b32 [%rd0+4], %r3;\nmov.u64 %rd1, table;\n"
      "ld.global.b32 %r4, [%rd1+8];\nst.global.b32 [%rd0+8], %r4;",
      ".const .align 4 .f32 table[3] = {0f3F800000, 2.5, 3.0};\n"
      ".visible .global .align 4 .u32 count = 37;\n"
      ".global .align 8 .b8 zeros[16];"));
  uint64_t out = device.allocate(12);
  device.launch("k", kOne, kOne, 0, out);
  EXPECT_EQ(device.download<uint32_t>(out, 2)[1], 42u);
  EXPECT_EQ(device.download<float>(out, 1)[0], 2.5f);
}

/// The message as a whole, with the line of the program.
TEST(Access, MessagesSayWhere) {
  TestDevice device;
  device.load(".version 8.0\n.target sm_80\n.address_size 64\n"
              ".file 1 \"/home/someone/program.tdsl\"\n"
              ".visible .entry reads(.param .u64 p)\n{\n.reg .b64 %rd<2>;\n"
              ".reg .b32 %r;\nld.param.u64 %rd1, [p];\n.loc 1 12 3\n"
              "ld.global.b32 %r, [%rd1];\nret;\n}\n");
  uint64_t address = device.allocate(400) + 416;
  char hex[32];
  snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(address));
  std::string fault =
      device.faultOf("reads", Dim3{8, 1, 1}, Dim3{2, 2, 2}, 0u, address);
  size_t thread = fault.find("thread (");
  ASSERT_NE(thread, std::string::npos) << fault;
  EXPECT_EQ(fault.substr(0, thread),
            "kernel 'reads', line 11 of its PTX (program.tdsl:12): ");
  EXPECT_HAS(fault, std::string("reads 4 bytes at ") + hex +
                        ": 16 bytes past the end of allocation 1 (400 bytes) "
                        "of device 0");
}

TEST(Access, LaunchesThatCannotBe) {
  TestDevice device;
  device.load(".version 8.0\n.target sm_80\n.address_size 64\n"
              ".visible .entry k()\n.maxntid 64\n{\nret;\n}\n"
              ".visible .entry exact()\n.reqntid 8, 4\n{\nret;\n}\n");
  EXPECT_HAS(device.faultOf("k", kOne, Dim3{65, 1, 1}, 0u), "it may have 64");
  EXPECT_EQ(device.code, CUDA_ERROR_INVALID_VALUE);
  EXPECT_HAS(device.faultOf("k", Dim3{1, 0, 1}, kOne, 0u), "without threads");
  EXPECT_HAS(device.faultOf("exact", kOne, Dim3{4, 8, 1}, 0u), ".reqntid");
  EXPECT_EQ(device.faultOf("exact", kOne, Dim3{8, 4, 1}, 0u), "");
}

} // namespace
} // namespace tdc::sim
