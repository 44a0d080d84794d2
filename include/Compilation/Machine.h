//===- Machine.h - the GPUs of this machine -------------------------------===//

#ifndef TDC_COMPILATION_MACHINE_H
#define TDC_COMPILATION_MACHINE_H

#include "Compilation/CompileOptions.h"

namespace tdc {

/// The number of GPUs that the program sees:
///  - To run or build it with `--device cpu`: none.
///  - To run it: those of the driver of this machine, or of the simulated
///    driver, which is queried once.
///  - For every other purpose, the number does not depend on the machine that
///    compiles: it is the number of simulated GPUs; to build for a device, at
///    least as many as a machine with that device has.
int64_t countDevices(const CompileOptions &options);
/// Why the simulated GPUs that a run needs are not available; "" if they are.
std::string whyNoSimulation(const CompileOptions &options);
/// Why there are no GPUs, or fewer than `needed`.
std::string whyNoDevices(const CompileOptions &options, int64_t needed);

} // namespace tdc

#endif // TDC_COMPILATION_MACHINE_H
