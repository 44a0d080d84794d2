//===- BuiltinsDevices.cpp - questions about CUDA devices -----------------===//
//
// Their answers are known when the program starts: in types they are unknown,
// so that a program for a GPU is checked as one on a machine without. As long
// as there is no GPU back end they are those of such a machine.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static Val isAvailable(Checker &c, const Bound &) {
  return makeRunTime(ValKind::Bool, c.emit().constantBool(false));
}

static Val deviceCount(Checker &c, const Bound &) {
  return c.runTimeInt(c.emit().constantInt(0), "device_count");
}

static Val deviceName(Checker &c, const Bound &) {
  return makeRunTime(ValKind::Str, c.emit().constantString("no device"));
}

static Val totalMemory(Checker &c, const Bound &) {
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
