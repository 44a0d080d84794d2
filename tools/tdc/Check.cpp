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
    // Lower the program until the last phase that reports errors: td-grad; with
    // devices, the phase that places copies; if the memory of a device is
    // known, the phase after which memory is planned.
    if (compilation.generate())
      compilation.lower(compilation.getModule()->hasAttr(td::kMemoryAttr)
                            ? Phase::NVVM
                        : options.simulatedDevices ? Phase::Placed
                                                   : Phase::Grad);
    exitCode = compilation.getExitCode();
  });
  return exitCode;
}
