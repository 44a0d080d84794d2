//===- Handles.h - values with replicas on several devices ----------------===//

#ifndef TDRT_DEVICE_HANDLES_H
#define TDRT_DEVICE_HANDLES_H

#include "tdc_runtime.h"
#include <vector>

/// One value; who holds it is counted.
struct tdrt_handle {
  int64_t bytes;
  int64_t holders = 1;
  int64_t slots = 0; ///< how many of them are slots
  /// Where the value was made, or TDRT_ANY_DEVICE for zeros.
  int32_t home;
  std::vector<void *> replicas; ///< by device; null where there is none
  tdrt_handle *next;
  tdrt_handle **link; ///< what points to this one
};

namespace tdrt {

class Gpus;

/// The handles of a program. Their memory is that of its devices.
class Handles {
public:
  Handles(Gpus &gpus, int32_t devices) : gpus(gpus), devices(devices) {}
  /// Handles that are still held go, but not their memory.
  ~Handles();
  Handles(const Handles &) = delete;

  /// A handle that is held once, of a value that is nowhere yet. Throws
  /// std::bad_alloc.
  tdrt_handle *create(int32_t home, int64_t bytes);
  void release(tdrt_handle *handle);

  /// Memory for the value on a device that has no replica yet; throws what
  /// Memory::allocate throws.
  void *addReplica(tdrt_handle &handle, int32_t device);
  /// The replica on the device to which row `transfer` goes, made if need be.
  void *get(tdrt_handle &handle, int32_t transfer);
  /// Puts a handle whose one replica is on the device to which row `transfer`
  /// goes in the place of `slot`.
  void move(tdrt_handle *&slot, int32_t transfer);
  /// Writes a slot, which takes over that the caller holds the handle.
  void write(tdrt_handle *&slot, tdrt_handle *handle);
  /// Behind code that was left before it has released what it held.
  void keepSlots();

private:
  void dropReplica(tdrt_handle &handle, int32_t device);

  Gpus &gpus;
  int32_t devices; ///< with the cpu
  tdrt_handle *first = nullptr;
};

} // namespace tdrt

#endif // TDRT_DEVICE_HANDLES_H
