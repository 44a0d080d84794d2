//===- CudaQueue.h - work of a GPU that runs in order ---------------------===//
//
// Each queue knows which work of others is done before its next, and the host
// which is done by now. Waiting for one queue makes known what that one had
// waited for by then (vector clocks: C. J. Fidge, "Timestamps in
// message-passing systems that preserve the partial ordering", 1988), so that
// nobody waits for what is known to be done.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDAQUEUE_H
#define TDRT_DEVICE_CUDA_CUDAQUEUE_H

#include "device/cuda/CudaContext.h"
#include <utility>
#include <vector>

namespace tdrt {

/// Where the next tensor, or the next piece of staging memory, can begin.
inline int64_t alignUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// An event for others to wait for; without flags it has a time as well.
Owned<CUevent> makeEvent(CudaContext &context,
                         unsigned flags = CU_EVENT_DISABLE_TIMING);

/// A stream, and the places in it that others wait for: how many things it was
/// given by then. The context is current wherever a function is called that may
/// throw, which is what CudaContext::check throws.
class CudaQueue {
public:
  explicit CudaQueue(CudaContext &context);
  CudaQueue(const CudaQueue &) = delete;

  CUstream getStream() const { return stream.get(); }
  /// To be called before each thing that the stream is given, but uploads.
  void noteWork();
  /// Copies from pinned memory, which nobody writes before a mark behind this
  /// is reached. Small copies that follow each other without a gap, but for
  /// that of alignment, on both sides are one: returns how many more there are
  /// by this, 0 or 1.
  int64_t upload(char *to, const char *from, int64_t bytes);
  /// Gives the stream what is held back to be joined with more.
  void flush();

  /// The place behind all that it was given, for others to wait for.
  int64_t mark();
  /// Does nothing more before `other` has got to this place, which is a mark.
  void waitFor(CudaQueue &other, int64_t place);
  /// Does nothing more that could overwrite what `other` reads by now.
  void protectFrom(CudaQueue &other) { note(readers, other, other.given); }
  /// A mark is reached only when they have read it.
  void waitForReaders() {
    if (!readers.empty())
      noteWork();
  }
  /// Returns when it has got to the mark.
  void finish(int64_t place);
  /// Returns when all is done that it was given.
  void finish();
  /// To be called when the host knows that.
  void noteFinished();
  /// As finish(), whatever has failed.
  void abandon() noexcept;
  /// Does the host know that all is done?
  bool isFinished() const { return finished == given; }

private:
  /// Places of other queues.
  using Clock = std::vector<std::pair<CudaQueue *, int64_t>>;
  struct Event {
    Owned<CUevent> event;
    int64_t place;
    Clock known; ///< to be done when it has come
  };

  /// The first that comes at the place or behind it.
  const Event &findEvent(int64_t place) const;
  int64_t getKnown(CudaQueue &other) const;
  void learn(CudaQueue &other, int64_t place) { note(known, other, place); }
  /// The latest of the queue's places stands for those before.
  static void note(Clock &clock, CudaQueue &other, int64_t place);
  static void noteFinished(const Clock &known);

  static constexpr size_t kEvents = 16;
  static constexpr int64_t kSmallBytes = 1 << 16;

  CudaContext &context;
  Owned<CUstream> stream;
  std::vector<Event> events; ///< the last marks
  size_t marks = 0;
  int64_t given = 0, marked = 0;
  int64_t finished = 0; ///< that the host knows of
  Clock known;
  /// Who may still read what its next work overwrites.
  Clock readers;
  /// An upload that waits for more.
  struct Upload {
    char *to;
    const char *from;
    int64_t bytes;
  } held = {nullptr, nullptr, 0};
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDAQUEUE_H
