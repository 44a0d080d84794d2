//===- Memory.h - the memories of the simulated devices -------------------===//
//
// Every device has addresses of its own, which no other device and no part of
// the host has, and which are reserved but not mapped: who takes a device's
// pointer for a host's crashes at once. The bytes lie elsewhere. Addresses are
// never given out twice, not even those of pinned host memory, so that whoever
// uses freed memory is found, and allocations of devices have gaps between
// them, so that whoever overruns one is.
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

/// Bytes [begin, end) of a device or of the host, which share one space, that
/// something reads or writes.
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
  /// The n-th allocation of the process, from 1: messages call it by that.
  uint64_t serial;
  bool isLive = true;
  /// Where the bytes are; null once freed. Filled with a pattern at first.
  std::byte *data;
  /// Per byte whether it was ever written: 0, kFilled where only a fill has, 1
  /// if a copy or a kernel has; null for pinned memory, which the host writes
  /// unseen.
  uint8_t *written;
  static constexpr uint8_t kFilled = 3;
  /// Once freed: the bytes up to the last that a copy or a kernel has written.
  uint64_t reached = 0;
};

class Memory {
public:
  /// Reserves the addresses of `devices` devices with `capacity` bytes each.
  Memory(int devices, uint64_t capacity);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// The allocation, live or freed, in which an address lies, or null.
  const Allocation *find(uint64_t address) const;
  /// The allocation, live or freed, that begins last before or at an address,
  /// if it is of the same device or of the host too; else null.
  const Allocation *findBefore(uint64_t address) const;
  /// The device to whose reserved addresses this one belongs, or kHost.
  int getDevice(uint64_t address) const;

  /// A new allocation, 512-byte aligned; throws CUDA_ERROR_OUT_OF_MEMORY.
  /// `device` may be kHost: then it is real memory of the process.
  const Allocation &allocate(int device, uint64_t bytes);
  /// Throws CUDA_ERROR_INVALID_VALUE for what is not the address of a live
  /// allocation of a device.
  void release(uint64_t address);
  /// The same for pinned host memory.
  void releaseHost(uint64_t address);

  /// What is wrong with an access to these bytes of a device or of pinned
  /// memory, as "ends 16 bytes past the end of allocation 5 (400 bytes) of
  /// device 0"; empty if all of them lie in one live allocation.
  std::string findMistake(uint64_t address, uint64_t bytes) const;

  /// In bytes. The host has no capacity, but what is pinned is counted.
  uint64_t getUsed(int device) const;
  uint64_t getPeak(int device) const;
  uint64_t getCapacity() const { return capacity; }
  /// Size of each allocation of a device so far, and of it the bytes up to the
  /// last that a copy or a kernel has written.
  struct Extent {
    uint64_t bytes, reached;
  };
  std::vector<Extent> getExtents(int device) const;
  /// Extents of what is freed from now on are known too, which takes a look at
  /// every byte.
  void keepExtents() { keepsExtents = true; }
  /// How many allocations are live.
  uint64_t getLiveCount(int device) const;
  /// Addresses of the live allocations of a device, in ascending order.
  std::vector<uint64_t> getLive(int device) const;

private:
  bool keepsExtents = false;
  /// What one device, or the host, has.
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
  /// By first address: what is reserved for which device.
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
