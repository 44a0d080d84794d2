//===- PhaseTimes.h - how long each step took -----------------------------===//
//
// For developers: `--time-phases`. Steps are in the order in which they ended.
// The time of a step starts at the end of the previous one.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TOOLS_TDC_PHASETIMES_H
#define TDC_TOOLS_TDC_PHASETIMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <string>
#include <vector>

namespace tdc {

class PhaseTimes {
public:
  void done(llvm::StringRef step) {
    Moment now = Moment::now();
    steps.push_back({step.str(), now.wall - last.wall, now.cpu - last.cpu});
    last = now;
  }

  void print(llvm::raw_ostream &os) const {
    Step all{"all", {}, {}};
    auto row = [&](const Step &step) {
      os << llvm::formatv("{0,-12} {1,8:f2} ms {2,8:f2} ms cpu\n", step.name,
                          step.wall.count(), step.cpu.count());
    };
    for (const Step &step : steps) {
      row(step);
      all.wall += step.wall;
      all.cpu += step.cpu;
    }
    row(all);
  }

private:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  /// Wall clock and processor time: on a busy machine only the latter is
  /// useful.
  struct Moment {
    Milliseconds wall, cpu;
    static Moment now() {
      llvm::sys::TimePoint<> wall;
      std::chrono::nanoseconds user, system;
      llvm::sys::Process::GetTimeUsage(wall, user, system);
      return {wall.time_since_epoch(), user + system};
    }
  };
  struct Step {
    std::string name;
    Milliseconds wall, cpu;
  };

  Moment last = Moment::now();
  std::vector<Step> steps;
};

} // namespace tdc

#endif // TDC_TOOLS_TDC_PHASETIMES_H
