//===- DeviceMemoryTest.cpp - peaks of small placed modules ---------------===//

#include "Dialect/TD/Analysis/Placement/DeviceMemory.h"
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

/// Returns the peak of a module on cuda:0; each tensor of these programs takes
/// 16 bytes.
class DeviceMemoryTest : public testing::Test {
protected:
  DeviceMemoryTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<td::TDDialect, arith::ArithDialect, func::FuncDialect,
                        scf::SCFDialect, ub::UBDialect>();
  }

  int64_t getPeak(llvm::StringRef text) {
    std::string source = (kAliases + text).str();
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, &context);
    return td::DeviceMemory(*module, getCuda(0)).getPeak();
  }

  MLIRContext context;
};

TEST_F(DeviceMemoryTest, FromTheOpThatMakesItToItsLastUse) {
  EXPECT_EQ(getPeak(R"(func.func @f(%x: !c) -> !g {
  %a = td.to_device %x : !c to !g
  %b = td.sin %a : !g
  %c = td.add %a, %b : !g
  %d = td.sin %c : !g
  return %d : !g
})"),
            48);
}

TEST_F(DeviceMemoryTest, WhatALoopReadsIsThereInEveryIteration) {
  EXPECT_EQ(getPeak(R"(func.func @f(%w: !g, %x: !g, %n: i64) -> !g {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (!g) : i64 {
    %b = td.add %a, %w : !g
    %c = td.sin %b : !g
    %d = td.sin %c : !g
    scf.yield %d : !g
  }
  return %r : !g
})"),
            48);
}

TEST_F(DeviceMemoryTest, SlotsStayAndAreReadInPlace) {
  EXPECT_EQ(getPeak(R"(td.slot @w param "w" of "m" : !g
func.func @main() {
  %a = td.read @w : !g
  %b = td.sin %a : !g
  td.write %b, @w : !g
  return
})"),
            32);
  EXPECT_EQ(getPeak(R"(td.slot @w param "w" of "m" : !g
func.func @main() -> !g {
  %a = td.read @w : !g
  %b = td.sin %a : !g
  td.write %b, @w : !g
  return %a : !g
})"),
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
})"),
            32);
}

TEST_F(DeviceMemoryTest, UnknownSizesAreEstimated) {
  EXPECT_EQ(getPeak("func.func @f(%x: tensor<?xf32, #gpu>) {\n"
                    "  %y = td.sin %x : tensor<?xf32, #gpu>\n  return\n}\n"),
            2 * 64 * 4);
}

} // namespace
