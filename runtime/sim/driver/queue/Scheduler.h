//===- Scheduler.h - runs queued work, in an order of its choice ----------===//
//
// What a device is given waits here until somebody needs it or a random choice
// runs it. So a program that forgets to wait finds its data missing, under
// some seeds at least, as it would on a slow day of a real machine.
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
  int device; ///< whose context it belongs to
  Task task;
  uint64_t timeItem; ///< of the model of time
};

class Scheduler {
public:
  using Runner = std::function<void(const Operation &)>;

  /// `run` does the work of an operation and throws nothing. How eager the
  /// scheduler is, is a random choice too.
  Scheduler(std::mt19937_64 &random, Runner run);

  /// The number of the next operation.
  OperationId getNext() const { return next; }
  /// Queues an operation, whose number must be getNext(), to run after others.
  void add(Operation operation, const std::vector<OperationId> &after);

  bool isDone(OperationId id) const { return queued.count(id) == 0; }
  /// Runs an operation and all that it waits for.
  void complete(OperationId id);
  /// Runs all operations that a device has.
  void completeDevice(int device);
  /// Runs all that was issued up to an operation, in the order of issue.
  void completeUpTo(OperationId id);
  /// Runs none, one or several operations that could run now.
  void runSome();
  /// Runs at most one that the operation waits for, or itself; somebody who
  /// asks often enough whether it is done sees it done.
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
  /// A random one of those that `id` directly waits for; 0 if it can run now.
  OperationId findWaitedFor(OperationId id);
  void runReady();
  void run(OperationId id);

  std::mt19937_64 &random;
  Runner runner;
  unsigned eagerness; ///< in percent
  OperationId next = 1;
  std::map<OperationId, Entry> queued;
  std::vector<OperationId> ready; ///< wait for nothing
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_SCHEDULER_H
