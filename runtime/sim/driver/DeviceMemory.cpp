//===- DeviceMemory.cpp - memory of devices -------------------------------===//

#include "driver/Driver.h"

using namespace tdc::sim;

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  return call(Entry::cuMemAlloc_v2, [=](Machine &machine, Context &current) {
    CUdeviceptr &result = deref(pointer, "pointer");
    result = machine.memory.allocate(current.device, bytes).address;
  });
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return call(Entry::cuMemFree_v2, [=](Machine &machine, Context &) {
    if (!pointer)
      return;
    // Real drivers wait for the device before they unmap anything, and programs
    // depend on it. They do not wait for other devices that use the memory.
    int device = machine.memory.getDevice(pointer);
    if (device != kHost) {
      machine.wait(device, machine.getPoints(device));
      machine.checkUnused(pointer, device);
    }
    machine.memory.release(pointer);
  });
}

CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  return call(Entry::cuMemGetInfo_v2, [=](Machine &machine, Context &current) {
    size_t &available = deref(free, "free");
    size_t &capacity = deref(total, "total");
    capacity = machine.memory.getCapacity();
    available = capacity - machine.memory.getUsed(current.device);
  });
}
