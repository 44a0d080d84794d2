//===- CudaContext.cpp - the process's use of one GPU ---------------------===//

#include "device/cuda/CudaContext.h"
#include "base/Failure.h"
#include <utility>

using namespace tdrt;

static constexpr const char *kChoosing = "being chosen";

/// The context of the thread's innermost Use; null if it is not known to be
/// current.
static thread_local CUcontext used = nullptr;

/// Why the end of a Use could not make the context of the enclosing one current
/// again; the next check() there fails with it.
static thread_local CUresult notRestored = CUDA_SUCCESS;

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
  if (CUresult before = std::exchange(notRestored, CUDA_SUCCESS);
      before != CUDA_SUCCESS) {
    result = before;
    what = kChoosing;
  }
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
  // Fails if the enclosing Use's context is not current any more.
  context.check(CUDA_SUCCESS, kChoosing);
  if (!before)
    context.check(driver.cuCtxGetCurrent(&before), kChoosing);
  if (before != context.handle) {
    context.check(driver.cuCtxSetCurrent(context.handle), kChoosing);
    isChange = true;
  }
  used = context.handle;
}

CudaContext::Use::Use(const CudaContext &context, std::nothrow_t)
    : driver(context.driver), outer(used),
      before(notRestored == CUDA_SUCCESS ? used : nullptr) {
  bool isKnown = before || driver.cuCtxGetCurrent(&before) == CUDA_SUCCESS;
  bool isChosen = isKnown && before == context.handle;
  if (!isChosen) {
    isChosen = driver.cuCtxSetCurrent(context.handle) == CUDA_SUCCESS;
    isChange = isChosen && isKnown;
  }
  used = isChosen ? context.handle : nullptr;
}

CudaContext::Use::~Use() {
  CUresult result = isChange ? driver.cuCtxSetCurrent(before) : CUDA_SUCCESS;
  used = outer;
  if (!outer)
    notRestored = CUDA_SUCCESS;
  else if (result != CUDA_SUCCESS)
    notRestored = result;
}
