//===- TaskRunner.cpp - executes the tasks of a device --------------------===//

#include "driver/queue/TaskRunner.h"
#include <algorithm>
#include <cstring>

using namespace tdc::sim;

Work TaskRunner::run(const Task &task, int device, bool notesAccesses) {
  if (auto *copied = std::get_if<Copy>(&task))
    copy(*copied);
  else if (auto *filled = std::get_if<Fill>(&task))
    fill(*filled);
  else if (auto *called = std::get_if<KernelCall>(&task))
    return call(*called, device, notesAccesses);
  return {};
}

TaskRunner::Bytes TaskRunner::find(int device, uint64_t address,
                                   uint64_t bytes) {
  if (device == kHost)
    return {reinterpret_cast<std::byte *>(address), nullptr};
  // The entry point checked this when the call was made, but a graph may run
  // after its memory was freed.
  std::string mistake = surroundings.memory.findMistake(address, bytes);
  if (!mistake.empty())
    fault(CUDA_ERROR_ILLEGAL_ADDRESS,
          "memory of a queued operation " + mistake);
  const Allocation &allocation = *surroundings.memory.find(address);
  uint64_t offset = address - allocation.address;
  return {allocation.data + offset, allocation.written + offset};
}

void TaskRunner::copy(const Copy &copy) {
  Bytes from = find(copy.from, copy.source, copy.bytes);
  Bytes to = find(copy.to, copy.destination, copy.bytes);
  memmove(to.data, copy.staged ? copy.staged->data() : from.data, copy.bytes);
  if (to.written && from.written) {
    memmove(to.written, from.written, copy.bytes);
  } else if (to.written) {
    memset(to.written, 1, copy.bytes);
  } else if (isExecuting) {
    // Only if kernels run: otherwise they write nothing, and all their results
    // would be reported.
    uint8_t *end = from.written + copy.bytes;
    uint8_t *hole = std::find(from.written, end, 0);
    if (hole != end)
      fault(CUDA_ERROR_LAUNCH_FAILED, describe(copy) + ": byte " +
                                          std::to_string(hole - from.written) +
                                          " of them was never written");
  }
}

void TaskRunner::fill(const Fill &fill) {
  Bytes bytes = find(fill.device, fill.address, fill.bytes);
  memset(bytes.data, fill.value, fill.bytes);
  memset(bytes.written, Allocation::kFilled, fill.bytes);
}

Work TaskRunner::call(const KernelCall &call, int device, bool notesAccesses) {
  if (!isExecuting)
    return {};
  return execute({*call.kernel, device, call.grid, call.block,
                  call.dynamicSharedBytes, call.parameters.data(),
                  notesAccesses},
                 surroundings);
}
