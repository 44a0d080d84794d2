//===- Errors.h - errors of tdc as exceptions of Python -------------------===//

#ifndef TDSL_ERRORS_H
#define TDSL_ERRORS_H

#include "tdc/tdc.h"
#include <nanobind/nanobind.h>

namespace tdsl {

/// A tdsl.Diagnostic.
nanobind::object makeDiagnostic(const tdc_diagnostic &diagnostic);

/// Raises a tdsl.Error of the kind of `error`, which it takes over, or
/// KeyboardInterrupt.
[[noreturn]] void raise(tdc_error *error);

/// Calls `work`, which calls a function of tdc.h with a tdc_error **, while
/// other threads of Python run; raises the error.
template <class Work> void callOrRaise(Work work) {
  tdc_error *error = nullptr;
  {
    nanobind::gil_scoped_release others;
    work(&error);
  }
  if (error)
    raise(error);
}

} // namespace tdsl

#endif // TDSL_ERRORS_H
