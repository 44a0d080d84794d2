//===- FaultLog.cpp - what was found wrong, for people --------------------===//

#include "driver/FaultLog.h"
#include <cinttypes>
#include <cstdio>

using namespace tdc::sim;

bool tdc::sim::isSticky(CUresult code) {
  constexpr int kLaunchTimeout = 702;
  constexpr int kFirstOfKernels = 714,
                kLastOfKernels = CUDA_ERROR_LAUNCH_FAILED;
  constexpr int kAssert = 710;
  return code == CUDA_ERROR_ECC_UNCORRECTABLE ||
         code == CUDA_ERROR_ILLEGAL_ADDRESS || code == kLaunchTimeout ||
         code == kAssert || (code >= kFirstOfKernels && code <= kLastOfKernels);
}

void FaultLog::note(const Fault &fault) {
  if (!fault.message.empty())
    last = fault.message;
}

void FaultLog::report(int device, const Fault &fault, uint64_t seed) {
  last = fault.message + " (TDC_SIM_SEED=" + std::to_string(seed) + ")";
  fprintf(stderr, "tdc simulated GPU: device %d: %s\n", device, last.c_str());
}
