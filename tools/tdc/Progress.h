//===- Progress.h - how far a long compilation is -------------------------===//

#ifndef TDC_TOOLS_TDC_PROGRESS_H
#define TDC_TOOLS_TDC_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/thread.h"
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tdc {

/// Tells of steps that take over a second: on a terminal in its last line,
/// which is gone afterwards, elsewhere in a line for each that is done.
class Progress {
public:
  explicit Progress(bool isWanted);
  ~Progress() { end(); }

  void begins(llvm::StringRef step);
  void done();

  /// Tells nothing more; others may write to the terminal.
  void end();

  /// Removes the line; while what is returned lives, it stays away.
  std::unique_lock<std::mutex> hide();

private:
  using Clock = std::chrono::steady_clock;

  /// Seconds that the step has taken.
  long getSeconds() const;
  void show();
  void remove();

  const bool isWanted, isLive;
  std::mutex mutex; ///< of all below
  std::condition_variable ended;
  bool hasEnded = false, isShown = false;
  llvm::StringRef step;
  Clock::time_point since;
  llvm::thread timer; ///< of a terminal
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_PROGRESS_H
