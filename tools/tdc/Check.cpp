//===- Check.cpp - tdc check ----------------------------------------------===//

#include "Compilation.h"
#include "Process.h"
#include "Verbs.h"

int tdc::checkVerb(const Options &options) {
  int exitCode = ExitOk;
  runOnDeepStack([&] {
    Compilation compilation(options);
    // The last mistakes of a program are found where gradients are taken; what
    // it copies is known later.
    if (compilation.generate())
      compilation.lower(options.guard.mode == TransferGuard::Allow
                            ? Phase::Grad
                            : Phase::Placed);
    exitCode = compilation.getExitCode();
  });
  return exitCode;
}
