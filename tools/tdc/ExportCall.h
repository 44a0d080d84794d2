//===- ExportCall.h - tdc run --fn ----------------------------------------===//

#ifndef TDC_TOOLS_TDC_EXPORTCALL_H
#define TDC_TOOLS_TDC_EXPORTCALL_H

#include "Options.h"
#include "tdc/tdc.h"

namespace tdc {

/// Runs the program's statements, then the `export fn` of `options.function`:
/// inputs from files, results to files, and, if wanted, more calls that are
/// timed. Returns tdc's exit code.
int callExport(const tdc_program &program, const Options &options,
               Listener &listener);

} // namespace tdc

#endif // TDC_TOOLS_TDC_EXPORTCALL_H
