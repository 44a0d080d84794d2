//===- Settings.h - settings of the simulation from the environment -------===//
//
//   TDC_SIM_CUDA=N         devices, 1 to 63; absent or 0: none
//   TDC_SIM_ARCH=80|90     compute capability, 80 if absent
//   TDC_SIM_MEMORY=BYTES   of each device, 16 GiB if absent
//   TDC_SIM_SEED=N         of all random choices; absent: a new one each time
//   TDC_SIM_EXECUTE=0|1    0: kernels are not run, only counted
//   TDC_SIM_PEER=0|1       0: devices cannot touch each other's memory
//   TDC_SIM_FAULT=ENTRY@N=CODE[,...]  the N-th call of an entry point, from 1,
//                          does nothing and returns CODE. For CODE 214 and the
//                          errors of kernels (isOfKernel), all later calls in
//                          the context return it too
//   TDC_SIM_SKIP=ENTRY@N[,...]  the N-th call does nothing and returns success
//                          (0: none). An ENTRY that does not begin with "cu" is
//                          a prefix of opcodes: the N-th such instruction of
//                          all modules does nothing
//   TDC_SIM_STATS=FILE     counters, as JSON, written at the end
//   TDC_SIM_TRACE=FILE     a timeline for Perfetto, written at the end
//   TDC_SIM_MODULES=DIR    each module that programs load is written there,
//                          once, to a file named after its text
//   CUDA_VISIBLE_DEVICES   as NVIDIA's driver has it: VisibleDevices.h
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_DRIVER_SETTINGS_H
#define TDC_SIM_DRIVER_SETTINGS_H

#include "driver/base/Entry.h"
#include "ptx/Skips.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tdc::sim {

/// Makes one call of an entry point do nothing and return a code.
struct Injection {
  Entry entry;
  uint64_t call; ///< number of the call, from 1
  CUresult code; ///< what it returns
};

struct Settings {
  int devices = 0;
  int architecture = 80;
  uint64_t memory = uint64_t(16) << 30;
  uint64_t seed = 0;
  bool execute = true;
  bool peer = true;
  /// From TDC_SIM_FAULT, and the entry points of TDC_SIM_SKIP.
  std::vector<Injection> injections;
  Skips skips; ///< the opcodes of TDC_SIM_SKIP
  std::string statisticsFile, traceFile, modulesFolder; ///< empty: none
};

/// Reads the variables; throws Fault CUDA_ERROR_INVALID_VALUE with a message
/// that names the variable if one is malformed.
Settings readSettings();

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_SETTINGS_H
