//===- Report.cpp - tdc report --------------------------------------------===//
//
// Compiles a program until its memory is planned, and again with all copies as
// written, and reports its copies and its memory.
//
//===----------------------------------------------------------------------===//

#include "Report/Report.h"
#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "OutputFile.h"
#include "Terminal.h"
#include "Verbs.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

/// Compiles the program again, with all copies as written.
static void compareWithWritten(const Options &options, Report &report) {
  Options asWritten = options;
  asWritten.placement = Placement::Off;
  Silence silence;
  Compilation compilation(asWritten, silence);
  if (compilation.generate() && compilation.lower(Phase::Placed))
    report.addWritten(compilation.getModule());
  else
    report.refuseWritten(compilation.getFirstError());
}

static int print(const Options &options, const Report &report) {
  if (options.reportsJSON)
    printJSON(llvm::outs(), report);
  if (options.reportPage.empty()) {
    if (!options.reportsJSON)
      printText(llvm::outs(), report);
    return ExitOk;
  }
  llvm::SmallString<0> page;
  llvm::raw_svector_ostream os(page);
  printHTML(os, report);
  return writeFile(options, options.reportPage, page);
}

static int reportProgram(const Options &options) {
  Terminal terminal(options);
  Compilation compilation(options, terminal);
  Report report(options.file, compilation.getSources());
  if (!compilation.generate())
    return compilation.getExitCode();
  report.sizes = compilation.getFileSizes();
  for (Phase phase : Report::phases) {
    if (!compilation.lower(phase))
      return compilation.getExitCode();
    report.add(phase, compilation.getModule());
  }
  compareWithWritten(options, report);
  if (options.trace.empty())
    return print(options, report);
  if (llvm::Error error = report.addTrace(options.trace)) {
    terminal.failed(ExitRunTime, llvm::toString(std::move(error)),
                    "`TDC_TRACE=FILE tdc run` of the same program writes one");
    return ExitRunTime;
  }
  return print(options, report);
}

int tdc::reportVerb(const Options &options) {
  int exitCode = ExitOk;
  runOnDeepStack([&] { exitCode = reportProgram(options); });
  return exitCode;
}
