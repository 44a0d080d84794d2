//===- CudaQueue.cpp - work of a GPU that runs in order -------------------===//

#include "device/cuda/CudaQueue.h"
#include <algorithm>

using namespace tdrt;

static Owned<CUstream> makeStream(CudaContext &context) {
  CUstream made = nullptr;
  // One that does not wait for what other libraries do in stream 0.
  context.check(context.driver.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING),
                "making a stream");
  return {made, context.driver.cuStreamDestroy_v2};
}

CudaQueue::CudaQueue(CudaContext &context)
    : context(context), stream(makeStream(context)) {}

int64_t CudaQueue::mark() {
  if (marked == given || isFinished())
    return place;
  if (static_cast<int64_t>(events.size()) < kEvents) {
    CUevent made = nullptr;
    context.check(context.driver.cuEventCreate(&made, CU_EVENT_DISABLE_TIMING),
                  "making an event");
    events.push_back({made, context.driver.cuEventDestroy_v2});
  }
  context.check(
      context.driver.cuEventRecord(events[place % kEvents].get(), stream.get()),
      "recording an event");
  marked = given;
  return ++place;
}

CUevent CudaQueue::findEvent(int64_t at) const {
  return events[(std::max(at, place - kEvents + 1) - 1) % kEvents].get();
}

void CudaQueue::waitFor(CudaQueue &other, int64_t at) {
  int64_t &known = waitedFor[&other];
  if (at <= std::max(known, other.finishedPlace))
    return;
  context.check(
      context.driver.cuStreamWaitEvent(stream.get(), other.findEvent(at), 0),
      "waiting for other work");
  known = at;
}

void CudaQueue::finish(int64_t at) {
  if (at <= finishedPlace)
    return;
  context.check(context.driver.cuEventSynchronize(findEvent(at)),
                "waiting for a copy");
  finishedPlace = at;
  if (at == place && marked == given)
    noteFinished();
}

void CudaQueue::finish() {
  if (isFinished())
    return;
  context.check(context.driver.cuStreamSynchronize(stream.get()),
                "finishing its work");
  noteFinished();
}

void CudaQueue::noteFinished() {
  finishedWork = given;
  finishedPlace = place;
  for (auto [queue, known] : waitedFor)
    queue->finishedPlace = std::max(queue->finishedPlace, known);
}

void CudaQueue::abandon() noexcept {
  if (isFinished())
    return;
  context.driver.cuStreamSynchronize(stream.get());
  finishedWork = given;
}
