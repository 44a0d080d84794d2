//===- StagingRing.cpp - pinned memory that copies go through -------------===//

#include "device/cuda/StagingRing.h"
#include <algorithm>

using namespace tdrt;

StagingRing::StagingRing(CudaContext &context, CudaQueue &queue)
    : context(context), queue(queue),
      data(nullptr, context.driver.cuMemFreeHost) {
  const Driver &driver = context.driver;
  void *pinned = nullptr;
  context.check(driver.cuMemHostAlloc(&pinned, kSegments * kSegmentBytes,
                                      CU_MEMHOSTALLOC_PORTABLE),
                "allocating pinned memory of the host");
  data.reset(static_cast<char *>(pinned));
  segments.reserve(kSegments);
  for (int64_t i = 0; i < kSegments; ++i)
    segments.push_back({makeEvent(context)});
}

void StagingRing::advance() {
  Segment &left = segments[current];
  if (left.hasUploads) {
    queue.flush();
    context.check(
        context.driver.cuEventRecord(left.isFree.get(), queue.getStream()),
        "recording an event");
    left.inUse = true;
    left.hasUploads = false;
  }
  current = (current + 1) % kSegments;
  filled = 0;
}

StagingRing::Piece StagingRing::take(int64_t most) {
  if (filled >= kSegmentBytes)
    advance();
  Piece piece = {data.get() + current * kSegmentBytes + filled,
                 std::min(most, kSegmentBytes - filled)};
  filled += alignUp(piece.bytes);
  return piece;
}

StagingRing::Piece StagingRing::takeForUpload(int64_t most) {
  Piece piece = take(most);
  Segment &segment = segments[current];
  segment.hasUploads = true;
  if (segment.inUse) {
    context.check(context.driver.cuEventSynchronize(segment.isFree.get()),
                  "waiting for a copy");
    segment.inUse = false;
  }
  return piece;
}

void StagingRing::reuse() {
  for (Segment &segment : segments)
    segment.inUse = segment.hasUploads = false;
}
