//===- Errors.h - converts errors of tdc to Python's exceptions -----------===//

#ifndef TDSL_ERRORS_H
#define TDSL_ERRORS_H

#include "tdc/tdc.h"
#include <nanobind/nanobind.h>

namespace tdsl {

/// Makes a tdsl.Diagnostic.
nanobind::object makeDiagnostic(const tdc_diagnostic &diagnostic);

/// Raises the tdsl.Error for `error`, or KeyboardInterrupt. Frees `error`.
[[noreturn]] void raise(tdc_error *error);

/// Releases the GIL and calls `work`, which calls a function of tdc.h with a
/// tdc_error **. Raises the error if there is one.
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
