//===- StagingRing.h - pinned memory that copies go through ---------------===//
//
// A GPU copies only between its own memory and pinned memory of the host on its
// own. What a program has on the host is not pinned, and may be changed as soon
// as a copy of it was asked for, so it goes through this ring. Small copies
// share a segment; a large one takes segment after segment.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_DEVICE_CUDA_STAGINGRING_H
#define TDRT_DEVICE_CUDA_STAGINGRING_H

#include "device/cuda/CudaQueue.h"
#include <vector>

namespace tdrt {

class StagingRing {
public:
  /// For the copies of one queue. Throws what CudaContext::check throws.
  StagingRing(CudaContext &context, CudaQueue &queue);

  struct Piece {
    char *data;
    int64_t bytes;
  };
  /// Up to `most` bytes, at least 1. The last kSegments - 1 pieces stay as they
  /// are. For an upload, which the host writes: waits until no copy of the
  /// stream reads them any more.
  Piece takeForUpload(int64_t most);
  /// For a download, which the stream writes behind all that it reads before.
  /// The host has taken out what earlier downloads have brought.
  Piece takeForDownload(int64_t most) { return take(most); }

  /// The host has waited for all that the stream was given.
  void reuse();

  static constexpr int64_t kSegments = 4;
  static constexpr int64_t kSegmentBytes = 1 << 20;

private:
  struct Segment {
    Owned<CUevent> isFree; ///< behind the uploads that were in it
    bool inUse = false;    ///< was that recorded, and not waited for?
    bool hasUploads = false;
  };
  Piece take(int64_t most);
  void advance();

  CudaContext &context;
  CudaQueue &queue;
  std::vector<Segment> segments;
  std::unique_ptr<char, CUresult (*)(void *)> data;
  int64_t current = 0; ///< segment
  int64_t filled = 0;  ///< bytes of it
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_STAGINGRING_H
