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
  return options.verb == Verb::Run ? askDriver().count
                                   : options.simulatedDevices;
}

std::string tdc::whyNoDevices(const Options &options) {
  if (options.verb == Verb::Run)
    return askDriver().reason;
  return "`--sim-cuda=1` is for a machine with one";
}
