//===- HostNumbers.h - integers of the host, as far as they are known -----===//
//
// The numbers of a dry run: integers and truth values, each known, or assumed
// if only a real run knows it.
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

/// The value of `result` if an op of integer arithmetic makes it; nullopt for
/// results of other ops.
std::optional<HostNumber>
computeNumber(mlir::Value result,
              llvm::function_ref<HostNumber(mlir::Value)> operand);

/// The assumed number for an unknown `value` when it is needed for the
/// `time`-th time. It is the same for the same program. A range over it is
/// short, and a `while` on it ends by itself. A `while` on a number computed
/// from it may not end; the limit of steps of the dry run ends it.
HostNumber assumeNumber(mlir::Value value, unsigned time);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_HOSTNUMBERS_H
