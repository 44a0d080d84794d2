//===- DeviceMemory.cpp - the memory of a GPU -----------------------------===//

#include "device/cuda/DeviceMemory.h"
#include "base/Failure.h"

using namespace tdrt;

DeviceMemory::~DeviceMemory() {
  clear();
  CudaContext::Use use(context, std::nothrow);
  for (CUdeviceptr arena : arenas)
    context.driver.cuMemFree_v2(arena);
}

void *DeviceMemory::allocateArena(int64_t bytes) {
  void *arena = allocateOwn(bytes);
  arenaBytes += bytes;
  count(bytes);
  return arena;
}

void *DeviceMemory::allocateOwn(int64_t bytes) {
  CudaContext::Use use(context);
  arenas.reserve(arenas.size() + 1);
  CUdeviceptr arena;
  CUresult result = context.driver.cuMemAlloc_v2(&arena, bytes + kSlack);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    fail(308, "out of memory on " + context.getName() + ": the program needs " +
                  byteText(bytes) +
                  " there for its state and its intermediate values" +
                  freeText() + "; `tdc report` says what takes how much");
  context.check(result, "allocating memory");
  arenas.push_back(arena);
  return reinterpret_cast<void *>(arena);
}

Memory::Block *DeviceMemory::obtain(int64_t capacity) {
  CudaContext::Use use(context);
  CUdeviceptr address;
  CUresult result = context.driver.cuMemAlloc_v2(&address, capacity);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return nullptr;
  context.check(result, "allocating memory");
  try {
    DeviceBlock &block = blocks[address];
    block.address = address;
    return &block;
  } catch (...) {
    context.driver.cuMemFree_v2(address);
    throw;
  }
}

void DeviceMemory::discard(Block *block) noexcept {
  CUdeviceptr address = static_cast<DeviceBlock *>(block)->address;
  // The result is ignored: a GPU that has failed reports it again at its next
  // use.
  CudaContext::Use use(context, std::nothrow);
  work.settle();
  context.driver.cuMemFree_v2(address);
  blocks.erase(address);
}

void *DeviceMemory::getData(Block *block) {
  return reinterpret_cast<void *>(static_cast<DeviceBlock *>(block)->address);
}

Memory::Block *DeviceMemory::find(void *data) {
  return &blocks.find(reinterpret_cast<CUdeviceptr>(data))->second;
}

std::string DeviceMemory::freeText() const {
  CudaContext::Use use(context);
  size_t free = 0, total = 0;
  if (context.driver.cuMemGetInfo_v2(&free, &total) != CUDA_SUCCESS)
    return "";
  return ", and " + byteText(free) + " of " + byteText(total) + " are free";
}

void DeviceMemory::refuse(int64_t bytes) {
  std::string held;
  if (arenaBytes > 0)
    held = byteText(arenaBytes) + " for its state and its intermediate values";
  if (int64_t learnt = inUse() - arenaBytes; learnt > 0)
    held += (held.empty() ? "" : " and ") + byteText(learnt) +
            " in tensors of run-time size";
  fail(308, "out of memory on " + context.getName() + ": " + byteText(bytes) +
                " asked for" + freeText() +
                (held.empty() ? "" : "; this program holds " + held));
}
