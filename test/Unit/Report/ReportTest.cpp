//===- ReportTest.cpp - reports of modules, without the command line ------===//
//
// test/Driver/report*.test tests the contents of reports; here a report is made
// from a module that only the phases of the pipeline have seen.
//
//===----------------------------------------------------------------------===//

#include "Report/Report.h"
#include "Dialect/TD/IR/TD.h"
#include "Frontend/Source.h"
#include "Pipelines/Pipelines.h"
#include "Target/HostTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace tdc;

namespace {

constexpr char kProgram[] = "let w = rand(4, 2, device=cuda)\n"
                            "let x = rand(8, 4)\n"
                            "print((x @ w).sum().item())\n";

constexpr char kModule[] = R"mlir(
module attributes {td.name = "p"} {
  func.func @main() {
    %seed, %call = td.next_random loc("p.tdsl":1:9)
    %w = td.random uniform %seed, %call
        : tensor<4x2xf32, #td.dev<cuda, 0>> loc("w"("p.tdsl":1:9))
    %seed2, %call2 = td.next_random loc("p.tdsl":2:9)
    %x = td.random uniform %seed2, %call2
        : tensor<8x4xf32> loc("x"("p.tdsl":2:9))
    %moved = td.to_device %x {implied} : tensor<8x4xf32>
        to tensor<8x4xf32, #td.dev<cuda, 0>> loc("p.tdsl":3:7)
    %product = td.matmul %moved, %w : tensor<8x4xf32, #td.dev<cuda, 0>>,
        tensor<4x2xf32, #td.dev<cuda, 0>>
        -> tensor<8x2xf32, #td.dev<cuda, 0>> loc("p.tdsl":3:7)
    %sum = td.reduce sum %product [0, 1] : tensor<8x2xf32, #td.dev<cuda, 0>>
        to tensor<f32, #td.dev<cuda, 0>> loc("p.tdsl":3:7)
    %item = td.item %sum : tensor<f32, #td.dev<cuda, 0>> -> f64
        loc("p.tdsl":3:7)
    %text = td.format "{}\0A"(%item) : f64 loc("p.tdsl":3:1)
    td.print %text loc("p.tdsl":3:1)
    return loc("p.tdsl":3:1)
  }
})mlir";

class ReportTest : public testing::Test {
protected:
  ReportTest()
      : context(createContext()),
        target(llvm::cantFail(HostTarget::create("x86-64"))),
        report("p.tdsl", sources) {
    context->loadDialect<mlir::func::FuncDialect, td::TDDialect>();
    sources.add("p.tdsl", kProgram);
  }

  void make() {
    module = mlir::parseSourceString<mlir::ModuleOp>(kModule, context.get());
    ASSERT_TRUE(module);
    Phase reached = Phase::TD;
    for (Phase phase : Report::phases) {
      ASSERT_TRUE(runPhases(*module, reached, phase, target.getInfo()));
      report.add(phase, *module);
      reached = phase;
    }
  }

  std::string print(void (*form)(llvm::raw_ostream &, const Report &)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    form(os, report);
    return text;
  }

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  HostTarget target;
  SourceManager sources;
  Report report;
};

bool contains(llvm::StringRef text, llvm::StringRef part) {
  return text.contains(part);
}

TEST_F(ReportTest, HasTheFactsOfAModule) {
  make();
  ASSERT_EQ(report.sites.size(), 1u);
  EXPECT_EQ(spelling(report.sites.front().to), "cpu");
  EXPECT_EQ(report.placed.copies.getNumber(), 1);
  EXPECT_EQ(report.placed.bytes.getNumber(), 4);
  EXPECT_EQ(report.least.copies, 1);
  EXPECT_EQ(report.devices.size(), 2u);
  EXPECT_EQ(report.memory.peaks.size(), 2u);
}

TEST_F(ReportTest, IsWrittenAsTextAsJSONAndAsAPage) {
  make();
  report.refuseWritten("line 3: operands are on different devices (TD501)");
  std::string text = print(printText);
  EXPECT_PRED2(contains, text,
               "p.tdsl: 1 copy in a run (4 B), none "
               "avoidable on these devices\n\n"
               "devices        cpu, cuda:0\n");
  EXPECT_PRED2(contains, text,
               "the result of `sum`: cuda:0 -> cpu, 1 copy, 4 B\n");
  EXPECT_PRED2(contains, text, "as written     refused, line 3: operands");
  EXPECT_TRUE(bool(llvm::json::parse(print(printJSON))));
  EXPECT_PRED2(contains, print(printHTML), "print((x @ w).sum().item())");
}

TEST_F(ReportTest, ComparesWithTheProgramAsItIsWritten) {
  make();
  // Before placement the copy of x exists, but that of item() does not yet.
  mlir::OwningOpRef<mlir::ModuleOp> written =
      mlir::parseSourceString<mlir::ModuleOp>(kModule, context.get());
  report.addWritten(*written);
  ASSERT_TRUE(report.asWritten);
  EXPECT_EQ(report.asWritten->copies.getNumber(), 1);
  EXPECT_EQ(report.asWritten->bytes.getNumber(), 128);
  EXPECT_FALSE(report.isWrittenForCpu);
  ASSERT_EQ(report.removed.size(), 1u);
  EXPECT_EQ(report.removed.front().line, 3u);
}

TEST_F(ReportTest, SaysWhyATraceShowsNothing) {
  make();
  EXPECT_FALSE(bool(report.addTrace("missing.json")));
  EXPECT_EQ(report.notMeasured, "no loop runs GPU kernels in every iteration");
}

} // namespace
