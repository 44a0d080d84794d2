//===- AccessLog.h - which bytes the work in flight touches ---------------===//
//
// Copies and memsets say which bytes they read and write when they are issued,
// kernels when they have run. Two that touch the same ones, one writing, must
// be ordered: a stream, an event or a wait of the host between them. That is
// checked as soon as both are known, so it is found whatever order the
// simulation takes.
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

/// Whether both cannot go on at the same time.
inline bool conflict(const ByteAccess &a, const ByteAccess &b) {
  return (a.isWrite || b.isWrite) && a.overlaps(b.begin, b.end);
}

class AccessLog {
public:
  /// An operation of a lane, which starts after `clock`.
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

  /// Adds what an operation touches. Throws Fault CUDA_ERROR_LAUNCH_FAILED if
  /// nothing orders it and another one; both are named.
  void add(const std::vector<ByteAccess> &accesses, Source source);

  /// A kernel is issued. What it touches is added when it has run; till then
  /// nothing is forgotten that it may race with.
  void addKernel(Source source);
  bool hasKernel(OperationId operation) const {
    return kernels.count(operation) != 0;
  }
  /// It has run. Throws as add() does.
  void finishKernel(OperationId operation,
                    const std::vector<ByteAccess> &accesses);

  /// Forgets what the host knows to be finished: all that comes is after it.
  void forget(const Clock &host);

  /// What may still be going on at these bytes.
  std::vector<const Record *> find(uint64_t begin, uint64_t end) const;

private:
  /// Whether a kernel that has not run may race with it.
  bool isNeeded(const Record &record) const;

  std::vector<Record> records;
  std::map<OperationId, Source> kernels; ///< that have not run
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_ACCESSLOG_H
