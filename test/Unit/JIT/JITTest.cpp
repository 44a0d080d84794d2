//===- JITTest.cpp - linking in memory ------------------------------------===//

#include "JIT/JIT.h"
#include "Target/HostTarget.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <sys/mman.h>

using namespace llvm;

namespace {

/// For the baseline processor: instructions that it lacks become calls.
std::unique_ptr<MemoryBuffer> makeObject(Module &module) {
  tdc::HostTarget target = cantFail(tdc::HostTarget::create("x86-64"));
  SmallVector<char, 0> code;
  raw_svector_ostream os(code);
  target.emit(module, CodeGenFileType::ObjectFile, os);
  return std::make_unique<SmallVectorMemoryBuffer>(std::move(code));
}

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
  return makeObject(module);
}

constexpr uint64_t kLargeBytes = 256 << 20;

/// The object of `int entry() { return number; }`.
std::unique_ptr<MemoryBuffer> makeReader() {
  LLVMContext context;
  Module module("reader", context);
  Type *i32 = Type::getInt32Ty(context);
  auto *number = new GlobalVariable(module, i32, /*isConstant=*/false,
                                    GlobalValue::ExternalLinkage,
                                    /*Initializer=*/nullptr, "number");
  number->setVisibility(GlobalValue::HiddenVisibility);
  number->setDSOLocal(true);
  Function *entry =
      Function::Create(FunctionType::get(i32, /*isVarArg=*/false),
                       GlobalValue::ExternalLinkage, "entry", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", entry));
  builder.CreateRet(builder.CreateLoad(i32, number));
  return makeObject(module);
}

/// The object of `int number = 42; char large[kLargeBytes];`.
std::unique_ptr<MemoryBuffer> makeNumber() {
  LLVMContext context;
  Module module("number", context);
  Type *i32 = Type::getInt32Ty(context);
  auto add = [&](Type *type, Constant *value, const char *name) {
    auto *variable =
        new GlobalVariable(module, type, /*isConstant=*/false,
                           GlobalValue::ExternalLinkage, value, name);
    variable->setVisibility(GlobalValue::HiddenVisibility);
  };
  Type *large = ArrayType::get(Type::getInt8Ty(context), kLargeBytes);
  add(i32, ConstantInt::get(i32, 42), "number");
  add(large, Constant::getNullValue(large), "large");
  return makeObject(module);
}

/// As by a GPU's driver, most addresses are reserved: there is room for a small
/// object above them, and for a large one only below.
TEST(JITTest, ObjectsLieTogether) {
  constexpr uint64_t kReserved = uint64_t(1) << 40, kRoom = 1 << 20;
  auto *reserved = static_cast<char *>(
      mmap(nullptr, kReserved, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_NE(reserved, MAP_FAILED);
  munmap(reserved + kReserved - kRoom, kRoom);
  std::unique_ptr<MemoryBuffer> objects[] = {makeReader(), makeNumber()};
  auto jit = tdc::JIT::create(objects, "entry");
  munmap(reserved, kReserved - kRoom);
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  EXPECT_EQ(reinterpret_cast<int (*)()>((*jit)->getEntry())(), 42);
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
