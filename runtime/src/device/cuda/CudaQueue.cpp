//===- CudaQueue.cpp - work of a GPU that runs in order -------------------===//

#include "device/cuda/CudaQueue.h"
#include <algorithm>

using namespace tdrt;

static Owned<CUstream> makeStream(CudaContext &context) {
  CUstream made = nullptr;
  // A stream that does not wait for other libraries' work in stream 0.
  context.check(context.driver.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING),
                "making a stream");
  return {made, context.driver.cuStreamDestroy_v2};
}

Owned<CUevent> tdrt::makeEvent(CudaContext &context, unsigned flags) {
  CUevent made = nullptr;
  context.check(context.driver.cuEventCreate(&made, flags), "making an event");
  return {made, context.driver.cuEventDestroy_v2};
}

CudaQueue::CudaQueue(CudaContext &context)
    : context(context), stream(makeStream(context)) {}

//===----------------------------------------------------------------------===//
// Giving the stream work
//===----------------------------------------------------------------------===//

void CudaQueue::flush() {
  if (held.bytes == 0)
    return;
  CudaContext::Use use(context);
  context.check(putHeld(), "copying from the cpu");
}

CUresult CudaQueue::putHeld() noexcept {
  Upload upload = std::exchange(held, {nullptr, nullptr, 0});
  return context.driver.cuMemcpyHtoDAsync_v2(
      reinterpret_cast<CUdeviceptr>(upload.to), upload.from, upload.bytes,
      stream.get());
}

int64_t CudaQueue::upload(char *to, const char *from, int64_t bytes) {
  int64_t distance = alignUp(held.bytes);
  if (held.bytes > 0 && awaited.empty() && bytes <= kSmallBytes &&
      to - held.to == distance && from - held.from == distance) {
    held.bytes = distance + bytes;
    return 0;
  }
  noteWork();
  held = {to, from, bytes};
  if (bytes > kSmallBytes)
    flush();
  return 1;
}

void CudaQueue::noteWork() {
  flush();
  for (auto [other, position] : readers)
    if (needsWait(*other, position))
      waitFor(*other, other->mark());
  readers.clear();
  putWaits();
  ++given;
}

//===----------------------------------------------------------------------===//
// Waits between queues
//===----------------------------------------------------------------------===//

int64_t CudaQueue::mark() {
  flush();
  putWaits();
  if (marked == given || isFinished())
    return given;
  CudaContext::Use use(context);
  if (events.size() < kEvents)
    events.push_back({makeEvent(context), 0, {}});
  Event &next = events[marks++ % kEvents];
  context.check(context.driver.cuEventRecord(next.event.get(), stream.get()),
                "recording an event");
  next.position = marked = given;
  next.known = known;
  return given;
}

const CudaQueue::Event &CudaQueue::findEvent(int64_t position) const {
  const Event *first = nullptr;
  for (const Event &event : events)
    if (event.position >= position &&
        (!first || event.position < first->position))
      first = &event;
  return *first;
}

int64_t CudaQueue::getKnown(CudaQueue &other) const {
  for (auto [queue, position] : known)
    if (queue == &other)
      return position;
  return 0;
}

void CudaQueue::note(Clock &clock, CudaQueue &other, int64_t position) {
  for (auto &[queue, before] : clock)
    if (queue == &other) {
      before = std::max(before, position);
      return;
    }
  clock.emplace_back(&other, position);
}

void CudaQueue::waitFor(CudaQueue &other, int64_t position) {
  if (needsWait(other, position))
    note(awaited, other, position);
}

void CudaQueue::follow(CudaQueue &other) {
  bool isKnown =
      getKnown(other) >= other.given &&
      std::all_of(other.awaited.begin(), other.awaited.end(),
                  [&](const auto &wait) { return wait.first == this; });
  if (!isKnown)
    waitFor(other, other.mark());
}

void CudaQueue::putWaits() {
  if (awaited.empty())
    return;
  CudaContext::Use use(context);
  while (!awaited.empty()) {
    auto [other, position] = awaited.front();
    if (needsWait(*other, position)) {
      flush();
      const Event &event = other->findEvent(position);
      context.check(
          context.driver.cuStreamWaitEvent(stream.get(), event.event.get(), 0),
          "waiting for other work");
      // A later mark of this queue includes this wait.
      ++given;
      learn(*other, event.position);
      for (auto [queue, before] : event.known)
        if (queue != this)
          learn(*queue, before);
    }
    // Only now: a wait that fails is still due.
    awaited.erase(awaited.begin());
  }
}

void CudaQueue::settle() noexcept {
  if (held.bytes > 0)
    putHeld();
  for (auto [other, position] : awaited)
    if (needsWait(*other, position))
      context.driver.cuEventSynchronize(other->findEvent(position).event.get());
}

//===----------------------------------------------------------------------===//
// Waits of the host
//===----------------------------------------------------------------------===//

void CudaQueue::noteFinished(const Clock &known) {
  for (auto [queue, position] : known)
    queue->finished = std::max(queue->finished, position);
}

void CudaQueue::noteFinished() {
  finished = given;
  noteFinished(known);
}

void CudaQueue::finish(int64_t position) {
  if (position <= finished)
    return;
  const Event &event = findEvent(position);
  context.check(context.driver.cuEventSynchronize(event.event.get()),
                "waiting for a copy");
  finished = event.position;
  noteFinished(event.known);
}

void CudaQueue::finish() {
  if (isFinished())
    return;
  flush();
  context.check(context.driver.cuStreamSynchronize(stream.get()),
                "finishing its work");
  noteFinished();
}

void CudaQueue::abandon() noexcept {
  awaited.clear(); // the other queues may go first
  if (isFinished())
    return;
  held.bytes = 0;
  context.driver.cuStreamSynchronize(stream.get());
  finished = given;
}
