//===- Devices.cpp - the driver and its devices ---------------------------===//

#include "driver/Driver.h"
#include <algorithm>
#include <cstring>

using namespace tdc::sim;

namespace {
/// CUDA 12.8: its ptxas is the first that reads PTX ISA 8.7.
constexpr int kDriverVersion = 12080;
} // namespace

CUresult cuInit(unsigned flags) {
  return call(Entry::cuInit, [=] {
    checkFlags(flags, 0);
    Driver::get().initialize();
  });
}

CUresult cuDriverGetVersion(int *version) {
  return call(Entry::cuDriverGetVersion,
              [=] { deref(version, "version") = kDriverVersion; });
}

CUresult cuDeviceGetCount(int *count) {
  return call(Entry::cuDeviceGetCount, [=](Machine &machine) {
    deref(count, "count") = machine.getDeviceCount();
  });
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return call(Entry::cuDeviceGet, [=](Machine &machine) {
    CUdevice &result = deref(device, "device");
    machine.checkDevice(ordinal);
    result = ordinal;
  });
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return call(Entry::cuDeviceGetName, [=](Machine &machine) {
    char *result = &deref(name, "name");
    machine.checkDevice(device);
    if (length <= 0)
      fault(CUDA_ERROR_INVALID_VALUE, "a name of no length");
    size_t size =
        std::min<size_t>(strlen(machine.model.name), size_t(length) - 1);
    memcpy(result, machine.model.name, size);
    result[size] = 0;
  });
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return call(Entry::cuDeviceTotalMem_v2, [=](Machine &machine) {
    size_t &result = deref(bytes, "bytes");
    machine.checkDevice(device);
    result = machine.memory.getCapacity();
  });
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  return call(Entry::cuDeviceGetAttribute, [=](Machine &machine) {
    int &result = deref(value, "value");
    machine.checkDevice(device);
    std::optional<int> known = getAttribute(machine.model, attribute);
    if (!known)
      fault(CUDA_ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute) +
                                          " of devices is not simulated");
    result = *known;
  });
}

CUresult cuDeviceCanAccessPeer(int *canAccess, CUdevice device, CUdevice peer) {
  return call(Entry::cuDeviceCanAccessPeer, [=](Machine &machine) {
    int &result = deref(canAccess, "canAccess");
    machine.checkDevice(device);
    machine.checkDevice(peer);
    result = device != peer && machine.settings.peer;
  });
}
