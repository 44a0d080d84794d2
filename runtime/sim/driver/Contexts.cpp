//===- Contexts.cpp - primary contexts ------------------------------------===//

#include "driver/Driver.h"

using namespace tdc::sim;

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return call(Entry::cuDevicePrimaryCtxRetain, [=](Machine &machine) {
    CUcontext &result = deref(context, "context");
    machine.checkDevice(device);
    Context &primary = machine.getContext(device);
    machine.retain(primary);
    result = primary.handle;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return call(Entry::cuDevicePrimaryCtxRelease_v2, [=](Machine &machine) {
    machine.checkDevice(device);
    Context &primary = machine.getContext(device);
    machine.release(primary);
    if (primary.references == 0)
      Driver::get().writeReports();
  });
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  return call(Entry::cuCtxGetCurrent, [=](Machine &) {
    deref(context, "context") = Driver::get().getCurrent();
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return call(Entry::cuCtxSetCurrent,
              [=](Machine &) { Driver::get().setCurrent(context); });
}

CUresult cuCtxSynchronize() {
  return call(Entry::cuCtxSynchronize, [](Machine &machine, Context &current) {
    machine.checkNotCapturing(current.device);
    machine.wait(current.device, machine.getPoints(current.device));
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return call(
      Entry::cuCtxEnablePeerAccess, [=](Machine &machine, Context &current) {
        checkFlags(flags, 0);
        Context *context = machine.findContext(peer);
        if (!context || context == &current)
          fault(CUDA_ERROR_INVALID_CONTEXT,
                "what is given is not the retained context of another device");
        if (!machine.settings.peer)
          fault(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
                "TDC_SIM_PEER=0: devices cannot touch each other's memory");
        if (!current.peers.insert(context->device).second)
          fault(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
                getDeviceText(current.device) + " may touch the memory of " +
                    getDeviceText(context->device) + " already");
      });
}
