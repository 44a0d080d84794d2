//===- AccessLog.h - which bytes the work in flight touches ---------------===//
//
// Copies and memsets say which bytes they read and write. Two that touch the
// same ones, one writing, must be ordered: a stream, an event or a wait of the
// host between them. That is checked when the second one is issued, so it is
// found whatever order the simulation then takes.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_QUEUE_ACCESSLOG_H
#define TDC_SIM_DRIVER_QUEUE_ACCESSLOG_H

#include "driver/queue/Order.h"
#include <string>

namespace tdc::sim {

/// Bytes [begin, end) of a device or of the host, which share one space.
struct ByteAccess {
  uint64_t begin, end;
  bool isWrite;

  bool overlaps(uint64_t otherBegin, uint64_t otherEnd) const {
    return begin < otherEnd && otherBegin < end;
  }
};

/// Whether both cannot go on at the same time.
inline bool conflict(const ByteAccess &a, const ByteAccess &b) {
  return (a.isWrite || b.isWrite) && a.overlaps(b.begin, b.end);
}

class AccessLog {
public:
  struct Record {
    ByteAccess access;
    unsigned lane;
    OperationId operation;
    std::string description; ///< of the operation, for messages
  };

  /// Adds what an operation of a lane touches, which starts after `clock`.
  /// Throws Fault CUDA_ERROR_LAUNCH_FAILED if an earlier one is not ordered
  /// before it; both are named.
  void add(const std::vector<ByteAccess> &accesses, unsigned lane,
           OperationId operation, const Clock &clock,
           const std::string &description);

  /// Forgets what the host knows to be finished: all that comes is after it.
  void forget(const Clock &host);

  /// What may still be going on at these bytes, in the order of issue.
  std::vector<const Record *> find(uint64_t begin, uint64_t end) const;

private:
  std::vector<Record> records;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_ACCESSLOG_H
