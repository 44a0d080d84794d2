//===- Run.cpp - tdc run --------------------------------------------------===//

#include "Compilation.h"
#include "ExportCall.h"
#include "JIT/JIT.h"
#include "Machine.h"
#include "PhaseTimes.h"
#include "Process.h"
#include "Verbs.h"
#include "tdc_runtime.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace tdc;

/// Compiles the program into this process. Null with `exitCode` set if that
/// failed.
static std::unique_ptr<JIT> compile(const Options &options, PhaseTimes &times,
                                    int &exitCode) {
  // Freeing the compiler's data would take longer than the process has left.
  auto *compilation = new Compilation(options, &times);
  llvm::SmallVector<std::unique_ptr<llvm::MemoryBuffer>> objects;
  if (!compilation->generate() || !compilation->lower(Phase::LLVM) ||
      !compilation->emitObjects(objects)) {
    exitCode = compilation->getExitCode();
    return nullptr;
  }
  auto jit = JIT::create(objects, "tdc_program");
  if (jit)
    return std::move(*jit);
  llvm::errs() << "error: this is a bug in tdc: "
               << llvm::toString(jit.takeError()) << "\n";
  exitCode = ExitBug;
  return nullptr;
}

int tdc::runVerb(const Options &options) {
  if (options.requiresCuda && countDevices(options) == 0) {
    llvm::errs() << "error: `--require=cuda`: " << whyNoDevices(options, 1)
                 << "\n";
    return ExitRunTime;
  }
  int exitCode = ExitOk;
  PhaseTimes times;
  const tdrt_program *program = nullptr;
  std::unique_ptr<JIT> jit; // owns the code
  runOnDeepStack([&] {
    jit = compile(options, times, exitCode);
    if (!jit)
      return;
    program = static_cast<const tdrt_program *>(jit->getEntry());
    times.done("link");
  });
  if (!program)
    return exitCode;

  std::vector<const char *> words = {options.file.c_str()};
  for (const std::string &word : options.programArgs)
    words.push_back(word.c_str());
  // A reader of our output that goes away is an error, not the end at once.
  signal(SIGPIPE, SIG_IGN);
  exitCode = options.function.empty()
                 ? tdrt_run_program(program, words.size(), words.data())
                 : callExport(*program, words, options);
  times.done("run");
  if (options.timePhases)
    times.print(llvm::errs());
  return exitCode;
}
