//===- BuiltinsDevices.cpp - queries about CUDA devices -------------------===//
//
// In types the results count as unknown, so that a program for a GPU can be
// checked on a machine without one.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static Val isAvailable(Checker &c, const Bound &) {
  return c.devices.ofThisMachine(c.options.countCudaDevices() > 0);
}

static Val deviceCount(Checker &c, const Bound &) {
  return c.devices.ofThisMachine(c.options.countCudaDevices(), "device_count");
}

/// The number of the GPU that a query is about, as a run-time value; none after
/// an error.
static std::optional<Value> whichGPU(Checker &c, const Bound &args) {
  const Val *device = args.find("device");
  if (!device || device->is(ValKind::None))
    return c.emit().constantInt(c.devices.wordCuda().ordinal);
  if (device->is(ValKind::Int))
    return c.host.materialize(*device);
  // A device that depends on the machine is the GPU that it is here.
  if (device->is(ValKind::Device)) {
    Place place = c.devices.resolvePlace(device->as<DeviceInfo>().place);
    if (place.kind == Place::Kind::Cuda)
      return c.emit().constantInt(place.ordinal);
  }
  std::optional<Val> known = c.devices.cudaDevice(*device, args.range());
  if (!known)
    return std::nullopt;
  return c.emit().constantInt(known->as<DeviceInfo>().place.ordinal);
}

static Val deviceName(Checker &c, const Bound &args) {
  c.devices.noteQueried();
  if (c.options.countCudaDevices() == 0)
    return makeRunTime(ValKind::Str, c.emit().constantString("no device"));
  std::optional<Value> index = whichGPU(c, args);
  return index ? makeRunTime(ValKind::Str, c.emit().cudaDeviceName(*index))
               : c.fail();
}

static Val totalMemory(Checker &c, const Bound &args) {
  c.devices.noteQueried();
  if (c.options.countCudaDevices() == 0)
    return c.host.runTimeInt(c.emit().constantInt(0), "total_memory");
  std::optional<Value> index = whichGPU(c, args);
  return index ? c.host.runTimeInt(c.emit().cudaTotalMemory(*index),
                                   "total_memory")
               : c.fail();
}

static Val synchronize(Checker &c, const Bound &) {
  if (c.options.countCudaDevices() > 0)
    c.emit().cudaSynchronize();
  return makeVal(ValKind::None);
}

llvm::ArrayRef<Builtin> sema::getDeviceBuiltins() {
  static const Builtin table[] = {
      {"cuda.is_available", "", isAvailable},
      {"cuda.device_count", "", deviceCount},
      {"cuda.get_device_name", "device=", deviceName},
      {"cuda.total_memory", "device=", totalMemory},
      {"cuda.synchronize", "device=", synchronize},
  };
  return table;
}
