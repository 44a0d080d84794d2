//===- DeviceMemory.h - the memory of a GPU -------------------------------===//

#ifndef TDRT_DEVICE_CUDA_DEVICEMEMORY_H
#define TDRT_DEVICE_CUDA_DEVICEMEMORY_H

#include "base/Memory.h"
#include "device/cuda/CudaQueue.h"
#include <unordered_map>
#include <vector>

namespace tdrt {

/// Blocks of a GPU. One stream uses them, so a block that is freed can be given
/// out again at once: its next use comes later in that stream.
class DeviceMemory final : public Memory {
public:
  /// `work`: the stream that uses the blocks.
  DeviceMemory(CudaContext &context, CudaQueue &work)
      : context(context), work(work) {}
  ~DeviceMemory() override;

  /// Allocates memory for the whole run, not initialised, with 64 bytes past
  /// `bytes`. It is freed with this object. Throws Failure TR308.
  void *allocateArena(int64_t bytes);
  /// The same for the runtime itself; it does not count as memory in use by the
  /// program.
  void *allocateOwn(int64_t bytes);
  /// Whether `data` is a block, which may be freed at any time, and not in an
  /// arena.
  bool isBlock(const void *data) const {
    return blocks.count(reinterpret_cast<CUdeviceptr>(data)) != 0;
  }

private:
  Block *obtain(int64_t capacity) override;
  void discard(Block *block) noexcept override;
  void *getData(Block *block) override;
  Block *find(void *data) override;
  [[noreturn]] void refuse(int64_t bytes) override;
  /// ", and 1.0 GB of 2.0 GB are free", or "" if that is not known.
  std::string freeText() const;

  struct DeviceBlock : Block {
    CUdeviceptr address;
  };

  CudaContext &context;
  CudaQueue &work;
  std::unordered_map<CUdeviceptr, DeviceBlock> blocks; ///< by address
  std::vector<CUdeviceptr> arenas;
  int64_t arenaBytes = 0;
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_DEVICEMEMORY_H
