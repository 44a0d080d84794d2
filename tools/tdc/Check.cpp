//===- Check.cpp - tdc check ----------------------------------------------===//

#include "Compilation/Compilation.h"
#include "Compilation/DeepStack.h"
#include "Dialect/TD/IR/TD.h"
#include "Terminal.h"
#include "Verbs.h"

int tdc::checkVerb(const Options &options) {
  int exitCode = ExitOk;
  runOnDeepStack([&] {
    Terminal terminal(options);
    Compilation compilation(options, terminal);
    // The last mistakes of a program are found where gradients are taken, with
    // devices where it is known what they hold and copy, and with their memory
    // where it is planned.
    if (compilation.generate())
      compilation.lower(compilation.getModule()->hasAttr(td::kMemoryAttr)
                            ? Phase::NVVM
                        : options.simulatedDevices ? Phase::Placed
                                                   : Phase::Grad);
    exitCode = compilation.getExitCode();
  });
  return exitCode;
}
