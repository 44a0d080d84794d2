//===- Order.h - the happens-before order of operations -------------------===//
//
// Every stream is a lane; operations are numbered in the order in which they
// are issued. A clock holds for each lane the last operation up to which all
// are known to be finished (vector clocks: C. Fidge, F. Mattern, 1988). An
// operation is ordered before another if the other's clock covers it: by its
// stream, by an event, or because the host had waited for it.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_QUEUE_ORDER_H
#define TDC_SIM_DRIVER_QUEUE_ORDER_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tdc::sim {

/// From 1, in the order of issue. An operation that is no longer queued is
/// finished.
using OperationId = uint64_t;

class Clock {
public:
  bool covers(unsigned lane, OperationId operation) const {
    return lane < known.size() && known[lane] >= operation;
  }

  bool covers(const Clock &other) const {
    for (unsigned lane = 0; lane != other.known.size(); ++lane)
      if (!covers(lane, other.known[lane]))
        return false;
    return true;
  }

  void join(const Clock &other) {
    if (known.size() < other.known.size())
      known.resize(other.known.size());
    for (size_t lane = 0; lane != other.known.size(); ++lane)
      known[lane] = std::max(known[lane], other.known[lane]);
  }

  void advance(unsigned lane, OperationId operation) {
    if (known.size() <= lane)
      known.resize(lane + 1);
    known[lane] = std::max(known[lane], operation);
  }

private:
  std::vector<OperationId> known; ///< by lane
};

/// The time at which an operation ended, in simulated microseconds; set once it
/// is known.
struct Moment {
  double microseconds = 0;
};

/// A point in the work of the devices that other work, or the host, can wait
/// for: the present end of a stream, or the point that an event has recorded.
struct Point {
  OperationId operation = 0; ///< 0: nothing to wait for
  Clock clock;
  std::shared_ptr<const Moment> moment;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_QUEUE_ORDER_H
