//===- Errors.cpp - converts errors of tdc to Python's exceptions ---------===//

#include "Errors.h"

namespace nb = nanobind;

namespace tdsl {

static nb::module_ getErrors() { return nb::module_::import_("tdsl._errors"); }

nb::object makeDiagnostic(const tdc_diagnostic &diagnostic) {
  return getErrors().attr("Diagnostic")(
      diagnostic.severity == TDC_ERROR ? "error" : "warning", diagnostic.code,
      diagnostic.message, diagnostic.file, diagnostic.line, diagnostic.column,
      diagnostic.end_line, diagnostic.end_column, diagnostic.text);
}

void raise(tdc_error *error) {
  tdc_status status = tdc_error_status(error);
  if (status == TDC_INTERRUPTED) {
    tdc_error_free(error);
    // Python's signal handler has noted the signal: PyErr_CheckSignals raises.
    if (PyErr_CheckSignals() == 0)
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  nb::list diagnostics;
  for (size_t i = 0; i < tdc_error_count(error); ++i)
    diagnostics.append(makeDiagnostic(*tdc_error_get(error, i)));
  nb::object exception = getErrors().attr("make_error")(
      int(status), tdc_error_text(error), diagnostics);
  tdc_error_free(error);
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

} // namespace tdsl
