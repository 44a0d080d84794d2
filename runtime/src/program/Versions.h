//===- Versions.h - which version of a program runs here ------------------===//

#ifndef TDRT_PROGRAM_VERSIONS_H
#define TDRT_PROGRAM_VERSIONS_H

#include "tdc_runtime.h"

namespace tdrt {

/// Chooses as tdrt_open says, of `first` and those behind it. `device` is what
/// the command line has for it: `cpu`, `cuda`, or `auto` or null, where
/// TDC_DEVICE decides. Tells on standard error why a program that could use
/// GPUs runs on the cpu, unless that was wanted. Throws Failure TR301 ... TR306
/// TR311 ... TR313 and TR316; TR312 even where the cpu would do.
const tdrt_program &chooseVersion(const tdrt_program &first,
                                  const char *device);

} // namespace tdrt

#endif // TDRT_PROGRAM_VERSIONS_H
