//===- Machine.h - the GPUs of this machine -------------------------------===//

#ifndef TDC_COMPILATION_MACHINE_H
#define TDC_COMPILATION_MACHINE_H

#include "Compilation/CompileOptions.h"

namespace tdc {

/// How many GPUs programs see: with `--device cpu` none. The driver of this
/// machine, or the simulated one, is asked, once, for what runs here only; else
/// the matter is a program, not where it happens to be compiled, and there are
/// as many as the options simulate. To build for a device is to build for a
/// machine that has it.
int64_t countDevices(const CompileOptions &options);
/// What is wrong with the simulated GPUs that a run asks for; "" if nothing is.
std::string whyNoSimulation(const CompileOptions &options);
/// Why there are none, or fewer than `needed`.
std::string whyNoDevices(const CompileOptions &options, int64_t needed);

} // namespace tdc

#endif // TDC_COMPILATION_MACHINE_H
