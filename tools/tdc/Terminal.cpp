//===- Terminal.cpp - what a compilation finds, on standard error ---------===//

#include "Terminal.h"
#include "Frontend/Diagnostics.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

void Terminal::found(DiagnosticEngine &diags) {
  bool colour = llvm::sys::Process::StandardErrHasColors() &&
                !llvm::sys::Process::GetEnv("NO_COLOR");
  if (options.json)
    diags.printJSON(llvm::errs());
  else
    diags.printText(llvm::errs(), colour);
}

void Terminal::failed(ExitCode, const llvm::Twine &problem,
                      const llvm::Twine &hint) {
  reportUsage(problem, hint);
}

void Terminal::told(llvm::StringRef text) { llvm::errs() << text; }

void Terminal::finish() const {
  if (options.timePhases)
    times.print(llvm::errs());
}
