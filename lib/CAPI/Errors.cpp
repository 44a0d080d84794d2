//===- Errors.cpp - tdc_error ---------------------------------------------===//

#include "Frontend/Diagnostics.h"
#include "Handles.h"
#include "tdc_text.h"
#include "llvm/Support/raw_ostream.h"

namespace tdc {

static_assert(int(TDC_PROGRAM_ERROR) == ExitProgramError &&
              int(TDC_USAGE_ERROR) == ExitUsage &&
              int(TDC_RUN_ERROR) == ExitRunTime && int(TDC_BUG) == ExitBug &&
              int(TDC_INTERRUPTED) == ExitInterrupted);

tdc_diagnostic OwnedDiagnostic::getView() const {
  return {sizeof(tdc_diagnostic),
          severity,
          code.c_str(),
          message.c_str(),
          file.c_str(),
          line,
          column,
          endLine,
          endColumn,
          text.c_str(),
          json.c_str()};
}

std::string makeJSON(const OwnedDiagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printJSON(os, Severity::Error, diagnostic.code, diagnostic.message,
            diagnostic.file,
            {uint32_t(diagnostic.line), uint32_t(diagnostic.column)}, "");
  return text;
}

static tdc_status give(tdc_error **error, tdc_status status,
                       OwnedDiagnostic diagnostic) {
  if (!error)
    return status;
  diagnostic.json = makeJSON(diagnostic);
  auto *made = new tdc_error;
  made->status = status;
  made->add(std::move(diagnostic));
  *error = made;
  return status;
}

tdc_status fail(tdc_error **error, tdc_status status, std::string message) {
  OwnedDiagnostic diagnostic;
  diagnostic.text = "error: " + printable(message) + "\n";
  diagnostic.message = std::move(message);
  return give(error, status, std::move(diagnostic));
}

tdc_status fail(tdc_error **error, tdrt_context *context, int32_t code) {
  if (!context) // no memory even for the error
    return fail(error, TDC_RUN_ERROR, "out of memory");
  tdrt_error found;
  tdrt_get_error(context, &found);
  if (code == TDC_INTERRUPTED)
    return fail(error, TDC_INTERRUPTED, "interrupted");
  OwnedDiagnostic diagnostic;
  diagnostic.code = getRunTimeCode(code);
  diagnostic.message = found.message;
  diagnostic.text = tdrt_error_text(context);
  if (found.site) {
    diagnostic.file = found.site->file;
    diagnostic.line = diagnostic.endLine = found.site->line;
    diagnostic.column = diagnostic.endColumn = found.site->column;
  }
  // TR107: an invalid input. For `tdc run --fn` it is a run-time error.
  tdc_status status = code == 107
                          ? TDC_USAGE_ERROR
                          : static_cast<tdc_status>(tdrt_exit_code(code));
  return give(error, status, std::move(diagnostic));
}

} // namespace tdc

tdc_status tdc_error_status(const tdc_error *error) { return error->status; }

const char *tdc_error_text(const tdc_error *error) {
  return error->text.c_str();
}

size_t tdc_error_count(const tdc_error *error) {
  return error->diagnostics.size();
}

const tdc_diagnostic *tdc_error_get(const tdc_error *error, size_t index) {
  return index < error->views.size() ? &error->views[index] : nullptr;
}

void tdc_error_free(tdc_error *error) { delete error; }
