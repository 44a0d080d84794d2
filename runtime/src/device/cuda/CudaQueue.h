//===- CudaQueue.h - work of a GPU that runs in order ---------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDAQUEUE_H
#define TDRT_DEVICE_CUDA_CUDAQUEUE_H

#include "device/cuda/CudaContext.h"
#include <unordered_map>
#include <vector>

namespace tdrt {

/// A stream, and the places in it that others wait for. The context is current
/// wherever a function is called that may throw, which is what
/// CudaContext::check throws.
class CudaQueue {
public:
  explicit CudaQueue(CudaContext &context);
  CudaQueue(const CudaQueue &) = delete;

  CUstream getStream() const { return stream.get(); }
  /// To be called with each thing that the stream is given.
  void noteWork() { ++given; }

  /// The place behind all that it was given and may still have to do: 1, 2 ...;
  /// 0 if that is nothing.
  int64_t mark();
  /// Does nothing more before `other` has got to this place.
  void waitFor(CudaQueue &other, int64_t place);
  /// Returns when it has got there.
  void finish(int64_t place);
  /// Returns when all is done that it was given.
  void finish();
  /// To be called when the host knows that all is, and what it waited for.
  void noteFinished();
  /// The same, whatever has failed.
  void abandon() noexcept;
  /// Has the host waited for all that it was given?
  bool isFinished() const { return finishedWork == given; }

private:
  /// At the place, or, if that is long ago, behind it.
  CUevent findEvent(int64_t place) const;

  static constexpr int64_t kEvents = 16;

  CudaContext &context;
  Owned<CUstream> stream;
  std::vector<Owned<CUevent>> events; ///< of the last places, by place
  int64_t place = 0;
  /// How many things it was given: now, at the last place, and when the host
  /// last waited for all of them.
  int64_t given = 0, marked = 0, finishedWork = 0;
  int64_t finishedPlace = 0; ///< that the host has waited for
  /// Of others, where this one has waited.
  std::unordered_map<CudaQueue *, int64_t> waitedFor;
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDAQUEUE_H
