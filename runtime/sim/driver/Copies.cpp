//===- Copies.cpp - copies and memsets ------------------------------------===//
//
// All are asynchronous (CUDA Driver API, API synchronization behavior). Pinned
// memory is read and written when the copy runs. For pageable memory the manual
// allows synchronous and asynchronous copies; the simulation takes the worse
// case for programs: a copy to a device stages its source when the call is
// made, a copy from a device writes its destination later. In a graph, pageable
// memory is read when the graph runs.
//
//===----------------------------------------------------------------------===//

#include "driver/Driver.h"

using namespace tdc::sim;

namespace {

/// Throws CUDA_ERROR_INVALID_VALUE unless the bytes lie in one live allocation
/// of a device; returns that device.
int checkDevicePointer(const Memory &memory, CUdeviceptr pointer, size_t bytes,
                       const char *what) {
  std::string mistake = memory.findMistake(pointer, bytes);
  int device = memory.getDevice(pointer);
  if (mistake.empty() && device == kHost)
    mistake = "is pinned memory of the host";
  if (!mistake.empty())
    fault(CUDA_ERROR_INVALID_VALUE, what + (" " + mistake));
  return device;
}

/// The same for bytes of the host. The bounds of pageable memory are not known
/// and not checked.
void checkHostPointer(const Memory &memory, const void *pointer, size_t bytes,
                      const char *what) {
  auto address = reinterpret_cast<uint64_t>(
      &deref(static_cast<const char *>(pointer), what));
  if (memory.getDevice(address) != kHost)
    fault(CUDA_ERROR_INVALID_VALUE,
          std::string(what) + " is an address of " +
              getDeviceText(memory.getDevice(address)));
  if (!memory.find(address))
    return;
  std::string mistake = memory.findMistake(address, bytes);
  if (!mistake.empty())
    fault(CUDA_ERROR_INVALID_VALUE, what + (" " + mistake));
}

/// A copy between devices, or within one. Throws unless each pointer belongs to
/// the given device; kHost allows any device.
Copy makeCopy(const Memory &memory, CUdeviceptr to, int toDevice,
              CUdeviceptr from, int fromDevice, size_t bytes) {
  Copy copy = {checkDevicePointer(memory, from, bytes, "the source"),
               checkDevicePointer(memory, to, bytes, "the destination"),
               from,
               to,
               bytes,
               nullptr};
  if ((toDevice != kHost && copy.to != toDevice) ||
      (fromDevice != kHost && copy.from != fromDevice))
    fault(CUDA_ERROR_INVALID_VALUE,
          describe(copy) + ", but the contexts are of " +
              getDeviceText(fromDevice) + " and " + getDeviceText(toDevice));
  return copy;
}

std::shared_ptr<const std::vector<std::byte>> stage(const void *from,
                                                    size_t bytes) {
  auto *begin = static_cast<const std::byte *>(from);
  return std::make_shared<const std::vector<std::byte>>(begin, begin + bytes);
}

} // namespace

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream) {
  return call(Entry::cuMemcpyHtoDAsync_v2,
              [=](Machine &machine, Context &current) {
                Stream &target = machine.getStream(stream, current);
                if (bytes == 0)
                  return;
                checkHostPointer(machine.memory, from, bytes, "the source");
                Copy copy = {kHost,
                             checkDevicePointer(machine.memory, to, bytes,
                                                "the destination"),
                             reinterpret_cast<uint64_t>(from),
                             to,
                             bytes,
                             nullptr};
                if (!target.capture && !machine.memory.find(copy.source))
                  copy.staged = stage(from, bytes);
                machine.give(target, std::move(copy));
              });
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return call(
      Entry::cuMemcpyDtoHAsync_v2, [=](Machine &machine, Context &current) {
        Stream &target = machine.getStream(stream, current);
        if (bytes == 0)
          return;
        checkHostPointer(machine.memory, to, bytes, "the destination");
        machine.give(
            target,
            Copy{checkDevicePointer(machine.memory, from, bytes, "the source"),
                 kHost, from, reinterpret_cast<uint64_t>(to), bytes, nullptr});
      });
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  return call(
      Entry::cuMemcpyDtoDAsync_v2, [=](Machine &machine, Context &current) {
        Stream &target = machine.getStream(stream, current);
        if (bytes == 0)
          return;
        machine.give(target,
                     makeCopy(machine.memory, to, kHost, from, kHost, bytes));
      });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext,
                           CUdeviceptr from, CUcontext fromContext,
                           size_t bytes, CUstream stream) {
  return call(Entry::cuMemcpyPeerAsync, [=](Machine &machine,
                                            Context &current) {
    Stream &target = machine.getStream(stream, current);
    Context *of = machine.findContext(toContext);
    Context *ofSource = machine.findContext(fromContext);
    if (!of || !ofSource)
      fault(CUDA_ERROR_INVALID_CONTEXT, "what is given is no retained context");
    if (bytes == 0)
      return;
    machine.give(target, makeCopy(machine.memory, to, of->device, from,
                                  ofSource->device, bytes));
  });
}

CUresult cuMemsetD8Async(CUdeviceptr pointer, unsigned char value, size_t bytes,
                         CUstream stream) {
  return call(Entry::cuMemsetD8Async, [=](Machine &machine, Context &current) {
    Stream &target = machine.getStream(stream, current);
    if (bytes == 0)
      return;
    int device =
        checkDevicePointer(machine.memory, pointer, bytes, "the destination");
    machine.give(target, Fill{device, pointer, bytes, value});
  });
}
