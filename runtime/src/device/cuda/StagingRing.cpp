//===- StagingRing.cpp - pinned memory that copies go through -------------===//

#include "device/cuda/StagingRing.h"
#include <algorithm>

using namespace tdrt;

/// Where the next small copy begins behind another.
static int64_t alignUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

StagingRing::StagingRing(CudaContext &context, CUstream stream)
    : context(context), stream(stream),
      data(nullptr, context.driver.cuMemFreeHost) {
  const Driver &driver = context.driver;
  void *pinned = nullptr;
  context.check(driver.cuMemHostAlloc(&pinned, kSegments * kSegmentBytes,
                                      CU_MEMHOSTALLOC_PORTABLE),
                "allocating pinned memory of the host");
  data.reset(static_cast<char *>(pinned));
  segments.reserve(kSegments);
  for (int64_t i = 0; i < kSegments; ++i) {
    CUevent event = nullptr;
    context.check(driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING),
                  "making an event");
    segments.push_back({{event, driver.cuEventDestroy_v2}});
  }
}

void StagingRing::advance() {
  const Driver &driver = context.driver;
  context.check(driver.cuEventRecord(segments[current].isFree.get(), stream),
                "recording an event");
  segments[current].inUse = true;
  current = (current + 1) % kSegments;
  filled = 0;
  if (segments[current].inUse)
    context.check(driver.cuEventSynchronize(segments[current].isFree.get()),
                  "waiting for a copy");
}

StagingRing::Piece StagingRing::take(int64_t most) {
  if (filled >= kSegmentBytes)
    advance();
  Piece piece = {data.get() + current * kSegmentBytes + filled,
                 std::min(most, kSegmentBytes - filled)};
  filled += alignUp(piece.bytes);
  return piece;
}
