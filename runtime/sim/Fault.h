//===- Fault.h - an error that the simulated driver or a device found -----===//

#ifndef TDC_SIM_FAULT_H
#define TDC_SIM_FAULT_H

#include "cuda_driver.h"
#include <string>
#include <utility>

namespace tdc::sim {

/// Thrown inside the simulated driver. Each entry point converts it to its
/// status and keeps the message for tdc_sim_last_fault.
struct Fault {
  CUresult code;
  /// Lower case, without a full stop: the mistake and where it is.
  std::string message;
};

[[noreturn]] inline void fault(CUresult code, std::string message) {
  throw Fault{code, std::move(message)};
}

} // namespace tdc::sim

#endif // TDC_SIM_FAULT_H
