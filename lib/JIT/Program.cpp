//===- Program.cpp - a compiled program in memory -------------------------===//

#include "JIT/Program.h"
#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"

namespace tdc {

Program::Program(const CompileOptions &options) : words{options.file} {
  llvm::append_range(words, options.programArgs);
  for (const std::string &word : words)
    argv.push_back(word.c_str());
}

static std::unique_ptr<JIT> link(const CompileOptions &options,
                                 const llvm::StringRef *text,
                                 Listener &listener, ExitCode &code,
                                 MakeFrontEnd makeFrontEnd,
                                 std::vector<Signature> &signatures) {
  Compilation compilation(options, listener, makeFrontEnd);
  if (text)
    compilation.setText(*text);
  llvm::SmallVector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  if (!compilation.generate() || !compilation.lower(Phase::LLVM) ||
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
    program->jit =
        link(options, text, listener, code, makeFrontEnd, program->signatures);
  });
  return program->jit ? std::move(program) : nullptr;
}

} // namespace tdc
