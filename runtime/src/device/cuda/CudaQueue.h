//===- CudaQueue.h - work of a GPU that runs in order ---------------------===//
//
// Each queue knows which work of other queues precedes its next work, and the
// host knows which work is done. Waiting for a queue passes on the work that
// this queue had waited for (vector clocks: C. J. Fidge, "Timestamps in
// message-passing systems that preserve the partial ordering", 1988), so that
// no queue waits for work that is known to be done.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDAQUEUE_H
#define TDRT_DEVICE_CUDA_CUDAQUEUE_H

#include "device/cuda/CudaContext.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace tdrt {

/// Rounds up to 64 bytes, the alignment of tensors and of pieces of staging
/// memory.
inline int64_t alignUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Makes an event that queues and the host can wait for; without flags it
/// records a time as well.
Owned<CUevent> makeEvent(CudaContext &context,
                         unsigned flags = CU_EVENT_DISABLE_TIMING);

/// A stream with positions that other queues can wait for. A position is the
/// number of operations that the stream was given by then. A function that may
/// throw must be called with the context current; it throws what
/// CudaContext::check throws.
class CudaQueue {
public:
  explicit CudaQueue(CudaContext &context);
  CudaQueue(const CudaQueue &) = delete;

  CUstream getStream() const { return stream.get(); }
  /// Must be called before each operation that the stream is given, except for
  /// upload().
  void noteWork();
  /// Copies from pinned memory, which must not be written before a later mark
  /// is reached. Small copies that are adjacent on both sides, up to alignment,
  /// are joined. Returns the number of copies that this adds: 0 or 1.
  int64_t upload(char *to, const char *from, int64_t bytes);
  /// Gives the stream the upload that is held back to be joined with more.
  void flush();

  /// The position after all work that the queue was given, to be waited for.
  int64_t mark();
  /// Delays this queue's further work until `other` has reached `position`, a
  /// result of its mark().
  void waitFor(CudaQueue &other, int64_t position);
  /// Delays this queue's further work until the work given to `other` by now is
  /// done.
  void follow(CudaQueue &other);
  /// Must be called before memory of the GPU is freed, which waits for all work
  /// that the stream was given: an upload that is held back, and what the next
  /// work is to wait for, may use the memory. The host waits for the latter,
  /// which needs no memory. Ignores failures of a GPU, which its next use
  /// reports.
  void settle() noexcept;
  /// Delays this queue's further work, which could overwrite memory that
  /// `other` reads, until the work given to `other` by now is done.
  void protectFrom(CudaQueue &other) { note(readers, other, other.given); }
  /// Makes the next mark wait for the queues of protectFrom().
  void waitForReaders() {
    if (!readers.empty())
      noteWork();
  }
  /// Returns when the queue has reached `position`, a result of mark().
  void finish(int64_t position);
  /// Returns when all work that the queue was given is done.
  void finish();
  /// Must be called when the host has found out that all work is done.
  void noteFinished();
  /// Like finish(), but ignores failures and drops an upload that is held back.
  void abandon() noexcept;
  /// Does the host know that all work is done?
  bool isFinished() const { return finished == given; }

private:
  /// Positions of other queues.
  using Clock = std::vector<std::pair<CudaQueue *, int64_t>>;
  struct Event {
    Owned<CUevent> event;
    int64_t position;
    Clock known; ///< positions reached when the event has come
  };

  /// The first event that comes at `position` or after it.
  const Event &findEvent(int64_t position) const;
  int64_t getKnown(CudaQueue &other) const;
  /// Is it not known that `other` has reached `position`?
  bool needsWait(CudaQueue &other, int64_t position) const {
    return position > std::max(other.finished, getKnown(other));
  }
  void learn(CudaQueue &other, int64_t position) {
    note(known, other, position);
  }
  /// Adds a position to a clock, which keeps the latest position of each queue.
  static void note(Clock &clock, CudaQueue &other, int64_t position);
  static void noteFinished(const Clock &known);

  /// Gives the stream the upload that is held back, which must be there.
  CUresult putHeld() noexcept;
  /// Gives the stream the waits that are due.
  void putWaits();

  static constexpr size_t kEvents = 16;
  static constexpr int64_t kSmallBytes = 1 << 16;

  CudaContext &context;
  Owned<CUstream> stream;
  std::vector<Event> events; ///< the last marks
  size_t marks = 0;
  int64_t given = 0, marked = 0;
  int64_t finished = 0; ///< the position that the host knows is reached
  Clock known;
  /// What the next work or mark waits for: several waits for one queue are one,
  /// and a queue need not wait for one that only waits for it.
  Clock awaited;
  /// Queues that may still read memory which the next work overwrites.
  Clock readers;
  /// An upload that is held back to be joined with more.
  struct Upload {
    char *to;
    const char *from;
    int64_t bytes;
  } held = {nullptr, nullptr, 0};
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDAQUEUE_H
