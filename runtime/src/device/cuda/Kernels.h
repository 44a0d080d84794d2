//===- Kernels.h - a program's kernels on one GPU -------------------------===//

#ifndef TDRT_DEVICE_CUDA_KERNELS_H
#define TDRT_DEVICE_CUDA_KERNELS_H

#include "device/cuda/CudaContext.h"
#include <vector>

namespace tdrt {

/// Chooses the code for a GPU, and loads it at the first use of a kernel,
/// because the driver may have to translate it. Machine code for this GPU is
/// preferred; PTX is used if there is none or the driver does not take it.
class Kernels {
public:
  /// Throws Failure TR306 if there are kernels and no code for the GPU.
  Kernels(const CudaContext &context, const tdrt_gpu_program &program);

  /// The function of kernel `index` of the program. The context must be
  /// current. Throws Failure TR307 or TR315, or what CudaContext::check throws.
  CUfunction get(int32_t index);

private:
  std::vector<const tdrt_gpu_image *> chooseImages() const;
  void load();
  CUfunction find(const tdrt_gpu_kernel &kernel) const;

  const CudaContext &context;
  const tdrt_gpu_program &program;
  std::vector<const tdrt_gpu_image *> images; ///< none without kernels
  Owned<CUmodule> module;
  std::vector<CUfunction> functions; ///< null until they are used
};

} // namespace tdrt

#endif // TDRT_DEVICE_CUDA_KERNELS_H
