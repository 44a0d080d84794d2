//===- TaskRunner.h - does what a device was given ------------------------===//

#ifndef TDC_SIM_DRIVER_QUEUE_TASKRUNNER_H
#define TDC_SIM_DRIVER_QUEUE_TASKRUNNER_H

#include "driver/queue/Task.h"
#include <random>

namespace tdc::sim {

class TaskRunner {
public:
  /// `execute` says whether kernels are run or only counted.
  TaskRunner(Surroundings surroundings, bool execute)
      : surroundings(std::move(surroundings)), isExecuting(execute) {}

  /// Does a task of a device; throws Fault with a code that is sticky. What a
  /// kernel touches is told if `notesAccesses`.
  Work run(const Task &task, int device, bool notesAccesses);

private:
  void copy(const Copy &copy);
  void fill(const Fill &fill);
  Work call(const KernelCall &call, int device, bool notesAccesses);

  /// Bytes of a device and whether they were written, or, in the host's
  /// memory, the bytes alone.
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
