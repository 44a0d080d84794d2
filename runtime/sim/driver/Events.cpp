//===- Events.cpp - events ------------------------------------------------===//

#include "driver/Driver.h"

using namespace tdc::sim;

namespace {
void checkTimed(const Event &event) {
  if (!event.hasTiming || !event.isRecorded)
    fault(CUDA_ERROR_INVALID_HANDLE, event.hasTiming
                                         ? "the event was never recorded"
                                         : "the event was made without timing");
}
} // namespace

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return call(Entry::cuEventCreate, [=](Machine &machine, Context &current) {
    CUevent &result = deref(event, "event");
    checkFlags(flags, CU_EVENT_DISABLE_TIMING);
    auto made = std::make_unique<Event>();
    made->device = current.device;
    made->hasTiming = !(flags & CU_EVENT_DISABLE_TIMING);
    result = machine.events.add(std::move(made));
  });
}

CUresult cuEventDestroy_v2(CUevent event) {
  return call(Entry::cuEventDestroy_v2, [=](Machine &machine, Context &) {
    machine.events.remove(event);
  });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return call(Entry::cuEventRecord, [=](Machine &machine, Context &current) {
    Event &target = machine.events.get(event);
    Stream &source = machine.getStream(stream, current);
    if (source.device != target.device)
      fault(CUDA_ERROR_INVALID_HANDLE,
            "the event is of " + getDeviceText(target.device) +
                ", the stream of " + getDeviceText(source.device));
    if (source.capture)
      return machine.recordCaptured(target, source);
    machine.record(target, source);
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return call(Entry::cuEventSynchronize, [=](Machine &machine, Context &) {
    Event &target = machine.events.get(event);
    machine.checkNotCaptured(target);
    if (target.isRecorded)
      machine.wait(target.device, {machine.getPoint(target)});
  });
}

CUresult cuEventQuery(CUevent event) {
  return call(Entry::cuEventQuery, [=](Machine &machine, Context &) {
    Event &target = machine.events.get(event);
    machine.checkNotCaptured(target);
    return !target.isRecorded ||
                   machine.query(target.device, {machine.getPoint(target)})
               ? CUDA_SUCCESS
               : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return call(Entry::cuEventElapsedTime, [=](Machine &machine, Context &) {
    float &result = deref(milliseconds, "milliseconds");
    Event &first = machine.events.get(start);
    Event &last = machine.events.get(end);
    for (Event *event : {&first, &last}) {
      machine.checkNotCaptured(*event);
      checkTimed(*event);
    }
    for (Event *event : {&first, &last})
      if (!machine.query(event->device, {event->point}))
        return CUDA_ERROR_NOT_READY;
    double microseconds =
        machine.getTime(last.point) - machine.getTime(first.point);
    result = static_cast<float>(microseconds * 1e-3);
    return CUDA_SUCCESS;
  });
}
