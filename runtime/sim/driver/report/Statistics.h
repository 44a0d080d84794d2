//===- Statistics.h - TDC_SIM_STATS: what a program asked of its devices --===//
//
//   seed          TDC_SIM_SEED, given or chosen
//   calls         of each entry point, by name, those without any left out
//   unwaited      the calls of cuEventRecord, 1 for the first, that nothing
//                 waited for
//   copies        src, dst ("cpu", "cuda:0"), count, bytes; a graph's at each
//                 launch
//   memsets       device, count, bytes
//   kernels       launches; instructions are those of their threads
//   work          of each kernel, by name, what its launches did together: the
//                 counts of Work (execute/Execute.h)
//   memory        device, allocations and bytes that are live, peak in bytes;
//                 "extents" has of each allocation of a device its bytes, and
//                 how many are reached: up to the last that a copy or a kernel
//                 has written
//   live          objects that were never destroyed: what is there at the end
//                 and what was there when contexts were released
//   queued        operations that never had to run, since nobody waited
//   fault         the last one; empty if there was none
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

/// What a program has made and not destroyed.
struct LiveCounts {
  uint64_t allocations = 0, bytes = 0; ///< of devices
  uint64_t pinned = 0;                 ///< allocations of the host
  uint64_t streams = 0, events = 0, modules = 0, graphs = 0, executables = 0;

  LiveCounts &operator+=(const LiveCounts &other);
};

class Statistics {
public:
  /// Counts a call; returns the how manieth it is.
  uint64_t countCall(Entry entry) {
    return ++calls[static_cast<unsigned>(entry)];
  }
  /// The last call has recorded an event; returns its number.
  uint64_t countRecord() {
    uint64_t number = calls[static_cast<unsigned>(Entry::cuEventRecord)];
    unwaited.insert(number);
    return number;
  }
  /// Something waits for what that call has recorded.
  void countWait(uint64_t record) { unwaited.erase(record); }
  /// Counts what a device is given to do.
  void countTask(const Task &task);
  void countWork(const Task &task, const Work &work);
  /// What was left when a context came to its end.
  void countLeaks(const LiveCounts &counts) { leaks += counts; }

  /// What else the report has.
  struct Ending {
    uint64_t seed;
    const Memory &memory;
    int devices;
    LiveCounts live;
    size_t queued; ///< operations that nobody has waited for
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
