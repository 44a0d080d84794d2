//===- AccessLog.h - the bytes that work in flight touches ----------------===//
//
// The bytes that a copy or a memset reads and writes are known when it is
// issued, those of a kernel when it has run. Two operations that touch the same
// bytes, at least one of them writing, must be ordered: by a stream, an event
// or a wait of the host between them. The order is checked as soon as both are
// known, so a race is found in whatever order the simulation runs.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_QUEUE_ACCESSLOG_H
#define TDC_SIM_DRIVER_QUEUE_ACCESSLOG_H

#include "driver/queue/Order.h"
#include "memory/Memory.h"
#include <map>
#include <memory>
#include <string>

namespace tdc::sim {

/// Whether two accesses must not happen at the same time.
inline bool conflict(const ByteAccess &a, const ByteAccess &b) {
  return (a.isWrite || b.isWrite) && a.overlaps(b.begin, b.end);
}

class AccessLog {
public:
  /// An operation of a lane; `clock` is the work that precedes it.
  struct Source {
    unsigned lane;
    OperationId operation;
    Clock clock;
    std::string description; ///< for messages
  };
  struct Record {
    ByteAccess access;
    std::shared_ptr<const Source> source;
    bool isKnown = false; ///< the host knows it to be finished
  };

  /// Adds the accesses of an operation. Throws Fault CUDA_ERROR_LAUNCH_FAILED
  /// if one conflicts with an operation that is not ordered before or after it;
  /// the message names both.
  void add(const std::vector<ByteAccess> &accesses, Source source);

  /// A kernel is issued. Its accesses are added when it has run; until then no
  /// record is forgotten that it may race with.
  void addKernel(Source source);
  bool hasKernel(OperationId operation) const {
    return kernels.count(operation) != 0;
  }
  /// The kernel has run. Throws as add() does.
  void finishKernel(OperationId operation,
                    const std::vector<ByteAccess> &accesses);

  /// Forgets operations that the host knows to be finished: all later work is
  /// ordered after them.
  void forget(const Clock &host);

  /// Accesses to these bytes that may still be in progress.
  std::vector<const Record *> find(uint64_t begin, uint64_t end) const;

private:
  /// Whether a kernel that has not run may race with the record.
  bool isNeeded(const Record &record) const;

  std::vector<Record> records;
  std::map<OperationId, Source> kernels; ///< the ones that have not run
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_ACCESSLOG_H
