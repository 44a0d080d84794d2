//===- Run.cpp - tdc run --------------------------------------------------===//

#include "CAPI/Wrap.h"
#include "Compilation/Machine.h"
#include "CrashBundle.h"
#include "Frontend/Diagnostics.h"
#include "OptionTable.h"
#include "PlotFile.h"
#include "Process.h"
#include "Terminal.h"
#include "Verbs.h"
#include "tdc_runtime.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace tdc;

/// Lists the arguments of the program that are options of another verb of tdc,
/// one line each: the user may have meant them for tdc.
static std::string explainArguments(llvm::ArrayRef<std::string> words) {
  std::string lines;
  for (llvm::StringRef word : words)
    if (std::string owner = whoseOption(word, OptionTable()); !owner.empty())
      lines += (lines.empty() ? "" : "\n  ") + owner + ", not of `tdc run`";
  return lines;
}

static Severity getSeverity(const tdrt_error &error) {
  return error.severity == TDRT_ERROR     ? Severity::Error
         : error.severity == TDRT_WARNING ? Severity::Warning
                                          : Severity::Note;
}

/// Prints a run-time error in the JSON form of the checker's diagnostics.
static void printErrorJSON(const tdrt_error *error) {
  bool isInterrupted = error->code == ExitInterrupted;
  std::string note = error->note ? error->note : "";
  if (tdrt_exit_code(error->code) == ExitUsage)
    note = explainArguments(work.options->programArgs);
  llvm::StringRef file;
  LineColumn at;
  if (const tdrt_site *site = error->site) {
    file = site->file;
    at = {uint32_t(site->line), uint32_t(site->column)};
  }
  bool hasCode = error->code != 0 && !isInterrupted;
  printJSON(llvm::errs(), getSeverity(*error),
            hasCode ? getRunTimeCode(error->code) : "",
            isInterrupted ? "interrupted" : error->message, file, at, note);
}

/// Adds `--fn` and its options to the program's arguments: the program itself
/// calls the function.
static CompileOptions passCallOn(const Options &options) {
  CompileOptions result = options;
  std::vector<std::string> words;
  auto pass = [&](const llvm::Twine &option, const llvm::Twine &value) {
    words.push_back(option.str());
    words.push_back(value.str());
  };
  if (!options.function.empty())
    pass("--fn", options.function);
  for (const auto &[name, file] : options.inputs)
    pass("--in", llvm::Twine(name) + "=" + file);
  for (const auto &[name, file] : options.results)
    pass("--out", llvm::Twine(name) + "=" + file);
  if (options.repeat)
    pass("--repeat", llvm::Twine(options.repeat));
  result.programArgs.insert(result.programArgs.begin(), words.begin(),
                            words.end());
  return result;
}

int tdc::runVerb(const Options &options) {
  Terminal terminal(options);
  if (options.requiresCuda && countDevices(options) == 0) {
    terminal.failed(ExitRunTime,
                    "`--require=cuda`: " + whyNoDevices(options, 1), {});
    return ExitRunTime;
  }
  if (std::string fault = whyNoSimulation(options); !fault.empty()) {
    terminal.failed(ExitRunTime, fault, {});
    return ExitRunTime;
  }
  ExitCode failure;
  std::unique_ptr<Program> compiled = Program::compile(
      passCallOn(options), /*text=*/nullptr, terminal, failure);
  if (!compiled)
    return failure;
  PlotFile plot(options);
  if (!options.plot.empty() && plot.begin() != ExitOk)
    return ExitRunTime;
  // Not freed: the process ends soon.
  tdc_program *program = wrap(std::move(compiled));
  // A closed pipe must be a write error, not end the process immediately.
  signal(SIGPIPE, SIG_IGN);
  int exitCode;
  {
    Step step(&terminal, "run");
    leaveMemoryToProgram();
    terminal.handOver();
    if (options.threads)
      tdrt_set_num_threads(int32_t(options.threads));
    if (options.quiet)
      tdrt_be_quiet();
    if (options.json)
      tdrt_report_errors(printErrorJSON);
    exitCode = tdc_run(program);
    if (!options.plot.empty()) {
      int plotted = plot.finish();
      exitCode = exitCode == ExitOk ? plotted : exitCode;
    }
  }
  terminal.finish();
  if (std::string owners = explainArguments(options.programArgs);
      exitCode == ExitUsage && !owners.empty() && !options.json)
    llvm::errs() << "  " << owners << "\n";
  return exitCode;
}
