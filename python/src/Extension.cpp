//===- Extension.cpp - tdsl._core -----------------------------------------===//
//
// tdc.h for Python: the package's own modules make it what users see.
//
//===----------------------------------------------------------------------===//

#include "Function.h"

NB_MODULE(_core, extension) {
  // A thread that still runs when Python ends keeps what it uses.
  nanobind::set_leak_warnings(false);
  extension.def("version", tdc_version);
  tdsl::bindProgram(extension);
  tdsl::bindModule(extension);
  tdsl::bindFunction(extension);
}
