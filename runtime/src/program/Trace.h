//===- Trace.h - TDC_TRACE: what a run did, and when ----------------------===//
//
// Trace Event Format, which Perfetto and chrome://tracing show: a process for
// each device, in it a thread for each lane, and a counter of the bytes that it
// holds. Work of the cpu is what the host waits for, prints, loads and saves.
//
// When a GPU does something is not known before it is done. So a moment is a
// number until the trace is written; then its clock tells the time.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_PROGRAM_TRACE_H
#define TDRT_PROGRAM_TRACE_H

#include "tdc_runtime.h"
#include <memory>
#include <string>
#include <vector>

namespace tdrt {

class TraceClock {
public:
  virtual ~TraceClock() = default;
  /// A moment of the host.
  virtual int64_t now() noexcept = 0;
  /// Microseconds since the clock was made; NaN if the moment never came. All
  /// that the device was asked for is done.
  virtual double getTime(int64_t moment) = 0;
};

/// A piece of work. Its texts outlive the trace.
struct TraceWork {
  enum Lane : int8_t { Host, Compute, Uploads, Downloads, Peers };
  Lane lane = Host;
  int32_t device = 0; ///< that does it
  const char *name = nullptr;
  int32_t site = -1;
  /// Of a copy between devices.
  int32_t from = 0, to = 0;
  int64_t bytes = 0;
  /// Of an upload beside kernels, and of the kernel that waits for it; else 0.
  int64_t ticket = 0;

  bool isCopy() const { return lane >= Uploads; }
  /// Among the lanes of the device: each GPU that it copies from has its own.
  int32_t getLane() const { return lane == Peers ? Peers + from : lane; }
};

class Trace {
public:
  explicit Trace(const tdrt_program &program);

  /// What tells when a GPU did something, before it did. The host goes by that
  /// of the first one.
  void setClock(int32_t device, TraceClock &clock);

  /// A moment of the host.
  int64_t now() noexcept { return clocks[hostClock]->now(); }
  /// The most that a device had in use since its work before.
  void setMemory(int32_t device, int64_t bytes) { memory[device].next = bytes; }
  /// Work that was done between two moments. Does nothing without memory.
  void add(const TraceWork &work, int64_t begin, int64_t end) noexcept;

  /// The ticket of the copy that was added last.
  void setTicket(int64_t ticket) {
    if (!spans.empty())
      spans.back().work.ticket = ticket;
  }

  std::string getJson() const;

private:
  struct Span {
    TraceWork work;
    int64_t begin, end; ///< moments
  };
  struct Sample {
    int32_t device;
    int64_t moment, bytes;
  };
  struct InUse {
    int64_t next = 0, last = -1;
  };

  struct Timed {
    double begin, end; ///< microseconds
    const TraceWork *work;
  };

  /// The time of a moment of a device.
  double getTime(int32_t device, int64_t moment) const;
  std::vector<Timed> getTimes(int32_t device, int32_t lane) const;
  std::string getArguments(const TraceWork &work) const;

  const tdrt_program &program;
  std::unique_ptr<TraceClock> cpuClock;
  std::vector<TraceClock *> clocks; ///< by device; null where there is none
  int32_t hostClock = 0;            ///< whose clock the host goes by
  std::vector<Span> spans;
  std::vector<Sample> samples;
  std::vector<InUse> memory; ///< by device
};

class Context;

/// Tells the trace, if there is one, that the host is busy while this lives.
class HostSpan {
public:
  /// `name` outlives the trace.
  HostSpan(Context &context, const char *name, int32_t site);
  ~HostSpan();
  HostSpan(const HostSpan &) = delete;

private:
  Context &context;
  TraceWork work;
  int64_t begin = 0;
};

} // namespace tdrt

#endif // TDRT_PROGRAM_TRACE_H
