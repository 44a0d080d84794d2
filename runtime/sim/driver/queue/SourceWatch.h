//===- SourceWatch.h - host memory that copies still have to read ---------===//

#ifndef TDC_SIM_DRIVER_QUEUE_SOURCEWATCH_H
#define TDC_SIM_DRIVER_QUEUE_SOURCEWATCH_H

#include "driver/queue/Order.h"
#include <string>

namespace tdc::sim {

/// Remembers what pinned memory held when a copy from it was issued. The host
/// must leave it alone until it has waited for the copy; whether it did is
/// looked up then, so it is found even if the copy happened to run in time.
class SourceWatch {
public:
  struct Source {
    uint64_t address, bytes;
    unsigned lane;
    OperationId operation;
    std::string description; ///< of the operation, for messages
  };

  void add(Source source);
  /// Looks at what the host knows to be finished, and forgets it. Throws Fault
  /// CUDA_ERROR_LAUNCH_FAILED if the host has changed some.
  void check(const Clock &host);
  /// The same for what overlaps these bytes, before a device writes them.
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
