//===- Objects.cpp - object code on several threads -----------------------===//
//
// Most time of a compilation is spent in LLVM, and kernels are independent.
// MLIR's context is not shared between threads: this thread translates one part
// after the other; each part is then optimized and compiled on a thread of its
// own.
//
//===----------------------------------------------------------------------===//

#include "Target/Objects.h"
#include "SplitKernels.h"
#include "Target/HostTarget.h"
#include "Target/Steps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/thread.h"

using namespace mlir;

namespace tdc {

namespace {

/// LLVM recurses along chains of values, which are long in straight-line
/// kernels.
constexpr unsigned stackBytes = 64u << 20;

/// A part of a program that is compiled to one object file.
struct Part {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code;
  llvm::SmallVector<char, 0> object;
  llvm::thread thread;

  bool translate(ModuleOp module, const HostTarget &target) {
    code = target.translate(module, context);
    return code != nullptr;
  }

  void compile(const HostTarget &target) {
    llvm::raw_svector_ostream os(object);
    target.optimize(*code);
    target.emit(*code, llvm::CodeGenFileType::ObjectFile, os);
  }

  /// Compiles on a new thread, with a code generator of its own: a code
  /// generator serves one thread.
  void compileOnThread(const HostTarget &target) {
    thread = llvm::thread(std::optional<unsigned>(stackBytes),
                          [this, &target] { compile(target.clone()); });
  }
};

} // namespace

bool generateObjects(
    ModuleOp module, const HostTarget &target, unsigned threads,
    llvm::SmallVectorImpl<std::unique_ptr<llvm::MemoryBuffer>> &objects,
    StepListener *listener) {
  std::vector<std::unique_ptr<Part>> parts;
  bool isTranslated = true;
  auto translate = [&](ModuleOp part) {
    parts.push_back(std::make_unique<Part>());
    isTranslated = isTranslated && parts.back()->translate(part, target);
  };
  {
    Step step(listener, "translate");
    for (OwningOpRef<ModuleOp> &other : splitKernels(module, threads)) {
      translate(*other);
      if (isTranslated)
        parts.back()->compileOnThread(target);
    }
    translate(module);
  }
  Step step(listener, "codegen");
  if (isTranslated)
    parts.back()->compile(target);
  for (std::unique_ptr<Part> &part : parts)
    if (part->thread.joinable())
      part->thread.join();
  if (!isTranslated)
    return false;
  for (std::unique_ptr<Part> &part : parts)
    objects.push_back(std::make_unique<llvm::SmallVectorMemoryBuffer>(
        std::move(part->object), "program", /*RequiresNullTerminator=*/false));
  return true;
}

} // namespace tdc
