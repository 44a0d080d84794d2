//===- HostMemory.cpp - pinned memory of the host -------------------------===//

#include "driver/Driver.h"

using namespace tdc::sim;

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  return call(Entry::cuMemHostAlloc, [=](Machine &machine, Context &current) {
    void *&result = deref(pointer, "pointer");
    checkFlags(flags, CU_MEMHOSTALLOC_PORTABLE);
    uint64_t address = machine.memory.allocate(kHost, bytes).address;
    machine.setPinned(address, current.device);
    result = reinterpret_cast<void *>(address);
  });
}

CUresult cuMemFreeHost(void *pointer) {
  return call(Entry::cuMemFreeHost, [=](Machine &machine, Context &current) {
    auto address = reinterpret_cast<uint64_t>(pointer);
    // The manual does not say that this call waits for any work.
    machine.checkUnused(address, current.device);
    machine.memory.releaseHost(address);
    machine.forgetPinned(address);
  });
}
