//===- CudaContext.h - the process's use of one GPU -----------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDACONTEXT_H
#define TDRT_DEVICE_CUDA_CUDACONTEXT_H

#include "device/cuda/Driver.h"
#include "tdc_runtime.h"
#include <new>

namespace tdrt {

/// Holds the primary context of a GPU, which all libraries of a process share,
/// and tells its errors.
class CudaContext {
public:
  /// Throws Failure TR308, TR310, TR311 or TR314.
  CudaContext(const Driver &driver, int ordinal);
  ~CudaContext() { driver.cuDevicePrimaryCtxRelease_v2(device); }
  CudaContext(const CudaContext &) = delete;

  const Driver &driver;

  CUdevice getDevice() const { return device; }
  CUcontext getHandle() const { return handle; }
  /// "cuda:0".
  const std::string &getName() const { return name; }
  int getAttribute(CUdevice_attribute attribute) const;

  /// While it lives, what the thread asks the driver for is asked of this
  /// context; then again of the one that was current, which may be that of
  /// another library. Within the life of another one of the thread the driver
  /// is asked for nothing, or only for a change between the two.
  class Use {
  public:
    /// Throws what check() throws.
    explicit Use(const CudaContext &context);
    /// For destructors: failures are of no interest any more, but that the one
    /// that was current may not be known.
    Use(const CudaContext &context, std::nothrow_t);
    ~Use();
    Use(const Use &) = delete;

  private:
    const Driver &driver;
    CUcontext outer;            ///< that the Use around it has; null if unknown
    CUcontext before = nullptr; ///< that was current
    bool isChange = false;
  };

  /// Throws a Failure unless `result` is success: TR308, TR309, TR310, TR314,
  /// or TR311 for what was being done, "launching a kernel".
  void check(CUresult result, const char *what) const;

  /// The kernel that is named if one turns out to have failed. `site` may be
  /// null.
  void noteLaunch(const char *kernel, const tdrt_site *site) {
    lastKernel = kernel;
    lastSite = site;
  }

private:
  CUdevice device = 0;
  CUcontext handle = nullptr;
  std::string name;
  const char *lastKernel = nullptr;
  const tdrt_site *lastSite = nullptr;
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_CUDACONTEXT_H
