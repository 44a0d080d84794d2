//===- BuiltinsDevices.cpp - questions about CUDA devices -----------------===//
//
// In types their answers are unknown, so that a program for a GPU is checked as
// one on a machine without.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static Val isAvailable(Checker &c, const Bound &) {
  return c.ofThisMachine(c.options.countCudaDevices() > 0);
}

static Val deviceCount(Checker &c, const Bound &) {
  return c.ofThisMachine(c.options.countCudaDevices(), "device_count");
}

/// The driver of the machine that it runs on would know.
static bool isSimulated(Checker &c, const Bound &args) {
  if (c.options.countCudaDevices() > 0)
    c.unsupported(args.range(), args.what() + " of a simulated device");
  return c.options.countCudaDevices() > 0;
}

static Val deviceName(Checker &c, const Bound &args) {
  if (isSimulated(c, args))
    return c.fail();
  return makeRunTime(ValKind::Str, c.emit().constantString("no device"));
}

static Val totalMemory(Checker &c, const Bound &args) {
  if (isSimulated(c, args))
    return c.fail();
  return c.runTimeInt(c.emit().constantInt(0), "total_memory");
}

static Val synchronize(Checker &, const Bound &) {
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
