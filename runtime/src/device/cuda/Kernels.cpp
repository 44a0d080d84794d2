//===- Kernels.cpp - a program's kernels on one GPU -----------------------===//

#include "device/cuda/Kernels.h"
#include "base/Failure.h"

using namespace tdrt;

namespace {

/// Bytes of shared memory that a kernel may use without setting an attribute.
constexpr int32_t kPlainSharedBytes = 48 << 10;

std::string imageText(const tdrt_gpu_image &image) {
  return (image.kind == TDRT_IMAGE_PTX ? "sm_" : "only sm_") +
         std::to_string(image.arch);
}

/// `log` without the newlines and spaces at its end.
std::string trimmed(std::string log) {
  while (!log.empty() && (log.back() == '\n' || log.back() == ' '))
    log.pop_back();
  return log;
}

/// Whether the driver cannot use the code that it was given.
bool isRefusal(CUresult result) {
  return result == CUDA_ERROR_INVALID_IMAGE ||
         result == CUDA_ERROR_NO_BINARY_FOR_GPU ||
         result == CUDA_ERROR_INVALID_PTX ||
         result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
}

/// Whether the driver lacks its PTX compiler, or may not use it.
bool cannotTranslate(CUresult result) {
  return result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND ||
         result == CUDA_ERROR_JIT_COMPILATION_DISABLED;
}

} // namespace

Kernels::Kernels(const CudaContext &context, const tdrt_gpu_program &program)
    : context(context), program(program), images(chooseImages()),
      module(nullptr, context.driver.cuModuleUnload),
      functions(program.num_kernels) {}

std::vector<const tdrt_gpu_image *> Kernels::chooseImages() const {
  if (program.num_kernels == 0)
    return {};
  int arch =
      10 * context.getAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
      context.getAttribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const tdrt_gpu_image *cubin = nullptr, *ptx = nullptr;
  std::string known;
  for (int32_t i = 0; i < program.num_images; ++i) {
    const tdrt_gpu_image &one = program.images[i];
    bool isCubin = one.kind == TDRT_IMAGE_CUBIN;
    known += (i ? ", " : "") + imageText(one);
    if (isCubin && one.arch == arch)
      cubin = &one;
    if (!isCubin && one.arch <= arch && (!ptx || one.arch > ptx->arch))
      ptx = &one;
  }
  std::vector<const tdrt_gpu_image *> chosen;
  for (const tdrt_gpu_image *one : {cubin, ptx})
    if (one)
      chosen.push_back(one);
  if (chosen.empty())
    fail(306, "the program has no code for " + context.getName() +
                  ", which is "
                  "sm_" +
                  std::to_string(arch) + ": it has code for " +
                  (known.empty() ? "no GPU" : known));
  return chosen;
}

void Kernels::load() {
  char log[8192] = "";
  CUmodule loaded = nullptr;
  CUresult result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  for (const tdrt_gpu_image *image : images) {
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
    result = context.driver.cuModuleLoadDataEx(&loaded, image->data, 2, options,
                                               values);
    if (!isRefusal(result))
      break;
  }
  std::string reason = trimmed(log);
  if (!reason.empty())
    reason = "\n" + reason;
  if (isRefusal(result))
    fail(307, "the driver refuses the program's code for " + context.getName() +
                  ": " + context.driver.describe(result) + reason);
  if (cannotTranslate(result))
    fail(315, "the driver cannot translate the program's code for " +
                  context.getName() + ": " + context.driver.describe(result) +
                  reason);
  context.check(result, "loading the program's kernels");
  module.reset(loaded);
}

CUfunction Kernels::find(const tdrt_gpu_kernel &kernel) const {
  CUfunction function = nullptr;
  context.check(
      context.driver.cuModuleGetFunction(&function, module.get(), kernel.name),
      "finding a kernel");
  if (kernel.shared_bytes > kPlainSharedBytes)
    context.check(context.driver.cuFuncSetAttribute(
                      function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                      kernel.shared_bytes),
                  "giving a kernel more shared memory");
  return function;
}

CUfunction Kernels::get(int32_t index) {
  if (!module)
    load();
  CUfunction &function = functions[index];
  if (!function)
    function = find(program.kernels[index]);
  return function;
}
