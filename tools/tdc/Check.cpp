//===- Check.cpp - tdc check ----------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "CrashBundle.h"
#include "Dialect/TD/IR/TD.h"
#include "FileWatch.h"
#include "Programs.h"
#include "Terminal.h"
#include "Verbs.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

/// Sets the program that tdc works on, for messages about crashes, while it
/// lives.
namespace {
class WorkOn {
public:
  explicit WorkOn(const Options &options) : before(work.options) {
    work.options = &options;
  }
  ~WorkOn() {
    work.options = before;
    work.text = {};
  }

private:
  const Options *before;
};
} // namespace

static ExitCode compile(Compilation &compilation, const Options &options) {
  // Lower the program until the last phase that reports errors: td-grad; with
  // devices, the phase that places copies; if the memory of a device is
  // known, the phase after which memory is planned.
  if (compilation.generate())
    compilation.lower(compilation.getModule()->hasAttr(td::kMemoryAttr)
                          ? Phase::NVVM
                      : options.simulatedDevices ? Phase::Placed
                                                 : Phase::Grad);
  return compilation.getExitCode();
}

/// Checks the program `file`. Adds the files that it was read from to `watch`.
static ExitCode checkProgram(const Options &common, llvm::StringRef file,
                             Terminal &terminal, FileWatch &watch) {
  Options options = common;
  options.file = file == "-" ? "<stdin>" : file.str();
  WorkOn scope(options);
  Compilation compilation(options, terminal);
  std::unique_ptr<llvm::MemoryBuffer> input;
  if (file == "-") {
    auto read = llvm::MemoryBuffer::getSTDIN();
    if (!read) {
      terminal.failed(ExitRunTime,
                      "cannot read `<stdin>`: " + read.getError().message(),
                      {});
      return ExitRunTime;
    }
    input = std::move(*read);
    work.text = input->getBuffer();
    compilation.setText(input->getBuffer());
  }
  ExitCode exitCode = compile(compilation, options);
  const SourceManager &sources = compilation.getSources();
  for (FileId id = 1; id <= sources.getNumFiles(); ++id)
    watch.add(sources.getName(id));
  return exitCode;
}

/// Checks all programs; returns the largest exit code.
static int checkPrograms(const Options &options, FileWatch &watch) {
  ExitCode worst = ExitOk;
  Terminal terminal(options);
  runOnDeepStack([&] {
    for (const std::string &name : options.files) {
      llvm::Expected<std::vector<std::string>> programs = findPrograms(name);
      if (!programs) {
        terminal.failed(ExitRunTime, llvm::toString(programs.takeError()), {});
        worst = std::max(worst, ExitRunTime);
        continue;
      }
      for (const std::string &program : *programs)
        worst =
            std::max(worst, checkProgram(options, program, terminal, watch));
    }
  });
  return worst;
}

int tdc::checkVerb(const Options &options) {
  FileWatch watch(options.files);
  int exitCode = checkPrograms(options, watch);
  while (options.watches) {
    if (!options.json)
      llvm::errs() << (exitCode ? "" : "no errors; ")
                   << "waiting for a change (Ctrl-C ends)\n";
    watch.wait();
    exitCode = checkPrograms(options, watch);
  }
  return exitCode;
}
