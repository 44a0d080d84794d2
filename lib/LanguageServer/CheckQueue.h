//===- CheckQueue.h - checks documents as they change ---------------------===//

#ifndef TDC_LIB_LANGUAGESERVER_CHECKQUEUE_H
#define TDC_LIB_LANGUAGESERVER_CHECKQUEUE_H

#include "Analysis.h"
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tdc {

/// One thread that checks the latest text of each document. A newer text
/// cancels the check of an older one. The check begins when the document has
/// been left alone for as long as its last check took.
class CheckQueue {
public:
  /// Called on the thread of the queue when a check has come to its end.
  using Done =
      std::function<void(const std::string &, std::shared_ptr<const Analysis>)>;

  explicit CheckQueue(Done done);
  /// Cancels all checks.
  ~CheckQueue();

  void add(const std::string &path, std::shared_ptr<const Text> text,
           const OpenTexts &open);
  void remove(const std::string &path);

private:
  using Clock = std::chrono::steady_clock;
  struct Document {
    std::shared_ptr<Analysis> next;    ///< null: the latest text was checked
    std::shared_ptr<Analysis> running; ///< null: none
    Clock::time_point due;
    Clock::duration lastCheck{};
  };

  void work();
  /// The document that is checked next; the end if there is none.
  std::map<std::string, Document>::iterator findNext();

  Done done;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Document> documents;
  bool isOver = false;
  std::thread thread;
};

} // namespace tdc

#endif // TDC_LIB_LANGUAGESERVER_CHECKQUEUE_H
