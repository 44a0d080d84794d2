//===- TimeModel.h - simulated start and end times of operations ----------===//
//
// Gives each operation a start and an end in simulated time. A device has one
// engine that computes and one for copies in each direction. An engine runs its
// operations in the order of issue, each after the operations that it waits
// for. The host's time advances by the cost of its calls and by its waits.
//
// Times must not depend on the random order in which the simulation really runs
// operations. So they are computed in the order of issue, once the durations of
// all earlier operations are known.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_REPORT_TIMEMODEL_H
#define TDC_SIM_DRIVER_REPORT_TIMEMODEL_H

#include "driver/base/DeviceModel.h"
#include "driver/queue/Task.h"
#include "driver/report/Timeline.h"
#include <deque>

namespace tdc::sim {

class TimeModel {
public:
  using Moments = std::vector<std::shared_ptr<const Moment>>;

  /// `timeline` may be null.
  TimeModel(const DeviceModel &model, bool hasPeerAccess, int devices,
            Timeline *timeline);

  /// The entry point that the host is in; names the host's events in the
  /// timeline.
  void setCall(const char *name) { call = name; }
  /// An operation is issued by a call that costs the host `hostMicroseconds`;
  /// it starts after `after`. Returns its number here and sets `end` to the
  /// moment of its end, filled in later.
  uint64_t issue(const Task &task, int device, unsigned lane,
                 double hostMicroseconds, Moments after,
                 std::shared_ptr<const Moment> &end);
  /// The operation has run; `work` has the counts of a kernel.
  void finish(uint64_t item, const Work &work);
  /// The host waits until all these have ended.
  void wait(Moments moments);

private:
  struct Item {
    std::shared_ptr<Moment> end; ///< null for a wait of the host
    Moments after;
    double hostMicroseconds = 0;
    std::vector<unsigned> engines;
    double microseconds = 0;
    bool isFinished = false;
    const char *call = nullptr; ///< the call that issued it or waits
    TimelineEvent event;
  };

  void advance();
  void place(Item &item);
  void moveHost(double until, const char *name);
  double getDuration(const Task &task) const;

  const DeviceModel &model;
  bool hasPeerAccess;
  Timeline *timeline;
  const char *call = "";
  double host = 0;
  std::vector<double> engineEnds;
  std::deque<Item> items; ///< the ones with times not known yet
  uint64_t first = 0;     ///< number of items[0]
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_REPORT_TIMEMODEL_H
