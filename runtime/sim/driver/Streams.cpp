//===- Streams.cpp - streams ----------------------------------------------===//

#include "driver/Driver.h"

using namespace tdc::sim;

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return call(Entry::cuStreamCreate, [=](Machine &machine, Context &current) {
    CUstream &result = deref(stream, "stream");
    checkFlags(flags, CU_STREAM_NON_BLOCKING);
    result = machine.makeStream(current.device, flags);
  });
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return call(Entry::cuStreamDestroy_v2, [=](Machine &machine, Context &) {
    machine.destroyStream(stream);
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return call(Entry::cuStreamSynchronize,
              [=](Machine &machine, Context &current) {
                Stream &target = machine.getStream(stream, current);
                machine.checkNotCapturing(target);
                machine.wait(target.device, machine.getPoints(target));
              });
}

CUresult cuStreamQuery(CUstream stream) {
  return call(Entry::cuStreamQuery, [=](Machine &machine, Context &current) {
    Stream &target = machine.getStream(stream, current);
    machine.checkNotCapturing(target);
    return machine.query(target.device, machine.getPoints(target))
               ? CUDA_SUCCESS
               : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return call(Entry::cuStreamWaitEvent,
              [=](Machine &machine, Context &current) {
                checkFlags(flags, 0);
                Stream &target = machine.getStream(stream, current);
                Event &source = machine.events.get(event);
                if (target.capture || source.capture)
                  machine.waitCaptured(target, source);
                else if (source.isRecorded)
                  machine.makeWait(target, {machine.getPoint(source)});
              });
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return call(
      Entry::cuStreamBeginCapture_v2, [=](Machine &machine, Context &current) {
        if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL ||
            mode > CU_STREAM_CAPTURE_MODE_RELAXED)
          fault(CUDA_ERROR_INVALID_VALUE,
                "capture mode " + std::to_string(mode) + " is not simulated");
        machine.beginCapture(machine.getStream(stream, current), mode);
      });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return call(Entry::cuStreamEndCapture,
              [=](Machine &machine, Context &current) {
                CUgraph &result = deref(graph, "graph");
                result = nullptr;
                result = machine.endCapture(machine.getStream(stream, current));
              });
}
