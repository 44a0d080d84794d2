//===- DeviceModel.cpp - properties of the simulated devices --------------===//

#include "driver/base/DeviceModel.h"

using namespace tdc::sim;

namespace {
/// NVIDIA A100 (SXM4 40 GB) and H100 (SXM5) data sheets and whitepapers.
constexpr DeviceModel kModels[] = {
    {80, "tdc simulated GPU (sm_80)", 108, 1410000, 1215000, 5120, 40 << 20,
     163 << 10, 1.555e6, 19.5e6},
    {90, "tdc simulated GPU (sm_90)", 132, 1980000, 2619000, 5120, 50 << 20,
     227 << 10, 3.35e6, 66.9e6},
};
} // namespace

const DeviceModel &tdc::sim::getDeviceModel(int architecture) {
  return kModels[architecture == 90];
}

std::optional<int> tdc::sim::getAttribute(const DeviceModel &model,
                                          CUdevice_attribute attribute) {
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    return kMaxThreads;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
    return kMaxGridX;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    return kSharedBytes;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
    return 32;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    return model.clockKHz;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return model.multiprocessors;
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return model.memoryClockKHz;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return model.memoryBusBits;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return model.cacheBytes;
  case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    return 1;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return model.architecture / 10;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return model.architecture % 10;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return model.sharedOptInBytes;
  }
  return std::nullopt;
}
