//===- OldDriver.cpp - a CUDA driver that is too old ----------------------===//
//
// DriverTest opens it in place of a driver. It has nothing but its version,
// which is all that anyone should ask of it.
//
//===----------------------------------------------------------------------===//

#include "cuda_driver.h"

extern "C" __attribute__((visibility("default"))) CUresult
cuDriverGetVersion(int *version) {
  *version = 11040;
  return CUDA_SUCCESS;
}
