//===- CudaDevice.h - a GPU behind CUDA's driver --------------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDADEVICE_H
#define TDRT_DEVICE_CUDA_CUDADEVICE_H

#include "device/Device.h"
#include "device/cuda/DeviceMemory.h"
#include "device/cuda/Kernels.h"
#include "device/cuda/StagingRing.h"
#include <optional>
#include <unordered_map>

namespace tdrt {

/// One stream of a GPU, with all that a program has there.
class CudaDevice final : public Device {
public:
  /// Throws Failure TR306, or what CudaContext::check throws.
  CudaDevice(const Driver &driver, int ordinal,
             const tdrt_gpu_program &program);
  ~CudaDevice() override;

  /// Lets copies from `peer` go without the host where the machine can do that.
  void enableCopiesFrom(const CudaDevice &peer);

  Memory &getMemory() override { return memory; }
  void *allocateArena(int64_t bytes) override;
  tdrt_gpu_error *getErrors() override { return errors; }
  void fillWithZeros(void *to, int64_t bytes) override;
  int64_t upload(void *to, const void *from, int64_t bytes) override;
  int64_t download(void *to, const void *from, int64_t bytes) override;
  void copy(void *to, const void *from, int64_t bytes) override;
  void copyFromPeer(Device &peer, void *to, const void *from,
                    int64_t bytes) override;
  void launch(int32_t kernel, unsigned blocks, const uint64_t *parameters,
              const tdrt_site *site) override;
  void synchronize() override;
  void abandon() noexcept override;
  bool takeKernelError(tdrt_gpu_error &error) override;

private:
  friend class CudaGraph;

  Owned<CUstream> makeStream();
  Owned<CUevent> makeEvent();
  void makeErrors();
  void queueReport();
  StagingRing &getStaging();
  /// The host has waited for all that it was asked for.
  void noteFinished();
  /// Does nothing more before all is done that `other` was asked for.
  void waitFor(CudaDevice &other);
  /// Waits for a piece of a download and takes it out of the ring.
  void receive(void *to, const StagingRing::Piece &piece, CUevent arrival);
  /// Throws Failure TR399 if copies to this memory have not been waited for.
  void verifyArrived(const void *data, int64_t bytes) const;

  CudaContext context;
  /// While the device, with all below, is made or destroyed.
  std::optional<CudaContext::Use> life;
  const tdrt_gpu_program &program;
  Kernels kernels;
  DeviceMemory memory;
  Owned<CUstream> stream;
  /// Where this GPU is when another waits for it.
  Owned<CUevent> reached;
  /// Behind every other piece of a download.
  Owned<CUevent> arrivals[2];
  std::optional<StagingRing> staging;
  std::vector<void *> parameterAddresses;

  // Null if no kernel of the program reports.
  tdrt_gpu_error *errors = nullptr; ///< on the GPU
  /// Where that is read to, pinned.
  std::unique_ptr<tdrt_gpu_error, CUresult (*)(void *)> report;
  /// Was a kernel that reports launched since that was read last?
  bool mayReport = false;

  /// How many things it was asked for: now, and when the host last waited for
  /// all of them.
  int64_t asked = 0, waited = 0;
  /// How many others were asked for when this one last waited for them.
  std::unordered_map<const CudaDevice *, int64_t> waitedFor;
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDADEVICE_H
