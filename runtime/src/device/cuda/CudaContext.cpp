//===- CudaContext.cpp - the process's use of one GPU ---------------------===//

#include "device/cuda/CudaContext.h"
#include "Failure.h"

using namespace tdrt;

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

/// Is this what a kernel leaves behind that went wrong? The driver repeats it
/// for as long as the process lives. From 714 on come its stack, its
/// instructions and its addresses, up to failures of no known kind.
static bool isOfKernel(CUresult result) {
  constexpr int kFirst = 714;
  return result == CUDA_ERROR_ILLEGAL_ADDRESS ||
         (result >= kFirst && result <= CUDA_ERROR_LAUNCH_FAILED);
}

void CudaContext::check(CUresult result, const char *what) const {
  if (result == CUDA_SUCCESS)
    return;
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    fail(308, "out of memory on " + name + ", in " + what);
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
