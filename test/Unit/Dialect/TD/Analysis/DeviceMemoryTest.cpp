//===- DeviceMemoryTest.cpp - peaks of small placed modules ---------------===//

#include "Dialect/TD/Analysis/MemoryProfile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace tdc;

namespace {

constexpr llvm::StringLiteral kAliases = R"(
#cpu = #td.dev<cpu>
#gpu = #td.dev<cuda, 0>
!c = tensor<4xf32, #cpu>
!g = tensor<4xf32, #gpu>
!h = !td.handle<tensor<4xf32>>
)";

/// The peak of a module on cuda:0, where a tensor of these programs takes 16
/// bytes; the line of the peak is that of the text.
class DeviceMemoryTest : public testing::Test {
protected:
  DeviceMemoryTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<td::TDDialect, arith::ArithDialect, func::FuncDialect,
                        scf::SCFDialect, ub::UBDialect>();
  }

  td::MemoryProfile getProfile(llvm::StringRef text) {
    std::string source = (kAliases + text).str();
    module = parseSourceString<ModuleOp>(source, &context);
    return td::getMemoryProfile(*module);
  }

  td::PeakMemory getPeak(llvm::StringRef text) {
    for (const td::PeakMemory &peak : getProfile(text).peaks)
      if (peak.device == getCuda(0))
        return peak;
    return {Place(), -1, UnknownLoc::get(&context), false, {}};
  }

  static unsigned getLine(Location place) {
    return cast<FileLineColLoc>(place).getLine() - kAliases.count('\n');
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(DeviceMemoryTest, FromTheOpThatMakesItToItsLastUse) {
  td::PeakMemory peak = getPeak(R"(func.func @f(%x: !c) -> !g {
  %a = td.to_device %x : !c to !g
  %b = td.sin %a : !g
  %c = td.add %a, %b : !g
  %d = td.sin %c : !g
  return %d : !g
})");
  EXPECT_EQ(peak.bytes, 48);
  EXPECT_EQ(getLine(peak.at), 4u);
  EXPECT_FALSE(peak.isEstimate);
}

TEST_F(DeviceMemoryTest, WhatALoopReadsIsThereInEveryTurn) {
  EXPECT_EQ(getPeak(R"(func.func @f(%w: !g, %x: !g, %n: i64) -> !g {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (!g) : i64 {
    %b = td.add %a, %w : !g
    %c = td.sin %b : !g
    %d = td.sin %c : !g
    scf.yield %d : !g
  }
  return %r : !g
})")
                .bytes,
            48);
}

TEST_F(DeviceMemoryTest, SlotsStayAndAreReadInPlace) {
  EXPECT_EQ(getPeak(R"(td.slot @w param "w" of "m" : !g
func.func @main() {
  %a = td.read @w : !g
  %b = td.sin %a : !g
  td.write %b, @w : !g
  return
})")
                .bytes,
            32);
  EXPECT_EQ(getPeak(R"(td.slot @w param "w" of "m" : !g
func.func @main() -> !g {
  %a = td.read @w : !g
  %b = td.sin %a : !g
  td.write %b, @w : !g
  return %a : !g
})")
                .bytes,
            48);
}

TEST_F(DeviceMemoryTest, HandlesKeepTheirReplicas) {
  EXPECT_EQ(getPeak(R"(func.func @f(%x: !c, %a: i1) -> !c {
  %h = td.handle %x : !c -> !h
  scf.if %a {
    %b = td.replica_get %h : !h -> !g
    %c = td.sin %b : !g
  }
  %y = td.replica_get %h : !h -> !c
  return %y : !c
})")
                .bytes,
            32);
}

TEST_F(DeviceMemoryTest, ThePeakIsTakenByItsSlotsAndLiveTensors) {
  td::PeakMemory peak = getPeak(R"(td.slot @w param "w" of "m" : !g
func.func @main(%x: !g) -> !g {
  %a = td.sin %x : !g
  %b = td.sin %x : !g  %c = td.add %a, %b : !g
  %d = td.sin %c : !g
  return %x : !g
})");
  EXPECT_EQ(getLine(peak.at), 4u);
  EXPECT_EQ(peak.bytes, 5 * 16);
  ASSERT_EQ(peak.holders.size(), 5u);
  EXPECT_EQ(peak.holders[0].what, "w");
  EXPECT_EQ(getLine(peak.holders[0].place), 1u);
  EXPECT_EQ(peak.holders[1].what, "a parameter");
  EXPECT_EQ(peak.holders[3].what, "the result of `+`");
  EXPECT_EQ(peak.holders[4].bytes, 16);
}

TEST_F(DeviceMemoryTest, WhatOneLineMakesUnderOneNameIsOneHolder) {
  td::PeakMemory peak = getPeak(R"(func.func @f(%n: !g, %x: !c) -> !g {
  %a = td.sin %n : !g  %b = td.sin %n : !g
  %c = td.add %a, %b : !g
  return %c : !g
})");
  ASSERT_EQ(peak.holders.size(), 2u);
  EXPECT_EQ(peak.holders[0].what, "the result of `sin`");
  EXPECT_EQ(peak.holders[0].tensors, 2);
  EXPECT_EQ(peak.holders[0].bytes, 32);
  EXPECT_EQ(peak.holders[1].tensors, 1);
}

TEST_F(DeviceMemoryTest, AProfileHasTheMostOfEachLineOnEachDevice) {
  td::MemoryProfile profile = getProfile(R"(func.func @f(%x: !c) -> !g {
  %a = td.to_device %x : !c to !g
  %b = td.sin %a : !g  %c = td.add %a, %b : !g
  return %c : !g
})");
  ASSERT_EQ(profile.peaks.size(), 2u);
  ASSERT_EQ(profile.points.size(), 4u);
  int64_t expected[][2] = {{16, 0}, {16, 16}, {0, 48}, {0, 16}};
  for (unsigned i = 0; i != 4; ++i) {
    EXPECT_EQ(getLine(profile.points[i].place), i + 1);
    EXPECT_EQ(profile.points[i].bytes[0], expected[i][0]);
    EXPECT_EQ(profile.points[i].bytes[1], expected[i][1]);
  }
}

TEST_F(DeviceMemoryTest, UnknownSizesAreEstimated) {
  td::PeakMemory peak =
      getPeak("func.func @f(%x: tensor<?xf32, #gpu>) {\n"
              "  %y = td.sin %x : tensor<?xf32, #gpu>\n  return\n}\n");
  EXPECT_EQ(peak.bytes, 2 * 64 * 4);
  EXPECT_TRUE(peak.isEstimate);
}

} // namespace
