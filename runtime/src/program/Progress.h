//===- Progress.h - the progress of a long run, on a terminal -------------===//
//
// Generated code counts the iterations of main's two outer loops. A timer sets
// the context's `attention` twice a second, as ^C does; the next loop back-edge
// then shows the counts in the last line of the terminal, where the next print
// replaces them.
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
  /// Writes the progress line to standard error, if a loop runs.
  void show(const tdrt_context &context, const tdrt_site *sites) noexcept;
  /// Removes the line.
  void hide() noexcept;

private:
  bool isShown = false;
  /// The outermost loop when it was first shown: the time left is estimated
  /// from the iterations since then. If it has done fewer iterations than when
  /// it was last shown, it has started again.
  int32_t site = -1;
  int64_t total = 0;
  double since = 0; ///< seconds
  double doneThen = 0;
  int64_t doneLast = 0;
};

/// Runs the timer while it lives, if standard error is a terminal that can
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
