//===- TaskRunner.h - executes the tasks of a device ----------------------===//

#ifndef TDC_SIM_DRIVER_QUEUE_TASKRUNNER_H
#define TDC_SIM_DRIVER_QUEUE_TASKRUNNER_H

#include "driver/queue/Task.h"
#include <random>

namespace tdc::sim {

class TaskRunner {
public:
  /// `execute` is false if kernels are only counted, not run.
  TaskRunner(Surroundings surroundings, bool execute)
      : surroundings(std::move(surroundings)), isExecuting(execute) {}

  /// Runs a task of a device; throws Fault with a sticky code. With
  /// `notesAccesses`, the result has the accesses of a kernel.
  Work run(const Task &task, int device, bool notesAccesses);

private:
  void copy(const Copy &copy);
  void fill(const Fill &fill);
  Work call(const KernelCall &call, int device, bool notesAccesses);

  /// Bytes of a device and, per byte, whether it was written. For host memory
  /// `written` is null.
  struct Bytes {
    std::byte *data;
    uint8_t *written;
  };
  Bytes find(int device, uint64_t address, uint64_t bytes);

  Surroundings surroundings;
  bool isExecuting;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_TASKRUNNER_H
