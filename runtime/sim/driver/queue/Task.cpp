//===- Task.cpp - operations of a device ----------------------------------===//

#include "driver/queue/Task.h"

using namespace tdc::sim;

namespace {

struct Describer {
  std::string operator()(const Copy &copy) const {
    return "copy of " + getByteText(copy.bytes) + " from " +
           getDeviceText(copy.from) + " to " + getDeviceText(copy.to);
  }
  std::string operator()(const Fill &fill) const {
    return "memset of " + getByteText(fill.bytes) + " of " +
           getDeviceText(fill.device);
  }
  std::string operator()(const KernelCall &call) const {
    return "kernel '" + Module::getInfo(*call.kernel).name + "'";
  }
  std::string operator()(const Marker &marker) const { return marker.name; }
};

struct AccessFinder {
  std::vector<ByteAccess> operator()(const Copy &copy) const {
    std::vector<ByteAccess> accesses;
    if (!copy.staged)
      accesses.push_back({copy.source, copy.source + copy.bytes, false});
    accesses.push_back({copy.destination, copy.destination + copy.bytes, true});
    return accesses;
  }
  std::vector<ByteAccess> operator()(const Fill &fill) const {
    return {{fill.address, fill.address + fill.bytes, true}};
  }
  std::vector<ByteAccess> operator()(const KernelCall &) const { return {}; }
  std::vector<ByteAccess> operator()(const Marker &) const { return {}; }
};

} // namespace

std::string tdc::sim::getText(const Dim3 &size) {
  return std::to_string(size.x) + "x" + std::to_string(size.y) + "x" +
         std::to_string(size.z);
}

std::string tdc::sim::describe(const Task &task) {
  return std::visit(Describer(), task);
}

std::vector<ByteAccess> tdc::sim::getAccesses(const Task &task) {
  return std::visit(AccessFinder(), task);
}
