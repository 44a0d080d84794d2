//===- CudaTrace.cpp - times of the work in a GPU's queues ----------------===//

#include "device/cuda/CudaTrace.h"
#include "base/Failure.h"
#include <cmath>

using namespace tdrt;

/// Number of moments that are marked before the times of the first are read.
static constexpr size_t kPending = 4096;
/// After this time, a later event becomes the one that times are counted from.
static constexpr float kFarMilliseconds = 100;

CudaTrace::CudaTrace(CudaContext &context, Trace &trace)
    : context(context), trace(trace), host(context),
      known(makeEvent(context, /*flags=*/0)) {
  context.check(context.driver.cuEventRecord(known.get(), host.getStream()),
                "recording an event");
  context.check(context.driver.cuEventSynchronize(known.get()),
                "waiting for an event");
}

Owned<CUevent> CudaTrace::takeEvent() {
  if (unused.empty())
    return makeEvent(context, /*flags=*/0);
  Owned<CUevent> event = std::move(unused.back());
  unused.pop_back();
  return event;
}

int64_t CudaTrace::mark(CUstream stream) noexcept {
  try {
    if (pending.size() >= kPending)
      resolve();
    Owned<CUevent> event = takeEvent();
    if (context.driver.cuEventRecord(event.get(), stream) != CUDA_SUCCESS)
      return -1;
    times.push_back(std::nan(""));
    auto moment = static_cast<int64_t>(times.size() - 1);
    pending.push_back({moment, std::move(event)});
    return moment;
  } catch (const Failure &) {
    return -1;
  } catch (const std::bad_alloc &) {
    return -1;
  }
}

int64_t CudaTrace::now() noexcept {
  CudaContext::Use use(context, std::nothrow);
  return mark(host.getStream());
}

void CudaTrace::resolve() {
  for (; !pending.empty(); pending.pop_front()) {
    Pending &first = pending.front();
    float milliseconds;
    CUresult result = context.driver.cuEventElapsedTime(
        &milliseconds, known.get(), first.event.get());
    if (result == CUDA_ERROR_NOT_READY)
      return;
    if (result == CUDA_SUCCESS) {
      times[first.moment] = timeOfKnown + 1e3 * milliseconds;
      if (milliseconds > kFarMilliseconds) {
        timeOfKnown = times[first.moment];
        std::swap(known, first.event);
      }
    }
    unused.push_back(std::move(first.event));
  }
}

double CudaTrace::getTime(int64_t moment) {
  if (!pending.empty()) {
    CudaContext::Use use(context, std::nothrow);
    // No other call waits for the moments of the host.
    context.driver.cuStreamSynchronize(host.getStream());
    resolve();
  }
  return moment < 0 ? std::nan("") : times[moment];
}

CudaTrace::Span::Span(std::optional<CudaTrace> &owner, CudaQueue &queue)
    : queue(queue) {
  if (!owner || !owner->next.name)
    return;
  trace = &*owner;
  work = trace->next;
  trace->next = {};
  begin = trace->mark(queue.getStream());
}

CudaTrace::Span::~Span() {
  if (trace)
    trace->trace.add(work, begin, trace->mark(queue.getStream()));
}
