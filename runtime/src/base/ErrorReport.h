//===- ErrorReport.h - who is told of an error of the process -------------===//

#ifndef TDRT_BASE_ERRORREPORT_H
#define TDRT_BASE_ERRORREPORT_H

#include "tdc_runtime.h"

namespace tdrt {

/// Tells who started the program as a process of an error, on standard error
/// as `text` if nothing else was asked for.
void tellError(const tdrt_error &error, const char *text);

} // namespace tdrt

#endif // TDRT_BASE_ERRORREPORT_H
