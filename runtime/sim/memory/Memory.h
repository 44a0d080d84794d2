//===- Memory.h - the memories of the simulated devices -------------------===//
//
// Every device has addresses of its own, which no other device and no part of
// the host has. They are reserved but not mapped: a program that dereferences a
// device pointer on the host crashes at once. The bytes lie elsewhere.
// Addresses are never reused, not even those of pinned host memory, so that a
// use of freed memory is found. Allocations of devices have gaps between them,
// so that an overrun is found.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_MEMORY_MEMORY_H
#define TDC_SIM_MEMORY_MEMORY_H

#include "Fault.h"
#include "memory/Pages.h"
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tdc::sim {

/// The "device" of pinned host memory.
inline constexpr int kHost = -1;

/// An access to the bytes [begin, end) of a device or of the host, which share
/// one address space.
struct ByteAccess {
  uint64_t begin, end;
  bool isWrite;

  bool overlaps(uint64_t otherBegin, uint64_t otherEnd) const {
    return begin < otherEnd && otherBegin < end;
  }
};

struct Allocation {
  uint64_t address; ///< of the first byte, as programs see it
  uint64_t bytes;
  int device; ///< or kHost
  /// The number of the allocation in the process, from 1, as messages show it.
  uint64_t serial;
  bool isLive = true;
  /// Where the bytes are; null once freed. Initially filled with a pattern.
  std::byte *data;
  /// Per byte: 0 if it was never written, kFilled if only a fill has written
  /// it, 1 if a copy or a kernel has. Null for pinned memory, where writes of
  /// the host are not seen.
  uint8_t *written;
  static constexpr uint8_t kFilled = 3;
  /// Once freed: the size of the part up to the last byte that a copy or a
  /// kernel has written.
  uint64_t reached = 0;
};

class Memory {
public:
  /// Reserves addresses for `devices` devices with `capacity` bytes each.
  Memory(int devices, uint64_t capacity);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// The allocation, live or freed, that contains an address; null if none.
  const Allocation *find(uint64_t address) const;
  /// The last allocation, live or freed, that begins before or at an address,
  /// if both are of the same device or both of the host; else null.
  const Allocation *findBefore(uint64_t address) const;
  /// The device that has reserved this address, or kHost.
  int getDevice(uint64_t address) const;

  /// Makes an allocation, 512-byte aligned; throws CUDA_ERROR_OUT_OF_MEMORY.
  /// With kHost as `device` it is real memory of the process.
  const Allocation &allocate(int device, uint64_t bytes);
  /// Frees an allocation of a device. Throws CUDA_ERROR_INVALID_VALUE if no
  /// live one begins at `address`.
  void release(uint64_t address);
  /// The same for pinned host memory.
  void releaseHost(uint64_t address);

  /// Describes an invalid access to bytes of a device or of pinned memory, as
  /// "ends 16 bytes past the end of allocation 5 (400 bytes) of device 0";
  /// empty if all of them lie in one live allocation.
  std::string findMistake(uint64_t address, uint64_t bytes) const;

  /// In bytes. The host has no capacity, but its pinned memory is counted.
  uint64_t getUsed(int device) const;
  uint64_t getPeak(int device) const;
  uint64_t getCapacity() const { return capacity; }
  /// Size of each allocation of a device so far, and of its part up to the last
  /// byte that a copy or a kernel has written.
  struct Extent {
    uint64_t bytes, reached;
  };
  std::vector<Extent> getExtents(int device) const;
  /// From now on keeps the extents of allocations that are freed, which
  /// requires a scan of all their bytes.
  void keepExtents() { keepsExtents = true; }
  /// How many allocations are live.
  uint64_t getLiveCount(int device) const;
  /// Addresses of the live allocations of a device, in ascending order.
  std::vector<uint64_t> getLive(int device) const;

private:
  bool keepsExtents = false;
  /// Addresses and counters of one device, or of the host.
  struct Space {
    uint64_t next = 0; ///< the next free address
    uint64_t end = 0;  ///< of the range in which it lies
    uint64_t used = 0, peak = 0, liveCount = 0;
  };

  Space &getSpace(int device) { return spaces[device + 1]; }
  const Space &getSpace(int device) const { return spaces[device + 1]; }
  uint64_t takeAddresses(int device, uint64_t bytes);
  void release(uint64_t address, bool ofHost);

  uint64_t capacity;
  uint64_t serial = 0;
  PatternPages pattern;
  std::vector<Space> spaces; ///< [0] is the host's
  /// Reserved ranges and their devices, by first address.
  struct Reserved {
    uint64_t end;
    int device;
  };
  std::map<uint64_t, Reserved> reserved;
  std::map<uint64_t, Allocation> allocations; ///< by address, freed ones too
};

/// "device 0", or "the host".
std::string getDeviceText(int device);
/// "1 byte", "16 bytes".
std::string getByteText(uint64_t bytes);

} // namespace tdc::sim

#endif // TDC_SIM_MEMORY_MEMORY_H
