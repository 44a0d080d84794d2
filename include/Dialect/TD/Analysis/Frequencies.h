//===- Frequencies.h - how often a block runs -----------------------------===//
//
// Estimates for decisions that no trace is there for: bounds of loops where
// they are constants, `i % k == c` as one in k, and rules of thumb elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_FREQUENCIES_H
#define TDC_DIALECT_TD_ANALYSIS_FREQUENCIES_H

#include "mlir/IR/Block.h"
#include <optional>

namespace tdc::td {

/// The number of iterations of a loop over a range whose bounds are constants,
/// unless it is left.
std::optional<int64_t> getTripCount(mlir::Operation *loop);

/// Runs of a region of `op` (a loop or an scf.if) per run of `op`.
double getRunsOfRegion(mlir::Operation *op, unsigned region);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_FREQUENCIES_H
