//===- Machine.h - the GPUs of this machine -------------------------------===//

#ifndef TDC_TOOLS_TDC_MACHINE_H
#define TDC_TOOLS_TDC_MACHINE_H

#include "Options.h"

namespace tdc {

/// How many GPUs programs see here: with `--device cpu` none. Those that are
/// simulated, if there are any;
/// the driver of this machine is asked, once, by `tdc run` only: the other
/// verbs are about a program, not about where it happens to be compiled. `tdc
/// build --device` is about a machine that has that device.
int64_t countDevices(const Options &options);
/// Why there are none, or fewer than `needed`.
std::string whyNoDevices(const Options &options, int64_t needed);

} // namespace tdc

#endif // TDC_TOOLS_TDC_MACHINE_H
