//===- VerifyBuffersTest.cpp - plans that give bytes away too early -------===//
//
// The planner makes no such plan that we know of, so each test corrupts a valid
// one: the result of one kernel moves to the place of another's.
//
//===----------------------------------------------------------------------===//

#include "VerifyBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace tdc;

namespace {

/// Functions with a condition %b and bounds %c0, %c1 and %n. A kernel is named
/// by its function.
class VerifyBuffersTest : public testing::Test {
protected:
  VerifyBuffersTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        LLVM::LLVMDialect, scf::SCFDialect, td::TDDialect>();
  }

  void parse(llvm::StringRef body) {
    std::string source = "td.slot @w param \"w\" of \"m\" : tensor<64xf32>\n";
    for (llvm::StringRef name : {"a", "b", "c", "d", "e", "f"})
      source += ("llvm.func @" + name + "()\n").str();
    source += ("func.func @main() {\n"
               "%b = arith.constant true\n"
               "%c0 = arith.constant 0 : i64\n"
               "%c1 = arith.constant 1 : i64\n"
               "%n = arith.constant 9 : i64\n" +
               body + "\nreturn\n}")
                  .str();
    module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    function = module->lookupSymbol<func::FuncOp>("main");
    slots.emplace(*module);
    plan.emplace(function, *slots);
    EXPECT_EQ(verify(), "");
  }

  Storage &find(llvm::StringRef kernel) {
    Value result;
    function.walk([&](td::LaunchOp launch) {
      if (launch.getCallee() == kernel)
        result = launch.getResult(0);
    });
    // The plan belongs to the test.
    return const_cast<Storage &>(plan->getStorage(result));
  }

  /// The verifier's messages for the plan with one result moved onto another.
  std::string verifyMoved(llvm::StringRef kernel, llvm::StringRef to) {
    Storage &storage = find(kernel);
    int64_t offset =
        std::exchange(storage.buffer.offset, find(to).buffer.offset);
    std::string said = verify();
    storage.buffer.offset = offset;
    return said;
  }

  std::string verify() {
    std::string said;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { said = diagnostic.str(); });
    bool verified = succeeded(verifyBuffers(function, *slots, *plan));
    EXPECT_EQ(verified, said.empty());
    return said;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::optional<SlotTable> slots;
  std::optional<MemoryPlan> plan;
};

const char kTaken[] = "'td.launch' op reads bytes that another value has taken";
const char kOverwrites[] =
    "'td.launch' op overwrites input 0 while it reads it";

TEST_F(VerifyBuffersTest, InOneBlock) {
  parse(R"(
    %a = td.launch @a() in_place [] : () -> tensor<64xf32>
    %b0 = td.launch @b() in_place [] : () -> tensor<32xf32>
    %c = td.launch @c(%a, %b0) in_place [0, 0] : (tensor<64xf32>, tensor<32xf32>) -> tensor<64xf32>
    %d = td.launch @d() in_place [] : () -> tensor<32xf32>
    td.launch @e(%c, %d) in_place [] : (tensor<64xf32>, tensor<32xf32>) -> ()
  )");
  EXPECT_EQ(verifyMoved("b", "a"), kTaken);
  // The first half is not read any more, so the plan is valid.
  EXPECT_EQ(verifyMoved("d", "b"), "");
  EXPECT_EQ(verifyMoved("d", "c"), kTaken);
}

TEST_F(VerifyBuffersTest, ResultsOfOneKernel) {
  parse(R"(
    %r:2 = td.launch @a() in_place [] : () -> (tensor<64xf32>, tensor<32xf32>)
    td.launch @b(%r#0) in_place [] : (tensor<64xf32>) -> ()
  )");
  auto launch = cast<td::LaunchOp>(*function.getOps<td::LaunchOp>().begin());
  const_cast<Storage &>(plan->getStorage(launch.getResult(1))).buffer.offset =
      find("a").buffer.offset;
  EXPECT_EQ(verify(), kTaken);
}

TEST_F(VerifyBuffersTest, SidesOfBranches) {
  parse(R"(
    %a = td.launch @a() in_place [] : () -> tensor<64xf32>
    scf.if %b {
      %t = td.launch @b() in_place [] : () -> tensor<64xf32>
      td.launch @f(%t) in_place [] : (tensor<64xf32>) -> ()
    } else {
      td.launch @f(%a) in_place [] : (tensor<64xf32>) -> ()
    }
    scf.if %b {
      %t = td.launch @c() in_place [] : () -> tensor<64xf32>
      td.launch @f(%t) in_place [] : (tensor<64xf32>) -> ()
    } else {
      td.launch @f(%a) in_place [] : (tensor<64xf32>) -> ()
    }
  )");
  EXPECT_EQ(verifyMoved("b", "a"), kTaken);
  EXPECT_EQ(verifyMoved("c", "a"), "");
}

TEST_F(VerifyBuffersTest, ResultsOfBranches) {
  parse(R"(
    %a = td.launch @a() in_place [] : () -> tensor<64xf32>
    %r = scf.if %b -> tensor<64xf32> {
      %t = td.launch @b() in_place [] : () -> tensor<64xf32>
      scf.yield %t : tensor<64xf32>
    } else {
      scf.yield %a : tensor<64xf32>
    }
    %e = td.launch @c() in_place [] : () -> tensor<64xf32>
    td.launch @f(%r, %e) in_place [] : (tensor<64xf32>, tensor<64xf32>) -> ()
  )");
  EXPECT_EQ(verifyMoved("c", "b"), kTaken);
}

TEST_F(VerifyBuffersTest, IterationsOfLoops) {
  parse(R"(
    %a = td.launch @a() in_place [] : () -> tensor<64xf32>
    %i = td.launch @b() in_place [] : () -> tensor<64xf32>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %i) -> (tensor<64xf32>) : i64 {
      %y = td.launch @c(%a) in_place [] : (tensor<64xf32>) -> tensor<64xf32>
      %t = td.launch @d(%x, %y) in_place [] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      %z = td.launch @e(%x, %t) in_place [0, 0] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      scf.yield %z : tensor<64xf32>
    }
    td.launch @f(%r) in_place [] : (tensor<64xf32>) -> ()
  )");
  // %a is read first in an iteration, and again in the next.
  EXPECT_EQ(verifyMoved("d", "a"), kTaken);
  EXPECT_EQ(verifyMoved("d", "e"), kOverwrites);
  EXPECT_EQ(verifyMoved("c", "b"), kTaken);
}

TEST_F(VerifyBuffersTest, Slots) {
  parse(R"(
    %w = td.read @w : tensor<64xf32>
    %a = td.launch @a(%w) in_place [] : (tensor<64xf32>) -> tensor<64xf32>
    %c = td.launch @b(%w) in_place [] : (tensor<64xf32>) -> tensor<64xf32>
    %d = td.launch @c(%a, %c) in_place [] : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    td.write %d, @w : tensor<64xf32>
    %e = td.launch @d() in_place [] : () -> tensor<64xf32>
    td.launch @e(%e) in_place [] : (tensor<64xf32>) -> ()
  )");
  EXPECT_EQ(verifyMoved("a", "c"), kOverwrites);
  EXPECT_EQ(
      verifyMoved("d", "c"),
      "'func.return' op finds the bytes of @w overwritten or not yet written");
}

/// Two carried values are swapped, each by way of a buffer.
TEST_F(VerifyBuffersTest, Staging) {
  parse(R"(
    %a = td.launch @a() in_place [] : () -> tensor<64xf32>
    %i = td.launch @b() in_place [] : () -> tensor<64xf32>
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a, %y = %i) -> (tensor<64xf32>, tensor<64xf32>) : i64 {
      scf.yield %y, %x : tensor<64xf32>, tensor<64xf32>
    }
    td.launch @f(%r#0, %r#1) in_place [] : (tensor<64xf32>, tensor<64xf32>) -> ()
  )");
  Operation *yield =
      (*function.getOps<scf::ForOp>().begin()).getBody()->getTerminator();
  const Storage *first = plan->getStaging(yield->getOpOperand(0));
  const Storage *second = plan->getStaging(yield->getOpOperand(1));
  ASSERT_TRUE(first && second);
  const_cast<Storage *>(second)->buffer.offset = first->buffer.offset;
  EXPECT_EQ(verify(),
            "'scf.yield' op overwrites a value between its two copies");
}

/// The written value is the slot's own.
TEST_F(VerifyBuffersTest, SlotsWrittenBack) {
  parse(R"(
    %w = td.read @w : tensor<64xf32>
    scf.for %k = %c0 to %n step %c1 : i64 {
      td.launch @f(%w) in_place [] : (tensor<64xf32>) -> ()
      td.write %w, @w : tensor<64xf32>
    }
    %a = td.launch @a(%w) in_place [] : (tensor<64xf32>) -> tensor<64xf32>
    td.launch @f(%a) in_place [] : (tensor<64xf32>) -> ()
  )");
}

} // namespace
