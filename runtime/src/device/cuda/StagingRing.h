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

#include "device/cuda/CudaContext.h"
#include <vector>

namespace tdrt {

class StagingRing {
public:
  /// For the copies of one stream. Throws what CudaContext::check throws.
  StagingRing(CudaContext &context, CUstream stream);

  struct Piece {
    char *data;
    int64_t bytes;
  };
  /// Up to `most` bytes, at least 1, which no copy of the stream uses any more:
  /// waits for that if need be. The last kSegments - 1 pieces stay as they are.
  Piece take(int64_t most);

  static constexpr int64_t kSegments = 4;
  static constexpr int64_t kSegmentBytes = 1 << 20;

private:
  struct Segment {
    Owned<CUevent> isFree; ///< behind the last copy that uses it
    bool inUse = false;    ///< was `isFree` recorded?
  };
  void advance();

  CudaContext &context;
  CUstream stream;
  std::vector<Segment> segments;
  std::unique_ptr<char, CUresult (*)(void *)> data;
  int64_t current = 0; ///< segment
  int64_t filled = 0;  ///< bytes of it
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_STAGINGRING_H
