//===- Scheduler.h - runs queued work, in an order of its choice ----------===//
//
// Operations of the devices wait here until their result is needed or a random
// choice runs them. So a program that forgets to wait finds its data missing,
// under some seeds at least, as it would on a slow day of a real machine.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_QUEUE_SCHEDULER_H
#define TDC_SIM_DRIVER_QUEUE_SCHEDULER_H

#include "driver/queue/Task.h"
#include <functional>
#include <map>
#include <random>

namespace tdc::sim {

struct Operation {
  OperationId id;
  int device; ///< the context that it belongs to
  Task task;
  uint64_t timeItem; ///< its number in the model of time
};

class Scheduler {
public:
  using Runner = std::function<void(const Operation &)>;

  /// `run` does the work of an operation and throws nothing. The eagerness of
  /// the scheduler is chosen at random, too.
  Scheduler(std::mt19937_64 &random, Runner run);

  /// The number of the next operation.
  OperationId getNext() const { return next; }
  /// Queues an operation, with id getNext(), to run after the operations
  /// `after`.
  void add(Operation operation, const std::vector<OperationId> &after);

  bool isDone(OperationId id) const { return queued.count(id) == 0; }
  /// Runs an operation and all that it waits for.
  void complete(OperationId id);
  /// Runs all operations that a device has.
  void completeDevice(int device);
  /// Runs all operations issued up to `id`, in the order of issue.
  void completeUpTo(OperationId id);
  /// Runs none, one or several operations that could run now.
  void runSome();
  /// Runs at most one operation: `id`, or one that it waits for. A caller that
  /// polls often enough sees the operation done.
  void advance(OperationId id);

  size_t getQueued() const { return queued.size(); }

private:
  struct Entry {
    Operation operation;
    std::vector<OperationId> after;      ///< some may be done
    std::vector<OperationId> dependents; ///< wait for this one
    size_t waitsFor;                     ///< how many of `after` are not done
  };

  bool chance(unsigned percent) { return random() % 100 < percent; }
  /// A random one of the operations that `id` directly waits for; 0 if it can
  /// run now.
  OperationId findWaitedFor(OperationId id);
  void runReady();
  void run(OperationId id);

  std::mt19937_64 &random;
  Runner runner;
  unsigned eagerness; ///< in percent
  OperationId next = 1;
  std::map<OperationId, Entry> queued;
  std::vector<OperationId> ready; ///< the ones that wait for nothing
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_SCHEDULER_H
