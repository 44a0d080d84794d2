//===- Versions.h - the version of a program for this machine -------------===//

#ifndef TDRT_PROGRAM_VERSIONS_H
#define TDRT_PROGRAM_VERSIONS_H

#include "program/Context.h"

namespace tdrt {

/// Chooses the context's program or a version that follows it, by the rules of
/// tdrt_open. `device` is the command line's wish: `cpu`, `cuda`, or `auto` or
/// null, for which TDC_DEVICE decides. If a program that could use GPUs runs on
/// the cpu without such a wish, a note tells why. Throws Failure TR301 ...
/// TR306, TR311 ... TR313 and TR316; TR312 even if the program could run on the
/// cpu.
const tdrt_program &chooseVersion(Context &context, const char *device);

} // namespace tdrt

#endif // TDRT_PROGRAM_VERSIONS_H
