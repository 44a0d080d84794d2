//===- Machine.cpp - the GPUs of this machine -----------------------------===//

#include "Machine.h"
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

int64_t tdc::countDevices(const Options &options) {
  if (options.verb == Verb::Run)
    return askDriver().count;
  if (options.verb != Verb::Build)
    return options.simulatedDevices;
  if (options.device == "cpu")
    return 0;
  std::optional<Place> device = getChosenDevice(options.device);
  return std::max<int64_t>(options.simulatedDevices,
                           device ? device->ordinal + 1 : 0);
}

std::string tdc::whyNoDevices(const Options &options) {
  if (options.verb == Verb::Run)
    return askDriver().reason;
  if (options.verb == Verb::Build && options.device == "cpu")
    return "`--device cpu` is for a machine without one";
  return "`--sim-cuda=1` is for a machine with one";
}
