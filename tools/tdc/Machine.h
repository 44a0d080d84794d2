//===- Machine.h - the GPUs of this machine -------------------------------===//

#ifndef TDC_TOOLS_TDC_MACHINE_H
#define TDC_TOOLS_TDC_MACHINE_H

#include "Options.h"

namespace tdc {

/// How many GPUs programs see here. Those that are simulated, if there are any;
/// the driver of this machine is asked, once, by `tdc run` only: the other
/// verbs are about a program, not about where it happens to be compiled. `tdc
/// build --device` is about a machine that has that device.
int64_t countDevices(const Options &options);
/// Why there are none.
std::string whyNoDevices(const Options &options);

} // namespace tdc

#endif // TDC_TOOLS_TDC_MACHINE_H
