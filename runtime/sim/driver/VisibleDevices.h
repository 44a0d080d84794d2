//===- VisibleDevices.h - CUDA_VISIBLE_DEVICES ----------------------------===//

#ifndef TDC_SIM_DRIVER_VISIBLEDEVICES_H
#define TDC_SIM_DRIVER_VISIBLEDEVICES_H

#include <string>
#include <vector>

namespace tdc::sim {

/// "GPU-7dc51000-...", as nvidia-smi would print it for a simulated device.
std::string getUuid(int device);

/// The devices, out of `devices`, that a value of CUDA_VISIBLE_DEVICES leaves
/// visible, in its order; all of them if it is null, none if it is empty.
///
/// Entries are ordinals (only leading digits count) or prefixes of UUIDs that
/// match one device. The first entry that is no device, such as -1, ends the
/// list (CUDA C++ Programming Guide, CUDA Environment Variables). A device that
/// is named twice leaves no device visible (as in NVIDIA's driver, and in
/// PyTorch after it). The first entry determines the kind of all others.
std::vector<int> getVisibleDevices(const char *value, int devices);

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_VISIBLEDEVICES_H
