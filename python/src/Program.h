//===- Program.h - tdsl._core.Program -------------------------------------===//

#ifndef TDSL_PROGRAM_H
#define TDSL_PROGRAM_H

#include "tdc/tdc.h"
#include <memory>
#include <nanobind/nanobind.h>

namespace tdsl {

/// A compiled program, which modules keep alive.
using Program = std::shared_ptr<tdc_program>;

/// Adds Program and compile() to the extension.
void bindProgram(nanobind::module_ &extension);

} // namespace tdsl

#endif // TDSL_PROGRAM_H
