//===- Objects.cpp - object code on several threads -----------------------===//
//
// LLVM is where a compilation spends its time, and kernels do not know of each
// other. MLIR's context is not shared between threads: this thread translates
// one part after the other, the rest of a part's way is its own thread's.
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

/// LLVM recurses along chains of values, which straight-line kernels make long.
constexpr unsigned stackBytes = 64u << 20;

/// A part of a program on its way to an object file.
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

  /// A code generator serves one thread.
  void compileBeside(const HostTarget &target) {
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
        parts.back()->compileBeside(target);
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
