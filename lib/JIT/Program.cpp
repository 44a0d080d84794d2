//===- Program.cpp - a compiled program in memory -------------------------===//

#include "JIT/Program.h"
#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "Dialect/TD/IR/TD.h"

namespace tdc {

Program::Program(const CompileOptions &options) : words{options.file} {
  llvm::append_range(words, options.programArgs);
  for (const std::string &word : words)
    argv.push_back(word.c_str());
}

/// The names of the parameters and buffers in td IR from which nothing has been
/// removed.
static std::vector<std::string> listModelState(mlir::ModuleOp module) {
  std::vector<std::string> names;
  for (auto slot : module.getOps<td::SlotOp>()) {
    if (slot.getKind() != td::SlotKind::Param &&
        slot.getKind() != td::SlotKind::Buffer)
      continue;
    names.push_back(slot.getSymName().str());
    if (mlir::DictionaryAttr aliases = slot.getAliasesAttr())
      for (mlir::NamedAttribute alias : aliases)
        names.push_back(alias.getName().str());
  }
  return names;
}

std::unique_ptr<JIT> Program::link(const CompileOptions &options,
                                   const llvm::StringRef *text,
                                   Listener &listener, ExitCode &code,
                                   MakeFrontEnd makeFrontEnd) {
  Compilation compilation(options, listener, makeFrontEnd);
  if (text)
    compilation.setText(*text);
  llvm::SmallVector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  bool isGenerated = compilation.generate();
  if (isGenerated)
    modelState = listModelState(compilation.getModule());
  if (!isGenerated || !compilation.lower(Phase::LLVM) ||
      !compilation.emitObjects(objects)) {
    code = compilation.getExitCode();
    return nullptr;
  }
  signatures = compilation.getSignatures();
  Step step(&listener, "link");
  auto jit = JIT::create(objects, "tdc_program");
  if (jit)
    return std::move(*jit);
  code = ExitBug;
  listener.failed(
      code, "this is a bug in tdc: " + llvm::toString(jit.takeError()), {});
  return nullptr;
}

std::unique_ptr<Program> Program::compile(const CompileOptions &options,
                                          const llvm::StringRef *text,
                                          Listener &listener, ExitCode &code,
                                          MakeFrontEnd makeFrontEnd) {
  code = ExitOk;
  std::unique_ptr<Program> program(new Program(options));
  runOnDeepStack([&] {
    program->jit = program->link(options, text, listener, code, makeFrontEnd);
  });
  return program->jit ? std::move(program) : nullptr;
}

} // namespace tdc
