//===- VisibleDevices.h - CUDA_VISIBLE_DEVICES ----------------------------===//

#ifndef TDC_SIM_DRIVER_VISIBLEDEVICES_H
#define TDC_SIM_DRIVER_VISIBLEDEVICES_H

#include <string>
#include <vector>

namespace tdc::sim {

/// "GPU-7dc51000-...", as nvidia-smi would print it for a simulated device.
std::string getUuid(int device);

/// Which of `devices` devices a value of CUDA_VISIBLE_DEVICES leaves visible,
/// in its order; all of them if it is null, none if it is empty.
///
/// Entries are ordinals, of which only leading digits count, or beginnings of
/// UUIDs that belong to one device. The first entry that is no device, such as
/// -1, ends the list (CUDA C++ Programming Guide, CUDA Environment Variables),
/// a device that is named twice leaves none (as NVIDIA's driver does it, and
/// after it PyTorch), and the first entry says of which kind the others are.
std::vector<int> getVisibleDevices(const char *value, int devices);

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_VISIBLEDEVICES_H
