//===- Timeline.h - TDC_SIM_TRACE, for Perfetto and chrome://tracing ------===//
//
// Trace Event Format (Google, "Trace Event Format"): process 0 is the host,
// process 1 device 0 and so on; a thread per stream; complete events ("X") with
// times in microseconds. The host has an event for each call that costs it
// time.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_REPORT_TIMELINE_H
#define TDC_SIM_DRIVER_REPORT_TIMELINE_H

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tdc::sim {

struct TimelineEvent {
  std::string name;
  /// Names and values that a viewer shows when the event is clicked.
  std::vector<std::pair<const char *, std::string>> arguments;
  int device = 0; ///< or kHost
  unsigned lane = 0;
  double start = 0, microseconds = 0;
};

class Timeline {
public:
  void add(TimelineEvent event) { events.push_back(std::move(event)); }
  /// Names a stream of a device.
  void name(int device, unsigned lane, std::string name) {
    lanes[{device, lane}] = std::move(name);
  }

  std::string getJson() const;

private:
  std::vector<TimelineEvent> events;
  std::map<std::pair<int, unsigned>, std::string> lanes;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_REPORT_TIMELINE_H
