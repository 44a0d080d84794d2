//===- OldDriver.cpp - a CUDA driver that is too old ----------------------===//
//
// DriverTest opens it in place of a driver. It has nothing but its version,
// which is all that anyone should ask of it.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("default"))) int
cuDriverGetVersion(int *version) {
  *version = 11040;
  return 0;
}
