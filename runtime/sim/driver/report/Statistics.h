//===- Statistics.h - TDC_SIM_STATS: a program's use of its devices -------===//
//
//   seed          TDC_SIM_SEED, given or chosen
//   calls         of each entry point, by name; entry points without calls are
//                 left out
//   unwaited      the numbers of the cuEventRecord calls, from 1, with events
//                 that nothing waited for
//   copies        src, dst ("cpu", "cuda:0"), count, bytes; a graph's at each
//                 launch
//   memsets       device, count, bytes
//   kernels       launches; instructions are those of their threads
//   work          for each kernel, by name, the sums over its launches of the
//                 counts of Work (execute/Execute.h)
//   memory        device, allocations and bytes that are live, peak in bytes;
//                 "extents" has for each allocation of a device its size and
//                 the part that is reached: the bytes up to the last one that
//                 a copy or a kernel has written
//   live          objects that were never destroyed: the ones that exist at the
//                 end and the ones left when contexts were released
//   queued        operations that never had to run, since nothing waited for
//                 them
//   fault         the message of the last one; empty if there was none
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_REPORT_STATISTICS_H
#define TDC_SIM_DRIVER_REPORT_STATISTICS_H

#include "driver/base/Entry.h"
#include "driver/queue/Task.h"
#include <array>
#include <map>
#include <set>

namespace tdc::sim {

/// Counts of objects that a program has made and not destroyed.
struct LiveCounts {
  uint64_t allocations = 0, bytes = 0; ///< of devices
  uint64_t pinned = 0;                 ///< allocations of the host
  uint64_t streams = 0, events = 0, modules = 0, graphs = 0, executables = 0;

  LiveCounts &operator+=(const LiveCounts &other);
};

class Statistics {
public:
  /// Counts a call; returns its number among the calls of the entry point, from
  /// 1.
  uint64_t countCall(Entry entry) {
    return ++calls[static_cast<unsigned>(entry)];
  }
  /// The last call has recorded an event; returns its number.
  uint64_t countRecord() {
    uint64_t number = calls[static_cast<unsigned>(Entry::cuEventRecord)];
    unwaited.insert(number);
    return number;
  }
  /// Something waits for the event that this call has recorded.
  void countWait(uint64_t record) { unwaited.erase(record); }
  /// Counts a task that a device is given.
  void countTask(const Task &task);
  void countWork(const Task &task, const Work &work);
  /// Adds the objects left when a context was released.
  void countLeaks(const LiveCounts &counts) { leaks += counts; }

  /// Further contents of the report.
  struct Ending {
    uint64_t seed;
    const Memory &memory;
    int devices;
    LiveCounts live;
    size_t queued; ///< operations that nothing has waited for
    std::string fault;
  };
  std::string getJson(const Ending &ending) const;

private:
  struct Transfers {
    uint64_t count = 0, bytes = 0;
  };

  std::array<uint64_t, kEntries> calls{};
  std::set<uint64_t> unwaited;
  std::map<std::pair<int, int>, Transfers> copies; ///< from, to
  std::map<int, Transfers> fills;
  struct KernelWork {
    uint64_t launches = 0;
    Work sum;
  };

  uint64_t kernels = 0, instructions = 0;
  std::map<std::string, KernelWork> work; ///< by the kernel's name
  LiveCounts leaks;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_REPORT_STATISTICS_H
