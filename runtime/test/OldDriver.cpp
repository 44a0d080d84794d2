//===- OldDriver.cpp - a CUDA driver that is too old ----------------------===//
//
// DriverTest opens it in place of a driver. It has only its version; no other
// entry point may be looked up.
//
//===----------------------------------------------------------------------===//

#include "cuda_driver.h"

extern "C" __attribute__((visibility("default"))) CUresult
cuDriverGetVersion(int *version) {
  *version = 11040;
  return CUDA_SUCCESS;
}
