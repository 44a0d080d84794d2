//===- Fault.h - what a simulated device found wrong ----------------------===//

#ifndef TDC_SIM_FAULT_H
#define TDC_SIM_FAULT_H

#include "cuda_driver.h"
#include <string>
#include <utility>

namespace tdc::sim {

/// Thrown inside the simulated driver; each entry point turns it into its
/// status and keeps the message for whoever asks what happened.
struct Fault {
  CUresult code;
  /// Lower case, without a full stop: what was done wrong, where.
  std::string message;
};

[[noreturn]] inline void fault(CUresult code, std::string message) {
  throw Fault{code, std::move(message)};
}

} // namespace tdc::sim

#endif // TDC_SIM_FAULT_H
