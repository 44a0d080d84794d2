//===- JITTest.cpp - linking in memory ------------------------------------===//

#include "JIT/JIT.h"
#include "Target/HostTarget.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace {

/// The object of `double entry(double x) { return callee(x, 2, 3); }`.
std::unique_ptr<MemoryBuffer> makeCaller(StringRef callee) {
  LLVMContext context;
  Module module("test", context);
  Type *f64 = Type::getDoubleTy(context);
  FunctionCallee called =
      module.getOrInsertFunction(callee, f64, f64, f64, f64);
  Function *entry =
      Function::Create(FunctionType::get(f64, {f64}, /*isVarArg=*/false),
                       GlobalValue::ExternalLinkage, "entry", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  builder.CreateRet(
      builder.CreateCall(called, {entry->getArg(0), ConstantFP::get(f64, 2.0),
                                  ConstantFP::get(f64, 3.0)}));
  // The processor that has least: what it cannot do becomes a call.
  tdc::HostTarget target = cantFail(tdc::HostTarget::create("x86-64"));
  SmallVector<char, 0> code;
  raw_svector_ostream os(code);
  target.emit(module, CodeGenFileType::ObjectFile, os);
  return std::make_unique<SmallVectorMemoryBuffer>(std::move(code));
}

TEST(JITTest, CallsWhatTheProcessorLacks) {
  for (StringRef name : {"fma", "llvm.fma.f64"}) {
    std::unique_ptr<MemoryBuffer> objects[] = {makeCaller(name)};
    auto jit = tdc::JIT::create(objects, "entry");
    ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
    auto *entry = reinterpret_cast<double (*)(double)>((*jit)->getEntry());
    EXPECT_EQ(entry(5), 13);
  }
}

TEST(JITTest, MissingSymbolIsAnError) {
  std::unique_ptr<MemoryBuffer> objects[] = {makeCaller("nowhere")};
  testing::internal::CaptureStderr();
  auto jit = tdc::JIT::create(objects, "entry");
  ASSERT_FALSE(bool(jit));
  EXPECT_NE(toString(jit.takeError()).find("nowhere"), std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(JITTest, MissingEntryIsAnError) {
  std::unique_ptr<MemoryBuffer> objects[] = {makeCaller("fma")};
  auto jit = tdc::JIT::create(objects, "other");
  ASSERT_FALSE(bool(jit));
  EXPECT_NE(toString(jit.takeError()).find("other"), std::string::npos);
}

} // namespace
