//===- Handles.h - values with replicas on several devices ----------------===//

#ifndef TDRT_DEVICE_HANDLES_H
#define TDRT_DEVICE_HANDLES_H

#include "tdc_runtime.h"
#include <vector>

/// One value; its holders are counted.
struct tdrt_handle {
  int64_t bytes;
  int64_t holders = 1;
  int64_t slots = 0; ///< the holders that are slots
  /// Where the value was made, or TDRT_ANY_DEVICE for zeros.
  int32_t home;
  std::vector<void *> replicas; ///< by device; null where there is none
  tdrt_handle *next;
  tdrt_handle **link; ///< the list's pointer to this handle
};

namespace tdrt {

class Gpus;

/// The handles of a program. Their memory is that of its devices.
class Handles {
public:
  Handles(Gpus &gpus, int32_t devices) : gpus(gpus), devices(devices) {}
  /// Deletes the handles that are still held, but does not release their
  /// memory.
  ~Handles();
  Handles(const Handles &) = delete;

  /// Makes a handle with one holder for a value that has no replica yet. Throws
  /// std::bad_alloc.
  tdrt_handle *create(int32_t home, int64_t bytes);
  void release(tdrt_handle *handle);

  /// Allocates memory for the value on a device that has no replica yet; throws
  /// what Memory::allocate throws.
  void *addReplica(tdrt_handle &handle, int32_t device);
  /// The replica on the target device of row `transfer`; copied there if there
  /// is none.
  void *get(tdrt_handle &handle, int32_t transfer);
  /// Replaces the handle in `slot` by one that has its only replica on the
  /// target device of row `transfer`, unless the value is there or was never
  /// written.
  void move(tdrt_handle *&slot, int32_t transfer);
  /// Writes a slot, which takes over the caller's hold on the handle.
  void write(tdrt_handle *&slot, tdrt_handle *handle);
  /// Releases all holds but those of slots: for code that an error ended before
  /// it released its handles.
  void keepSlots();

private:
  void dropReplica(tdrt_handle &handle, int32_t device);

  Gpus &gpus;
  int32_t devices; ///< with the cpu
  tdrt_handle *first = nullptr;
};

} // namespace tdrt

#endif // TDRT_DEVICE_HANDLES_H
