//===- Check.cpp - tdc check ----------------------------------------------===//

#include "Compilation.h"
#include "Process.h"
#include "Verbs.h"

int tdc::checkVerb(const Options &options) {
  int exitCode = ExitOk;
  runOnDeepStack([&] {
    Compilation compilation(options);
    compilation.check();
    exitCode = compilation.getExitCode();
  });
  return exitCode;
}
