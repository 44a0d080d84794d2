//===- HostNumbers.h - integers of the host, as far as they are known -----===//
//
// What a dry run computes with: integers and truth values, each known, or
// assumed where only a real run can tell.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_REPORTING_HOSTNUMBERS_H
#define TDC_DIALECT_TD_ANALYSIS_REPORTING_HOSTNUMBERS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace tdc::td {

struct HostNumber {
  int64_t value = 0;
  bool isKnown = false;
};

/// The result of an op of integer arithmetic; none if `result` is that of
/// another op.
std::optional<HostNumber>
computeNumber(mlir::Value result,
              llvm::function_ref<HostNumber(mlir::Value)> operand);

/// A value for what is not known, when it is asked for the `time`-th time: the
/// same whenever the same program is looked at. A range over it is
/// short, and a `while` on it ends by itself; one on what is computed from it
/// may not, and is ended by the dry run's limit of steps.
HostNumber assumeNumber(mlir::Value value, unsigned time);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_HOSTNUMBERS_H
