//===- Frequencies.h - how often a block runs -----------------------------===//
//
// Estimates for decisions that are made without a trace of a run. Loops with
// constant bounds are counted, `i % k == c` holds once in k, and everything
// else gets a default.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_FREQUENCIES_H
#define TDC_DIALECT_TD_ANALYSIS_FREQUENCIES_H

#include "mlir/IR/Block.h"
#include <optional>

namespace tdc::td {

/// The trip count of an scf.for with these bounds: 0 if the step is not
/// positive.
uint64_t countIterations(int64_t lower, int64_t upper, int64_t step);

/// The trip count of a loop over a range with constant bounds, if it is not
/// left early; nullopt for other loops.
std::optional<int64_t> getTripCount(mlir::Operation *loop);

/// The estimated runs of a region of `op` (a loop or an scf.if) per run of
/// `op`.
double getRunsOfRegion(mlir::Operation *op, unsigned region);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_FREQUENCIES_H
