//===- Trace.h - TDC_TRACE: the work of a run and its times ---------------===//
//
// The output is in Trace Event Format, which Perfetto and chrome://tracing
// show: a process for each device, in it a thread for each lane, and a counter
// of the bytes in use. The cpu's work is launches, copies, waits, prints, loads
// and saves.
//
// The time of a GPU's work is known only when the work is done. So a moment is
// a number until the trace is written; then its clock tells the time.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_PROGRAM_TRACE_H
#define TDRT_PROGRAM_TRACE_H

#include "tdc_runtime.h"
#include <memory>
#include <string>
#include <vector>

namespace tdrt {

class JsonWriter;

class TraceClock {
public:
  virtual ~TraceClock() = default;
  /// The present moment of the host.
  virtual int64_t now() noexcept = 0;
  /// The time of a moment, in microseconds since the clock was made; NaN if the
  /// moment never came. The device must have done all its work.
  virtual double getTime(int64_t moment) = 0;
};

/// A piece of work. Its texts must outlive the trace.
struct TraceWork {
  enum Lane : int8_t { Host, Compute, Uploads, Downloads, Peers };
  Lane lane = Host;
  int32_t device = 0; ///< the device that does it
  const char *name = nullptr;
  int32_t site = -1;
  /// For a copy between devices: source, target and bytes.
  int32_t from = 0, to = 0;
  int64_t bytes = 0;
  /// For a copy to a GPU that runs concurrently with kernels, and for the
  /// kernel that waits for it; else 0.
  int64_t ticket = 0;

  bool isCopy() const { return lane >= Uploads; }
  /// The lane's number on its device: each GPU that the device copies from has
  /// its own lane.
  int32_t getLane() const { return lane == Peers ? Peers + from : lane; }
};

class Trace {
public:
  explicit Trace(const tdrt_program &program);

  /// Sets the clock of a GPU, before its first work. The host's moments use the
  /// clock of the first GPU that has one.
  void setClock(int32_t device, TraceClock &clock);

  /// The present moment of the host.
  int64_t now() noexcept { return clocks[hostClock]->now(); }
  /// Sets the most bytes that a device had in use since its previous work.
  void setMemory(int32_t device, int64_t bytes) { memory[device].next = bytes; }
  /// Adds work that was done between two moments. Does nothing if there is no
  /// memory.
  void add(const TraceWork &work, int64_t begin, int64_t end) noexcept;

  /// Sets the ticket of the copy that was added last.
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

  /// The time of a moment of a device, in microseconds.
  double getTime(int32_t device, int64_t moment) const;
  std::vector<Timed> getTimes(int32_t device, int32_t lane) const;
  void writeArguments(JsonWriter &json, const TraceWork &work) const;
  /// Writes the events of a lane.
  void writeLane(JsonWriter &json, int32_t device, int32_t lane) const;

  const tdrt_program &program;
  std::unique_ptr<TraceClock> cpuClock;
  std::vector<TraceClock *> clocks; ///< by device; null where there is none
  int32_t hostClock = 0;            ///< device that clocks the host
  std::vector<Span> spans;
  std::vector<Sample> samples;
  std::vector<InUse> memory; ///< by device
};

class Context;

/// Adds work of the host to the trace, if there is one, from construction to
/// destruction.
class HostSpan {
public:
  /// `name` must outlive the trace.
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
