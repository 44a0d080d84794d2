//===- Extension.cpp - tdsl._core -----------------------------------------===//
//
// Binds tdc.h to Python. The Python modules of the package wrap these bindings
// in the interface for users.
//
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include "Function.h"

NB_MODULE(_core, extension) {
  // A thread that still runs when Python ends keeps its objects alive, which is
  // not a leak.
  nanobind::set_leak_warnings(false);
  extension.def("version", tdc_version);
  extension.def("set_threads", [](int32_t count) {
    tdsl::callOrRaise(
        [&](tdc_error **error) { tdc_set_threads(count, error); });
  });
  tdsl::bindProgram(extension);
  tdsl::bindModule(extension);
  tdsl::bindFunction(extension);
}
