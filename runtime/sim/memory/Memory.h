//===- Memory.h - the memories of the simulated devices -------------------===//
//
// Every device has addresses of its own, which no other device and no part of
// the host has, and which are reserved but not mapped: who takes a device's
// pointer for a host's crashes at once. The bytes lie elsewhere. Addresses are
// never given out twice, so that whoever uses freed memory is found, and
// allocations have gaps between them, so that whoever overruns one is.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_MEMORY_MEMORY_H
#define TDC_SIM_MEMORY_MEMORY_H

#include "Fault.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tdc::sim {

/// The "device" of pinned host memory.
inline constexpr int kHost = -1;

struct Allocation {
  uint64_t address; ///< of the first byte, as programs see it
  uint64_t bytes;
  int device; ///< or kHost
  /// The n-th allocation of the process, from 1: messages call it by that.
  uint64_t serial;
  bool isLive = true;
  /// Where the bytes are; null once freed. Filled with a pattern at first.
  std::byte *data;
  /// Per byte whether it was ever written (0 or 1); null for pinned memory,
  /// which the host writes unseen.
  uint8_t *written;
};

class Memory {
public:
  /// Reserves the addresses of `devices` devices with `capacity` bytes each.
  Memory(int devices, uint64_t capacity);
  ~Memory();

  /// The allocation, live or freed, in which an address lies, or null.
  const Allocation *find(uint64_t address) const;

  /// A new allocation, 512-byte aligned; throws CUDA_ERROR_OUT_OF_MEMORY.
  const Allocation &allocate(int device, uint64_t bytes);
  /// Throws CUDA_ERROR_INVALID_VALUE for what is not the address of a live
  /// allocation of a device.
  void release(uint64_t address);

  uint64_t getUsed(int device) const;
  uint64_t getPeak(int device) const;
  uint64_t getCapacity() const;
};

} // namespace tdc::sim

#endif // TDC_SIM_MEMORY_MEMORY_H
