//===- ErrorReport.h - the report of an error of the process --------------===//

#ifndef TDRT_BASE_ERRORREPORT_H
#define TDRT_BASE_ERRORREPORT_H

#include "tdc_runtime.h"
#include <atomic>

namespace tdrt {

/// Set by tdrt_be_quiet.
extern std::atomic<bool> isQuiet;

/// Reports an error, a warning or a note: calls the function of
/// tdrt_report_errors, or writes `text` to standard error if there is none.
void tellError(const tdrt_error &error, const char *text);

} // namespace tdrt

#endif // TDRT_BASE_ERRORREPORT_H
