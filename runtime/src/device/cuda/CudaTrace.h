//===- CudaTrace.h - times of the work in a GPU's queues ------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDATRACE_H
#define TDRT_DEVICE_CUDA_CUDATRACE_H

#include "device/cuda/CudaQueue.h"
#include "program/Trace.h"
#include <deque>
#include <optional>

namespace tdrt {

/// A moment is an event in a stream. Moments of the host are events in an extra
/// stream that has no other work, so all times come from one clock, the GPU's.
/// The functions that are not TraceClock's must be called with the context
/// current.
class CudaTrace final : public TraceClock {
public:
  /// The GPU must be idle.
  CudaTrace(CudaContext &context, Trace &trace);

  /// Sets the work that the next Span records.
  void setNext(const TraceWork &work) { next = work; }

  int64_t now() noexcept override;
  double getTime(int64_t moment) override;

  /// Records the time of the one piece of work that `queue` is given while the
  /// Span lives. The queue's waits must be given before.
  class Span {
  public:
    /// Does nothing if there is no trace, or no setNext() since the last Span.
    Span(std::optional<CudaTrace> &trace, CudaQueue &queue);
    ~Span();
    Span(const Span &) = delete;

  private:
    CudaTrace *trace = nullptr;
    CudaQueue &queue;
    TraceWork work;
    int64_t begin = 0;
  };

private:
  /// The moment when `stream` reaches this point; -1, a moment that never
  /// comes, if there is no event for it.
  int64_t mark(CUstream stream) noexcept;
  Owned<CUevent> takeEvent();
  /// Reads the times of moments that have come, oldest first, so that their
  /// events can be used again.
  void resolve();

  struct Pending {
    int64_t moment;
    Owned<CUevent> event;
  };

  CudaContext &context;
  Trace &trace;
  CudaQueue host;
  /// An event with a known time, from which other times are counted. A later
  /// event replaces it now and then, because the driver's 32-bit float does not
  /// hold a long time to the microsecond.
  Owned<CUevent> known;
  double timeOfKnown = 0;
  std::deque<Pending> pending;
  std::vector<Owned<CUevent>> unused;
  std::vector<double> times; ///< by moment
  TraceWork next;
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDATRACE_H
