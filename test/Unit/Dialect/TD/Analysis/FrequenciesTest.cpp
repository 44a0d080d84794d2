//===- FrequenciesTest.cpp - estimates for loops and branches -------------===//

#include "Dialect/TD/Analysis/Frequencies.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace tdc;

namespace {

/// Functions with an unknown number %n and constants %c0, %c2 and %c7.
class FrequenciesTest : public testing::Test {
protected:
  FrequenciesTest() : context(MLIRContext::Threading::DISABLED) {
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
  }

  void parse(llvm::StringRef body) {
    std::string source = ("func.func @f(%n: i64, %b: i1) {\n"
                          "%c0 = arith.constant 0 : i64\n"
                          "%c2 = arith.constant 2 : i64\n"
                          "%c7 = arith.constant 7 : i64\n" +
                          body + "\nreturn\n}")
                             .str();
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
  }

  template <typename OpTy> OpTy find() {
    OpTy found;
    module->walk([&](OpTy op) { found = op; });
    return found;
  }

  std::optional<int64_t> getTrips(llvm::StringRef bounds) {
    parse(("scf.for %i = " + bounds + " : i64 {\n}").str());
    return td::getTripCount(find<scf::ForOp>());
  }

  double getTaken(llvm::StringRef condition) {
    parse((condition + "\nscf.if %is {\n}").str());
    return td::getRunsOfRegion(find<scf::IfOp>(), 0);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(FrequenciesTest, IterationsOfConstantBounds) {
  EXPECT_EQ(getTrips("%c0 to %c7 step %c2"), 4);
  EXPECT_EQ(getTrips("%c7 to %c0 step %c2"), 0);
  EXPECT_EQ(getTrips("%c7 to %c7 step %c2"), 0);
  EXPECT_EQ(getTrips("%c0 to %n step %c2"), std::nullopt);
  EXPECT_EQ(getTrips("%c0 to %c7 step %c0"), std::nullopt);
}

TEST_F(FrequenciesTest, IterationsOfALoopThatCanBeLeft) {
  parse(
      R"(%r:3 = scf.while (%g = %b, %i = %c0, %e = %c7) : (i1, i64, i64) -> (i1, i64, i64) {
    scf.condition(%g) %g, %i, %e : i1, i64, i64
  } do {
  ^bb0(%g: i1, %i: i64, %e: i64):
    scf.yield %g, %i, %e : i1, i64, i64
  })");
  auto loop = find<scf::WhileOp>();
  EXPECT_EQ(td::getTripCount(loop), std::nullopt);
  loop->setAttr(td::kCountedAttr, UnitAttr::get(&context));
  EXPECT_EQ(td::getTripCount(loop), 7);
}

TEST_F(FrequenciesTest, OneInSoManyIterations) {
  EXPECT_DOUBLE_EQ(getTaken("%r = arith.remsi %n, %c7 : i64\n"
                            "%is = arith.cmpi eq, %r, %c0 : i64"),
                   1.0 / 7);
  EXPECT_DOUBLE_EQ(getTaken("%r = arith.remsi %n, %c7 : i64\n"
                            "%is = arith.cmpi ne, %c0, %r : i64"),
                   6.0 / 7);
  EXPECT_DOUBLE_EQ(getTaken("%is = arith.cmpi eq, %n, %c0 : i64"), 0.5);
}

TEST_F(FrequenciesTest, RunsOfRegions) {
  parse(R"(scf.for %i = %c0 to %c7 step %c2 : i64 {
    scf.if %b {
    }
  })");
  EXPECT_DOUBLE_EQ(td::getRunsOfRegion(find<scf::ForOp>(), 0), 4);
  EXPECT_DOUBLE_EQ(td::getRunsOfRegion(find<scf::IfOp>(), 1), 0.5);
  parse(R"(scf.for %i = %c0 to %n step %c2 : i64 {
  })");
  EXPECT_DOUBLE_EQ(td::getRunsOfRegion(find<scf::ForOp>(), 0), 10);
}

TEST_F(FrequenciesTest, IterationsNearTheLargestNumber) {
  parse(R"(%low = arith.constant -9000000000000000000 : i64
  %high = arith.constant 9000000000000000000 : i64
  scf.for %i = %low to %high step %c2 : i64 {
  })");
  EXPECT_EQ(td::getTripCount(find<scf::ForOp>()), 9000000000000000000);
}

} // namespace
