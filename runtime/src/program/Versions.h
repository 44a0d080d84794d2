//===- Versions.h - the version of a program for this machine -------------===//

#ifndef TDRT_PROGRAM_VERSIONS_H
#define TDRT_PROGRAM_VERSIONS_H

#include "tdc_runtime.h"

namespace tdrt {

/// Chooses `first` or a version that follows it, by the rules of tdrt_open.
/// `device` is the command line's wish: `cpu`, `cuda`, or `auto` or null, for
/// which TDC_DEVICE decides. If a program that could use GPUs runs on the cpu
/// without such a wish, a line on standard error tells why. Throws Failure
/// TR301 ... TR306, TR311 ... TR313 and TR316; TR312 even if the program could
/// run on the cpu.
const tdrt_program &chooseVersion(const tdrt_program &first,
                                  const char *device);

} // namespace tdrt

#endif // TDRT_PROGRAM_VERSIONS_H
