//===- Machine.cpp - the GPUs of this machine -----------------------------===//

#include "Compilation/Machine.h"
#include "tdc_runtime.h"

using namespace tdc;

namespace {
struct Devices {
  int64_t count = 0;
  std::string reason;
};
} // namespace

static const Devices &askDriver() {
  static const Devices devices = [] {
    char why[512] = "";
    Devices found;
    found.count = tdrt_cuda_device_count(why, sizeof(why));
    found.reason = why;
    return found;
  }();
  return devices;
}

/// Whether the program must see no GPU.
static bool isForCpu(const CompileOptions &options) {
  return options.device == "cpu" &&
         (options.purpose == Purpose::Run || options.purpose == Purpose::Build);
}

int64_t tdc::countDevices(const CompileOptions &options) {
  if (isForCpu(options))
    return 0;
  if (options.purpose == Purpose::Run)
    return std::max<int64_t>(0, askDriver().count);
  if (options.purpose != Purpose::Build)
    return options.simulatedDevices;
  std::optional<Place> device = getChosenDevice(options.device);
  return std::max<int64_t>(options.simulatedDevices,
                           device ? device->ordinal + 1 : 0);
}

std::string tdc::whyNoSimulation(const CompileOptions &options) {
  bool isNeeded = options.purpose == Purpose::Run && !isForCpu(options) &&
                  options.simulatedDevices > 0;
  return isNeeded && askDriver().count < 0 ? askDriver().reason : "";
}

std::string tdc::whyNoDevices(const CompileOptions &options, int64_t needed) {
  if (isForCpu(options))
    return "`--device cpu` is for a machine without one";
  if (options.purpose == Purpose::Run && askDriver().count <= 0)
    return askDriver().reason;
  std::string number = std::to_string(needed);
  return "`--sim-cuda=" + number + "` simulates a machine with " +
         (needed == 1 ? "one" : number);
}
