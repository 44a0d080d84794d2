//===- Command.cpp - tdc_main, the compiler driver ------------------------===//

#include "CrashBundle.h"
#include "Process.h"
#include "Verbs.h"
#include "tdc/tdc.h"

using namespace tdc;

static int dispatch(const Options &options) {
  switch (options.verb) {
  case Verb::Run:
    return runVerb(options);
  case Verb::Check:
    return checkVerb(options);
  case Verb::Build:
    return buildVerb(options);
  case Verb::Emit:
    return emitVerb(options);
  case Verb::Report:
    return reportVerb(options);
  case Verb::Fix:
    return fixVerb(options);
  case Verb::Fmt:
    return fmtVerb(options);
  case Verb::Explain:
    return explainVerb(options);
  case Verb::Doctor:
    return doctorVerb(options);
  case Verb::Completion:
    return completionVerb(options);
  case Verb::Manual:
    return manualVerb(options);
  case Verb::New:
    return newVerb(options);
  case Verb::LanguageServer:
    return languageServerVerb();
  case Verb::Version:
    return versionVerb(options);
  }
  llvm_unreachable("a verb without an action");
}

void tdc_main(int argc, char **argv) {
  work.words = {argv + 1, argv + argc};
  installCrashHandlers();
  int exitCode = ExitOk;
  std::optional<Options> options = parseOptions(work.words, exitCode);
  if (options) {
    work.options = &*options;
    exitCode = dispatch(*options);
  }
  exitNow(exitCode);
}
