//===- Task.h - operations of a device ------------------------------------===//
//
// A task is complete in itself: a stream's queue, a captured graph and each of
// the graph's launches have their own copy of it.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_QUEUE_TASK_H
#define TDC_SIM_DRIVER_QUEUE_TASK_H

#include "driver/queue/AccessLog.h"
#include "execute/Execute.h"
#include "memory/Memory.h"
#include <string>
#include <variant>
#include <vector>

namespace tdc::sim {

struct Copy {
  int from, to; ///< devices, or kHost
  uint64_t source, destination, bytes;
  /// A copy of the source, taken when the call was made; else null.
  std::shared_ptr<const std::vector<std::byte>> staged;
};

struct Fill {
  int device;
  uint64_t address, bytes;
  uint8_t value;
};

struct KernelCall {
  CUfunction function; ///< to see whether it is still loaded
  const Kernel *kernel;
  Dim3 grid, block;
  uint32_t dynamicSharedBytes;
  std::vector<std::byte> parameters;
};

/// Does nothing; other work waits for it.
struct Marker {
  const char *name; ///< "event", "wait", "graph"
};

using Task = std::variant<Copy, Fill, KernelCall, Marker>;

/// "32x8x1".
std::string getText(const Dim3 &size);

/// "copy of 64 bytes from the host to device 0".
std::string describe(const Task &task);

/// The accesses that are known before the task runs: all of a copy and of a
/// memset, none of a kernel.
std::vector<ByteAccess> getAccesses(const Task &task);

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_TASK_H
