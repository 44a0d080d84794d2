//===- Terminal.cpp - prints the findings of a compilation ----------------===//

#include "Terminal.h"
#include "CrashBundle.h"
#include "Frontend/Diagnostics.h"
#include "Process.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

Terminal::Terminal(const Options &options)
    : options(options), progress(!options.quiet && !options.json) {}

void Terminal::found(DiagnosticEngine &diags) {
  auto hidden = progress.hide();
  bool colour = llvm::sys::Process::StandardErrHasColors() &&
                !llvm::sys::Process::GetEnv("NO_COLOR");
  if (options.json)
    diags.printJSON(llvm::errs());
  else
    diags.printText(llvm::errs(), colour);
}

void Terminal::failed(ExitCode code, const llvm::Twine &problem,
                      const llvm::Twine &hint) {
  auto hidden = progress.hide();
  if (options.json)
    printJSON(llvm::errs(), Severity::Error, "", problem.str(), "", {},
              hint.str());
  else
    reportUsage(problem, hint);
  if (code == ExitBug)
    reportBug(problem.str());
}

void Terminal::begins(llvm::StringRef step) {
  work.step = step.data();
  work.pass = "";
  progress.begins(step);
}

void Terminal::beginsPass(llvm::StringRef pass) { work.pass = pass.data(); }

void Terminal::done(llvm::StringRef step) {
  work.pass = "";
  progress.done();
  times.done(step);
}

void Terminal::told(llvm::StringRef text) {
  auto hidden = progress.hide();
  if (!options.quiet)
    llvm::errs() << text;
}

void Terminal::finish() const {
  if (options.timePhases)
    times.print(llvm::errs());
}
