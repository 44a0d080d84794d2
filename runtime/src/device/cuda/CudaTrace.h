//===- CudaTrace.h - when the queues of a GPU did what --------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDATRACE_H
#define TDRT_DEVICE_CUDA_CUDATRACE_H

#include "device/cuda/CudaQueue.h"
#include "program/Trace.h"
#include <deque>
#include <optional>

namespace tdrt {

/// A moment is an event in a stream. What the host does stands between events
/// in a stream of its own, which never has anything else to do: so all times
/// are of one clock, that of the GPU. The context is current wherever another
/// function than those of TraceClock is called.
class CudaTrace final : public TraceClock {
public:
  /// The GPU has nothing to do.
  CudaTrace(CudaContext &context, Trace &trace);

  /// What the next Span is about.
  void setNext(const TraceWork &work) { next = work; }

  int64_t now() noexcept override;
  double getTime(int64_t moment) override;

  /// While it lives, a queue is given one piece of work, behind all that it
  /// waits for.
  class Span {
  public:
    /// Does nothing if there is no trace, or this is nothing to tell it.
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
  /// The moment that a stream gets to here; -1, which never comes, if an event
  /// cannot be had.
  int64_t mark(CUstream stream) noexcept;
  Owned<CUevent> takeEvent();
  /// Takes the times of moments that have come, the first ones first, so that
  /// their events can be used again.
  void resolve();

  struct Pending {
    int64_t moment;
    Owned<CUevent> event;
  };

  CudaContext &context;
  Trace &trace;
  CudaQueue host;
  /// An event whose time is known: 32 bits hold no long time to the
  /// microsecond, so it moves on.
  Owned<CUevent> known;
  double timeOfKnown = 0;
  std::deque<Pending> pending;
  std::vector<Owned<CUevent>> unused;
  std::vector<double> times; ///< by moment
  TraceWork next;
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDATRACE_H
