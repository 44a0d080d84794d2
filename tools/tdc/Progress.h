//===- Progress.h - shows the progress of a long compilation --------------===//

#ifndef TDC_TOOLS_TDC_PROGRESS_H
#define TDC_TOOLS_TDC_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/thread.h"
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace tdc {

/// Shows steps that take more than a second: on a terminal in its last line,
/// which is removed afterwards; otherwise in one line for each finished step.
class Progress {
public:
  explicit Progress(bool isWanted);
  ~Progress() { end(); }

  void begins(llvm::StringRef step);
  void done();

  /// Ends showing steps; other code may then write to the terminal.
  void end();

  /// Removes the line. It does not come back while the returned lock is held.
  std::unique_lock<std::mutex> hide();

private:
  using Clock = std::chrono::steady_clock;

  /// Seconds that the step has taken.
  long getSeconds() const;
  void show();
  void remove();

  const bool isWanted, isLive;
  std::mutex mutex; ///< guards all members below
  std::condition_variable ended;
  bool hasEnded = false, isShown = false;
  llvm::StringRef step;
  Clock::time_point since;
  llvm::thread timer; ///< updates the line of a terminal
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_PROGRESS_H
