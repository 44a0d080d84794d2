//===- FaultLog.cpp - messages of faults, for people ----------------------===//

#include "driver/FaultLog.h"
#include <cinttypes>
#include <cstdio>

using namespace tdc::sim;

bool tdc::sim::isSticky(CUresult code) {
  return code == CUDA_ERROR_ECC_UNCORRECTABLE || isOfKernel(code);
}

void FaultLog::note(const Fault &fault) {
  if (!fault.message.empty())
    last = fault.message;
}

void FaultLog::report(int device, const Fault &fault, uint64_t seed) {
  last = fault.message + " (TDC_SIM_SEED=" + std::to_string(seed) + ")";
  fprintf(stderr, "tdc simulated GPU: device %d: %s\n", device, last.c_str());
}
