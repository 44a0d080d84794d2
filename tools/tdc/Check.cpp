//===- Check.cpp - tdc check ----------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "Dialect/TD/IR/TD.h"
#include "FileWatch.h"
#include "Programs.h"
#include "Terminal.h"
#include "Verbs.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

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

/// Checks the program of `options`. Adds the files that it depends on to
/// `watch`.
static ExitCode checkProgram(Options &options, Terminal &terminal,
                             FileWatch &watch) {
  bool isStandardInput = options.file == "-";
  if (isStandardInput)
    options.file = "<stdin>";
  Compilation compilation(options, terminal);
  std::unique_ptr<llvm::MemoryBuffer> input;
  if (isStandardInput) {
    input = readStandardInput(terminal);
    if (!input)
      return ExitRunTime;
    compilation.setText(input->getBuffer());
  }
  ExitCode exitCode = compile(compilation, options);
  for (const std::string &file : compilation.getFiles())
    watch.add(file);
  return exitCode;
}

/// Checks all programs; returns the largest exit code.
static int checkPrograms(const Options &options, FileWatch &watch) {
  int worst = ExitOk;
  Terminal terminal(options);
  runOnDeepStack([&] {
    worst = forEachProgram(options, terminal, [&](Options &one) {
      return checkProgram(one, terminal, watch);
    });
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
