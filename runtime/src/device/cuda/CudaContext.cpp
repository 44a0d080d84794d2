//===- CudaContext.cpp - the process's use of one GPU ---------------------===//

#include "device/cuda/CudaContext.h"
#include "base/Failure.h"

using namespace tdrt;

/// The context of the thread's innermost Use; null if it is not known to be
/// current.
static thread_local CUcontext used = nullptr;

CudaContext::CudaContext(const Driver &driver, int ordinal)
    : driver(driver), name("cuda:" + std::to_string(ordinal)) {
  check(driver.cuDeviceGet(&device, ordinal), "being found");
  check(driver.cuDevicePrimaryCtxRetain(&handle, device), "being opened");
}

int CudaContext::getAttribute(CUdevice_attribute attribute) const {
  int value = 0;
  check(driver.cuDeviceGetAttribute(&value, attribute, device),
        "being asked for an attribute");
  return value;
}

void CudaContext::check(CUresult result, const char *what) const {
  if (result == CUDA_SUCCESS)
    return;
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    fail(308, "out of memory on " + name + ", in " + what);
  if (result == CUDA_ERROR_DEVICE_UNAVAILABLE)
    fail(314, name + " is not available: " + driver.describe(result));
  if (result == CUDA_ERROR_ECC_UNCORRECTABLE)
    fail(310, name + " was lost: " + driver.describe(result));
  if (isOfKernel(result)) {
    if (!lastKernel)
      fail(310, name + " was lost: a kernel of this process failed before: " +
                    driver.describe(result));
    fail(309, "kernel " + inQuotes(lastKernel) +
                  (lastSite ? ", launched in " + std::string(lastSite->file) +
                                  ":" + std::to_string(lastSite->line) + ","
                            : "") +
                  " or one before it failed on " + name + ": " +
                  driver.describe(result));
  }
  fail(311, name + " failed at " + what + ": " + driver.describe(result));
}

CudaContext::Use::Use(const CudaContext &context)
    : driver(context.driver), outer(used), before(used) {
  if (!before)
    context.check(driver.cuCtxGetCurrent(&before), "being chosen");
  if (before != context.handle) {
    context.check(driver.cuCtxSetCurrent(context.handle), "being chosen");
    isChange = true;
  }
  used = context.handle;
}

CudaContext::Use::Use(const CudaContext &context, std::nothrow_t)
    : driver(context.driver), outer(used), before(used) {
  bool isKnown = before || driver.cuCtxGetCurrent(&before) == CUDA_SUCCESS;
  bool isChosen = isKnown && before == context.handle;
  if (!isChosen) {
    isChosen = driver.cuCtxSetCurrent(context.handle) == CUDA_SUCCESS;
    isChange = isChosen && isKnown;
  }
  used = isChosen ? context.handle : nullptr;
}

CudaContext::Use::~Use() {
  bool isBack = !isChange || driver.cuCtxSetCurrent(before) == CUDA_SUCCESS;
  used = isBack ? outer : nullptr;
}
