//===- DeviceModel.h - properties of the simulated devices ----------------===//
//
// Numbers of two GPUs from NVIDIA's data sheets. They answer
// cuDeviceGetAttribute and feed the model of time, which shows what overlaps
// and roughly what dominates the time; it is no measurement. The connections
// between devices are in gpu_times.h.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_BASE_DEVICEMODEL_H
#define TDC_SIM_DRIVER_BASE_DEVICEMODEL_H

#include "cuda_driver.h"
#include "gpu_times.h"
#include "ptx/Limits.h"
#include <optional>

namespace tdc::sim {

struct DeviceModel {
  int architecture; ///< 80 for compute capability 8.0
  const char *name;
  int multiprocessors;
  int clockKHz, memoryClockKHz;
  int memoryBusBits;
  int cacheBytes;       ///< L2
  int sharedOptInBytes; ///< per block, CUDA C++ Programming Guide, Table
                        ///< "Technical Specifications per Compute Capability"
  double memoryBytesPerMicrosecond;
  double operationsPerMicrosecond; ///< f32; a fused multiply-add is two
};

/// The model of TDC_SIM_ARCH, which is 80 or 90.
const DeviceModel &getDeviceModel(int architecture);

/// Null for attributes that are not simulated.
std::optional<int> getAttribute(const DeviceModel &model,
                                CUdevice_attribute attribute);

inline constexpr unsigned kMaxBlockZ = 64;
inline constexpr unsigned kMaxGridX = 0x7fffffff;
inline constexpr unsigned kMaxGridYZ = 65535;

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_BASE_DEVICEMODEL_H
