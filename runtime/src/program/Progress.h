//===- Progress.h - how far a long run is, on a terminal ------------------===//
//
// Generated code counts the iterations of main's two outer loops. A timer asks
// for attention twice a second, as ^C does; the next loop back-edge then shows
// the counts in the last line of the terminal, where the next print replaces
// them.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_PROGRAM_PROGRESS_H
#define TDRT_PROGRAM_PROGRESS_H

#include "tdc_runtime.h"
#include <atomic>
#include <csignal>

namespace tdrt {

/// Set by the timer.
extern std::atomic<bool> progressDue;

class Progress {
public:
  /// Writes the line to standard error, if a loop runs.
  void show(const tdrt_context &context, const tdrt_site *sites) noexcept;
  /// Removes it again.
  void hide() noexcept;

private:
  bool isShown = false;
  /// The outermost loop when it was first seen: what is left is estimated from
  /// the iterations since then. One that has fewer behind it than when it was
  /// seen last has begun anew.
  int32_t site = -1;
  int64_t total = 0;
  double since = 0; ///< seconds
  double doneThen = 0;
  int64_t doneLast = 0;
};

/// While it lives, the timer runs, if standard error is a terminal that can
/// rewrite a line.
class ProgressTimer {
public:
  explicit ProgressTimer(tdrt_context *ctx);
  ~ProgressTimer();

private:
  bool isOn;
  struct sigaction before;
};

} // namespace tdrt

#endif // TDRT_PROGRAM_PROGRESS_H
