//===- CudaContext.h - the process's use of one GPU -----------------------===//

#ifndef TDRT_DEVICE_CUDA_CUDACONTEXT_H
#define TDRT_DEVICE_CUDA_CUDACONTEXT_H

#include "device/cuda/Driver.h"
#include "tdc_runtime.h"
#include <new>

namespace tdrt {

/// Holds the primary context of a GPU, which all libraries of a process share,
/// and reports its errors.
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

  /// Makes this context the thread's current one while it lives; then the
  /// previous one, which may be another library's, is current again. Inside
  /// another Use of the thread, it calls the driver only if the two contexts
  /// differ.
  class Use {
  public:
    /// Throws what check() throws.
    explicit Use(const CudaContext &context);
    /// For destructors: ignores failures. The previous context is not restored
    /// if the driver does not tell it.
    Use(const CudaContext &context, std::nothrow_t);
    ~Use();
    Use(const Use &) = delete;

  private:
    const Driver &driver;
    CUcontext outer;            ///< the enclosing Use's; null if unknown
    CUcontext before = nullptr; ///< the one that was current
    bool isChange = false;
  };

  /// Throws a Failure unless `result` is success: TR308, TR309, TR310, TR314,
  /// or TR311. `what` says what was being done: "launching a kernel". Fails as
  /// well if an inner Use could not make this context current again.
  void check(CUresult result, const char *what) const;

  /// Sets the kernel that the message of a later kernel failure names. `site`
  /// may be null.
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
