//===- StagingRing.h - pinned memory that copies go through ---------------===//
//
// Without the host, a GPU copies only between its own memory and pinned host
// memory. A program's host memory is not pinned and may change as soon as the
// copy function returns, so it is copied through this ring. Small copies share
// a segment; a large one takes segment after segment.
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
  /// Takes a piece of up to `most` bytes, at least 1, for an upload. The host
  /// writes the piece, so this waits until no copy of the stream reads it any
  /// more. The kSegments - 1 pieces before it keep their contents.
  Piece takeForUpload(int64_t most);
  /// Takes a piece for a download. The stream writes it after all its earlier
  /// reads; the host must have copied out what earlier downloads have brought
  /// there.
  Piece takeForDownload(int64_t most) { return take(most); }

  /// Notes that the host has waited for all work that the stream was given.
  void reuse();

  static constexpr int64_t kSegments = 4;
  static constexpr int64_t kSegmentBytes = 1 << 20;

private:
  struct Segment {
    Owned<CUevent> isFree; ///< recorded after the uploads from it
    bool inUse = false;    ///< was isFree recorded, and not waited for?
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
