//===- Failure.h - how the inside of the runtime reports an error ---------===//
//
// Inside the runtime, a Failure (or std::bad_alloc) is thrown. In each extern
// "C" function one guard converts it into a status, so no exception unwinds
// through generated code. Messages are lower case, without a full stop, in the
// user's words.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_BASE_FAILURE_H
#define TDRT_BASE_FAILURE_H

#include "tdc_exit_codes.h"
#include <cstdint>
#include <string>
#include <utility>

namespace tdrt {

/// A status that is no code of tdc_errors.def.
constexpr int32_t kInterrupted = tdc::ExitInterrupted;

/// One error: the number of a code and the message, the first line of its
/// report.
struct Failure {
  int32_t code;
  std::string message;
};

[[noreturn]] inline void fail(int32_t code, std::string message) {
  throw Failure{code, std::move(message)};
}

/// "`text`", as names are quoted in messages, without control characters.
std::string inQuotes(const std::string &text);

/// 1536 -> "1.5 KB", as sizes are shown in messages.
std::string byteText(uint64_t bytes);

/// "cpu" for 0, "cuda:0" for 1.
std::string deviceText(int32_t device);

/// "No such file or directory" for ENOENT, whatever the locale.
std::string systemText(int error);

} // namespace tdrt

#endif // TDRT_BASE_FAILURE_H
