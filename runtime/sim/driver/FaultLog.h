//===- FaultLog.h - messages of faults, for people ------------------------===//

#ifndef TDC_SIM_DRIVER_FAULTLOG_H
#define TDC_SIM_DRIVER_FAULTLOG_H

#include "Fault.h"
#include <cstdint>

namespace tdc::sim {

/// Whether an error stays with its context, so that each later call returns it:
/// errors of kernels, and uncorrectable ECC errors.
bool isSticky(CUresult code);

class FaultLog {
public:
  /// Keeps the message of a call that failed, if it has one.
  void note(const Fault &fault);
  /// Keeps the message and writes it to standard error, with the seed that
  /// reproduces it.
  void report(int device, const Fault &fault, uint64_t seed);

  /// The message of the last fault; empty if there was none.
  const std::string &getLast() const { return last; }

private:
  std::string last;
};

} // namespace tdc::sim

#endif // TDC_SIM_DRIVER_FAULTLOG_H
