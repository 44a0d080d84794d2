//===- RefusalTest.cpp - PTX that is not executed -------------------------===//

#include "TestDevice.h"
#include <cstdlib>

namespace tdc::sim {

namespace {

/// The message that refuses a kernel with one statement, which follows the six
/// lines of kernelOf.
std::string refusalOfBody(const std::string &body,
                          const std::string &outside = "",
                          const char *target = "sm_80") {
  return refusalOf(kernelOf(0, body, outside, target));
}

TEST(Refusal, InstructionsByNameAndLine) {
  EXPECT_EQ(refusalOfBody("\nwgmma.fence.sync.aligned;"),
            "line 12 of the PTX: wgmma.fence.sync.aligned: this instruction is "
            "not simulated");
  for (const std::string opcode :
       {"mbarrier.init.shared.b64 [%rd0], 1", "cp.async.bulk.wait_group 0",
        "cp.async.mbarrier.arrive.shared.b64 [%rd0]", "elect.sync %r1|%p1, -1",
        "tex.1d.v4.f32.s32 {%r1, %r1, %r1, %r1}, [%rd0, {%r2}]",
        "mov.f16 %h1, %h2", "add.foo.s32 %r1, %r1, %r1",
        "ld.relaxed.everywhere.global.b32 %r1, [%rd0]",
        "setp.lt.s8 %p1, %h1, 2"})
    EXPECT_HAS(refusalOfBody(opcode + ";"), "not simulated") << opcode;
}

TEST(Refusal, Operands) {
  EXPECT_HAS(refusalOfBody("add.s32 %r1, %rd2, %r3;"),
             "add.s32: an operand of 32 bits expected, '%rd2' has 64 bits");
  EXPECT_HAS(refusalOfBody("add.s32 %r1, %r2;"),
             "operands of another number or form");
  EXPECT_HAS(refusalOfBody("ld.global.b32 %r1, %rd1;"),
             "operands of another number or form");
  EXPECT_HAS(refusalOfBody("ld.global.b32 %h1, [%rd1];"),
             "an operand of 32 bits expected");
  EXPECT_HAS(refusalOfBody("ld.global.b32 %r1, [%h1];"),
             "an address of 32 or 64 bits");
  EXPECT_HAS(refusalOfBody("ld.global.v2.b32 {%r1, %rd2}, [%rd1];"),
             "registers of one width");
  EXPECT_HAS(refusalOfBody("add.s32 1, %r1, %r2;"), "a register expected");
  EXPECT_HAS(refusalOfBody("add.s32 %r1, !%r1, %r2;"),
             "only a predicate can be negated");
  EXPECT_HAS(refusalOfBody("@%r1 ret;"), "an operand of a predicate expected");
  EXPECT_HAS(refusalOfBody("add.s32 %r1, unknown, %r2;"),
             "no register or variable 'unknown'");
  EXPECT_HAS(refusalOfBody("mov.u32 %r1, %clock;"),
             "the register %clock is not simulated");
  EXPECT_HAS(refusalOfBody("mov.u64 %rd1, %tid.x;"), "%tid.x has 32 bits");
  EXPECT_HAS(refusalOfBody("bra NOWHERE;"), "no label 'NOWHERE'");
  EXPECT_HAS(refusalOfBody("brx.idx %r1, NOWHERE;"),
             "no .branchtargets 'NOWHERE'");
  EXPECT_HAS(refusalOfBody("lop3.b32 %r1, %r2, %r3, %r4, %r5;"),
             "a number expected");
  EXPECT_HAS(refusalOfBody(".shared .b32 x;\nld.global.b32 %r1, [x];"),
             "'x' is not in the state space of the instruction");
  EXPECT_HAS(refusalOfBody("mov.u32 %r1, x;", ".global .b32 x;"),
             "an address has 64 bits");
}

TEST(Refusal, Targets) {
  EXPECT_HAS(refusalOfBody("add.rn.bf16 %h1, %h2, %h3;"),
             "add.rn.bf16: needs .target sm_90");
  EXPECT_EQ(refusalOfBody("add.rn.bf16 %h1, %h2, %h3;", "", "sm_90"), "");
  TestDevice device;
  try {
    device.load(kernelOf(0, "", "", "sm_90a"), 80);
    ADD_FAILURE();
  } catch (const Fault &fault) {
    EXPECT_EQ(fault.code, CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(fault.message, "the PTX is for sm_90a, the device is sm_80");
  }
  EXPECT_HAS(refusalOf(".version 8.0\n.target texmode\n"), "unknown .target");
  EXPECT_HAS(refusalOf(".version 8.0\n"), "no .target");
}

/// Code that ptxas or the driver refuses, too.
TEST(Refusal, MoreThanThereIs) {
  EXPECT_EQ(refusalOfBody(".shared .align 4 .b8 t[49152];"), "");
  EXPECT_HAS(refusalOfBody(".shared .align 4 .b8 t[49153];"),
             "'t' is too large: a block has 49152 bytes");
  EXPECT_HAS(refusalOfBody(".shared .b8 s[49000];\n.shared .b8 t[200];"),
             "'t' is too large");
  EXPECT_EQ(refusalOfBody(".local .align 4 .b8 t[524288];"), "");
  EXPECT_HAS(refusalOfBody(".local .align 4 .b8 t[524289];"),
             "'t' is too large: a thread has 524288 bytes");
  auto refusalOfParameters = [](const std::string &version, unsigned bytes) {
    return refusalOf(".version " + version +
                     "\n.target sm_80\n.address_size 64\n"
                     ".visible .entry k(.param .b8 p[" +
                     std::to_string(bytes) + "])\n{\nret;\n}\n");
  };
  EXPECT_EQ(refusalOfParameters("8.0", 4352), "");
  EXPECT_HAS(refusalOfParameters("8.0", 4353),
             "the parameters of a kernel may have 4352 bytes together");
  EXPECT_EQ(refusalOfParameters("8.1", 32764), "");
  EXPECT_HAS(refusalOfParameters("8.1", 32765), "may have 32764 bytes");
}

TEST(Refusal, Syntax) {
  const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
  EXPECT_HAS(refusalOf(head + "/* open"), "a comment is not closed");
  EXPECT_HAS(refusalOf(head + ".file 1 \"open\n"), "a string is not closed");
  EXPECT_HAS(refusalOf(head + "?"), "line 4 of the PTX: unexpected character");
  EXPECT_HAS(refusalOf(head + ".global .b32 x = 12q;"), "is not a number");
  EXPECT_HAS(refusalOf(head + ".global .b32 x = 1.5.2;"), "is not a number");
  EXPECT_HAS(refusalOf(head + ".global .f32 x = 0f12;"),
             "hexadecimal float of 8 digits");
  EXPECT_HAS(refusalOf(head + ".global .b32 x[2] = {1, 2, 3};"),
             "too many initial values for 'x'");
  EXPECT_HAS(refusalOf(head + ".global .b32 x = y;"), "only numbers");
  EXPECT_HAS(refusalOf(head + ".global .align 3 .b32 x;"), "power of two");
  EXPECT_HAS(refusalOf(head + ".global .b9 x;"), "a type expected");
  EXPECT_HAS(refusalOf(head + ".extern .global .b32 x;"),
             "linking is not simulated");
  EXPECT_HAS(refusalOf(head + ".func f()\n{\nret;\n}"),
             "functions that are called (.func) are not simulated");
  EXPECT_HAS(refusalOf(head + ".visible .entry k() .wat 3 { ret; }"),
             ".wat is not simulated");
  EXPECT_HAS(refusalOf(".version 8.0\n.target sm_80\n.address_size 32\n"),
             "only .address_size 64");
  EXPECT_HAS(refusalOf(head + ".visible .entry k() { ret;"), "expected");
  EXPECT_HAS(refusalOf(head + "garbage"),
             "a directive expected, got 'garbage'");
  EXPECT_HAS(refusalOfBody(".reg .b32 %x;\n.reg .b64 %x;"),
             "register '%x' is declared twice");
  EXPECT_HAS(refusalOfBody("A: ret;\nA: ret;"), "label 'A' is defined twice");
  EXPECT_HAS(refusalOfBody(".reg .b128 %x;"),
             "registers of type .b128 are not simulated");
  EXPECT_HAS(refusalOfBody("T: .branchtargets A;\nret;"), "no label 'A'");
}

/// Text that LLVM writes around its code is skipped.
TEST(Refusal, NotOfWhatSaysNothing) {
  EXPECT_EQ(refusalOf(R"(// a comment
.version 8.0
.target sm_80, debug
.address_size 64
.file 1 "a" "b.tdsl", 123, 456
.visible .entry k(.param .u64 .ptr .global .align 4 p) .maxntid 32, 1, 1
.minnctapersm 2 .maxnreg 64
{
  .pragma "nounroll";
  .reg .b32 %r<3>;
  .loc 1 2 3
  { .reg .b32 %inner; mov.u32 %inner, 0x1F; mov.u32 %r1, 0b101U; }
  { .reg .b32 %inner; mov.u32 %inner, 017; };
  .loc 1 3 4, function_name $L__info0, inlined_at 1 2 3
  /* and
     so on */ mov.u32 %r2, -1; ret;
}
.section .debug_abbrev
{
.b8 1
.b8 17, 3
}
)"),
            "");
}

/// A Skip leaves out one instruction of the process.
TEST(Skip, LeavesOutOne) {
  auto run = [](Skips skips) {
    TestDevice device;
    device.skips = std::move(skips);
    device.load(kernelOf(1, "mov.u32 %r1, 1;\nadd.u32 %r1, %r1, 2;\n"
                            "add.u32 %r1, %r1, 4;\nadd.s32 %r1, %r1, 8;\n"
                            "st.global.u32 [%rd0], %r1;"));
    EXPECT_EQ(device.module->countOpcodes("add."), 3u);
    EXPECT_EQ(device.module->countOpcodes("add.u32"), 2u);
    uint64_t out = device.upload(std::vector<uint32_t>{0});
    device.launch("k", {1, 1, 1}, {1, 1, 1}, 0, out);
    return device.download<uint32_t>(out, 1)[0];
  };
  EXPECT_EQ(run({{"add.u32", 0}}), 15u);
  EXPECT_EQ(run({{"add.u32", 1}}), 13u);
  EXPECT_EQ(run({{"add.u32", 2}}), 11u);
  EXPECT_EQ(run({{"add", 3}}), 7u);
  EXPECT_EQ(run({{"add.u32", 2}, {"add.s32", 1}}), 3u);
  EXPECT_EQ(run({{"add", 4}}), 15u);
  EXPECT_EQ(run({{"st.", 1}}), 0u);
}

} // namespace
} // namespace tdc::sim
