//===- Memory.cpp - the memories of the simulated devices -----------------===//

#include "memory/Memory.h"
#include <algorithm>
#include <iterator>

using namespace tdc::sim;

namespace {
/// cuMemAlloc aligns "for any kind of variable" (CUDA Driver API, Memory
/// Management); real drivers give 512 bytes.
constexpr uint64_t kAlign = 512;
/// Gap between allocations, so that an index that is wrong by a little or by
/// some rows hits no allocation.
constexpr uint64_t kGap = 64 << 10;
/// Address range that a device reserves at once. Addresses cost nothing, and
/// x86-64 has room for 128 of these.
constexpr uint64_t kReserve = uint64_t(1) << 40;

uint64_t roundUp(uint64_t bytes) {
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

std::string getText(const Allocation &allocation) {
  return "allocation " + std::to_string(allocation.serial) + " (" +
         getByteText(allocation.bytes) + ") of " +
         getDeviceText(allocation.device);
}
} // namespace

std::string tdc::sim::getByteText(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string tdc::sim::getDeviceText(int device) {
  return device == kHost ? "the host" : "device " + std::to_string(device);
}

Memory::Memory(int devices, uint64_t capacity)
    : capacity(capacity), spaces(devices + 1) {
  for (int device = 0; device < devices; ++device)
    getSpace(device).next = takeAddresses(device, 0);
}

Memory::~Memory() {
  for (auto &[address, allocation] : allocations) {
    if (allocation.device == kHost)
      unmap(reinterpret_cast<void *>(address), allocation.bytes);
    else if (allocation.isLive)
      unmap(allocation.data, allocation.bytes);
    if (allocation.written)
      unmap(allocation.written, allocation.bytes);
  }
  for (auto &[begin, range] : reserved)
    unmap(reinterpret_cast<void *>(begin), range.end - begin);
}

const Allocation *Memory::findBefore(uint64_t address) const {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return nullptr;
  const Allocation &allocation = std::prev(next)->second;
  return allocation.device == getDevice(address) ? &allocation : nullptr;
}

const Allocation *Memory::find(uint64_t address) const {
  auto next = allocations.upper_bound(address);
  if (next == allocations.begin())
    return nullptr;
  const Allocation &allocation = std::prev(next)->second;
  return address - allocation.address < allocation.bytes ? &allocation
                                                         : nullptr;
}

int Memory::getDevice(uint64_t address) const {
  auto next = reserved.upper_bound(address);
  if (next == reserved.begin())
    return kHost;
  const Reserved &range = std::prev(next)->second;
  return address < range.end ? range.device : kHost;
}

uint64_t Memory::takeAddresses(int device, uint64_t bytes) {
  Space &space = getSpace(device);
  if (space.end - space.next < roundUp(bytes) + kGap) {
    uint64_t size = std::max(kReserve, roundUp(bytes) + 2 * kGap);
    void *range = reserveAddresses(size);
    if (!range)
      fault(CUDA_ERROR_OUT_OF_MEMORY,
            "no addresses are left for " + getDeviceText(device));
    uint64_t begin = reinterpret_cast<uint64_t>(range);
    reserved[begin] = {begin + size, device};
    // The addresses before the first allocation of a range belong to none, too.
    space.next = begin + kGap;
    space.end = begin + size;
  }
  uint64_t address = space.next;
  if (bytes)
    space.next += roundUp(bytes) + kGap;
  return address;
}

const Allocation &Memory::allocate(int device, uint64_t bytes) {
  if (bytes == 0)
    fault(CUDA_ERROR_INVALID_VALUE, "an allocation of no bytes");
  Space &space = getSpace(device);
  if (device != kHost && bytes > capacity - space.used)
    fault(CUDA_ERROR_OUT_OF_MEMORY, getDeviceText(device) + " has " +
                                        getByteText(capacity - space.used) +
                                        " free of " + getByteText(capacity) +
                                        ", not " + getByteText(bytes));

  std::byte *data = pattern.map(bytes);
  auto *written = data && device != kHost
                      ? static_cast<uint8_t *>(mapZeros(bytes))
                      : nullptr;
  if (!data || (device != kHost && !written)) {
    if (data)
      unmap(data, bytes);
    fault(CUDA_ERROR_OUT_OF_MEMORY, "the host has no " + getByteText(bytes) +
                                        " to simulate memory of " +
                                        getDeviceText(device));
  }

  uint64_t address = reinterpret_cast<uint64_t>(data);
  if (device != kHost)
    address = takeAddresses(device, bytes);
  space.used += bytes;
  space.peak = std::max(space.peak, space.used);
  ++space.liveCount;
  return allocations[address] =
             Allocation{address, bytes, device, ++serial, true, data, written};
}

static uint64_t getReached(const Allocation &allocation) {
  if (!allocation.written)
    return allocation.reached;
  const uint8_t *end = allocation.written + allocation.bytes;
  while (end != allocation.written &&
         (end[-1] == 0 || end[-1] == Allocation::kFilled))
    --end;
  return static_cast<uint64_t>(end - allocation.written);
}

void Memory::release(uint64_t address, bool ofHost) {
  auto position = allocations.find(address);
  if (position == allocations.end() ||
      (position->second.device == kHost) != ofHost) {
    const Allocation *around = find(address);
    fault(CUDA_ERROR_INVALID_VALUE,
          "what is freed is not the start of an allocation of " +
              std::string(ofHost ? "the host" : "a device") +
              (around ? ", but lies in " + getText(*around) : ""));
  }
  Allocation &allocation = position->second;
  if (!allocation.isLive)
    fault(CUDA_ERROR_INVALID_VALUE,
          getText(allocation) + " is freed a second time");
  if (ofHost)
    retire(allocation.data, allocation.bytes);
  else
    unmap(allocation.data, allocation.bytes);
  if (keepsExtents)
    allocation.reached = getReached(allocation);
  if (allocation.written)
    unmap(allocation.written, allocation.bytes);
  allocation.isLive = false;
  allocation.data = nullptr;
  allocation.written = nullptr;
  getSpace(allocation.device).used -= allocation.bytes;
  --getSpace(allocation.device).liveCount;
}

void Memory::release(uint64_t address) { release(address, false); }
void Memory::releaseHost(uint64_t address) { release(address, true); }

std::string Memory::findMistake(uint64_t address, uint64_t bytes) const {
  const Allocation *allocation = findBefore(address);
  if (!allocation)
    return getDevice(address) == kHost
               ? "is not in the memory of any device"
               : "lies before the first allocation of " +
                     getDeviceText(getDevice(address));
  uint64_t offset = address - allocation->address;
  if (allocation->device == kHost && offset >= allocation->bytes)
    return "is not in the memory of any device";
  if (offset >= allocation->bytes)
    return "begins " + getByteText(offset - allocation->bytes) +
           " past the end of " + getText(*allocation);
  if (!allocation->isLive)
    return "lies in " + getText(*allocation) + ", which was freed";
  if (bytes > allocation->bytes - offset)
    return "ends " + getByteText(bytes - (allocation->bytes - offset)) +
           " past the end of " + getText(*allocation);
  return "";
}

uint64_t Memory::getUsed(int device) const { return getSpace(device).used; }
uint64_t Memory::getPeak(int device) const { return getSpace(device).peak; }
std::vector<Memory::Extent> Memory::getExtents(int device) const {
  std::vector<Extent> extents;
  for (auto &[address, allocation] : allocations)
    if (allocation.device == device)
      extents.push_back({allocation.bytes, getReached(allocation)});
  return extents;
}

uint64_t Memory::getLiveCount(int device) const {
  return getSpace(device).liveCount;
}

std::vector<uint64_t> Memory::getLive(int device) const {
  std::vector<uint64_t> live;
  for (auto &[address, allocation] : allocations)
    if (allocation.isLive && allocation.device == device)
      live.push_back(address);
  return live;
}
