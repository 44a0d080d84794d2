//===- Terminal.cpp - prints the findings of a compilation ----------------===//

#include "Terminal.h"
#include "CrashBundle.h"
#include "Frontend/SafeFixes.h"
#include "Process.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace tdc;

Terminal::Terminal(const Options &options)
    : options(options), progress(!options.quiet && !options.json) {}

static bool hasColour(const Options &options) {
  if (options.color != "auto")
    return options.color == "always";
  if (llvm::sys::Process::GetEnv("NO_COLOR"))
    return false;
  std::string force = llvm::sys::Process::GetEnv("CLICOLOR_FORCE").value_or("");
  return (!force.empty() && force != "0") ||
         llvm::sys::Process::StandardErrHasColors();
}

/// The file of the program, which is read before all others.
static constexpr FileId kProgram = 1;

/// Counts the errors of a program; it has no more of them.
void Terminal::count(const DiagnosticEngine &diags) {
  numErrors += diags.getNumErrors();
  for (const Diagnostic *found : diags.getSorted()) {
    if (found->severity != Severity::Error)
      continue;
    const FixIt *fix = getSafeFix(*found);
    numFixed += fix && llvm::all_of(fix->edits, [](const Edit &edit) {
                  return edit.range.file == kProgram;
                });
    if (firstCode.empty())
      firstCode = getDiagInfo(found->code).name;
  }
}

Terminal::~Terminal() {
  if (numErrors == 0 || options.quiet || options.json)
    return;
  llvm::errs() << numErrors << (numErrors == 1 ? " error" : " errors");
  if (numFixed != 0 && options.verb != Verb::Fix)
    llvm::errs() << ", " << numFixed << " fixed by `tdc fix`";
  llvm::errs() << "; `tdc explain " << firstCode << "` says more\n";
}

void Terminal::found(DiagnosticEngine &diags) {
  auto hidden = progress.hide();
  if (diags.hasErrors())
    count(diags);
  if (options.json)
    diags.printJSON(llvm::errs());
  else
    diags.printText(llvm::errs(), hasColour(options));
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
