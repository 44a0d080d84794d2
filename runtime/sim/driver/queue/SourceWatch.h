//===- SourceWatch.h - host memory that pending copies will read ----------===//

#ifndef TDC_SIM_DRIVER_QUEUE_SOURCEWATCH_H
#define TDC_SIM_DRIVER_QUEUE_SOURCEWATCH_H

#include "driver/queue/Order.h"
#include <string>

namespace tdc::sim {

/// Remembers the contents of pinned memory when a copy from it is issued. The
/// host must not change them until it has waited for the copy. The contents are
/// compared at that wait, so a change is found even if the copy happened to run
/// before it.
class SourceWatch {
public:
  struct Source {
    uint64_t address, bytes;
    unsigned lane;
    OperationId operation;
    std::string description; ///< of the operation, for messages
  };

  void add(Source source);
  /// Compares the sources of copies that the host knows to be finished, and
  /// forgets them. Throws Fault CUDA_ERROR_LAUNCH_FAILED if the host has
  /// changed one.
  void check(const Clock &host);
  /// The same for sources that overlap these bytes, before a device writes
  /// them.
  void check(uint64_t begin, uint64_t end);

private:
  struct Watched {
    Source source;
    uint64_t hash;
  };

  template <class Condition> void checkIf(Condition condition);

  std::vector<Watched> watched;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_SOURCEWATCH_H
