//===- Run.cpp - tdc run --------------------------------------------------===//

#include "CAPI/Wrap.h"
#include "Compilation/Machine.h"
#include "ExportCall.h"
#include "OptionTable.h"
#include "Process.h"
#include "Terminal.h"
#include "Verbs.h"
#include "tdc_runtime.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace tdc;

/// A program that does not know an argument may have got one that was meant for
/// tdc.
static void explainArguments(llvm::ArrayRef<std::string> words) {
  for (llvm::StringRef word : words)
    if (std::string owner = whoseOption(word, OptionTable()); !owner.empty())
      llvm::errs() << "  " << owner << ", not of `tdc run`\n";
}

int tdc::runVerb(const Options &options) {
  if (options.requiresCuda && countDevices(options) == 0) {
    llvm::errs() << "error: `--require=cuda`: " << whyNoDevices(options, 1)
                 << "\n";
    return ExitRunTime;
  }
  if (std::string fault = whyNoSimulation(options); !fault.empty()) {
    llvm::errs() << "error: " << fault << "\n";
    return ExitRunTime;
  }
  Terminal terminal(options);
  ExitCode failure;
  std::unique_ptr<Program> compiled =
      Program::compile(options, /*text=*/nullptr, terminal, failure);
  if (!compiled)
    return failure;
  // Not freed: the process ends at once.
  tdc_program *program = wrap(std::move(compiled));
  // A reader of our output that goes away is an error, not the end at once.
  signal(SIGPIPE, SIG_IGN);
  // The program's own help is all that is wanted, whatever it would do.
  bool runsAlone = options.function.empty() ||
                   llvm::is_contained(options.programArgs, "--help");
  int exitCode;
  {
    Step step(&terminal, "run");
    leaveMemoryToProgram();
    terminal.handOver();
    if (options.quiet)
      tdrt_hide_progress();
    exitCode = runsAlone ? tdc_run(program) : callExport(*program, options);
  }
  terminal.finish();
  if (exitCode == ExitUsage)
    explainArguments(options.programArgs);
  return exitCode;
}
