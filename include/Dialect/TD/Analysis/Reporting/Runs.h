//===- Runs.h - how often an op runs, and why -----------------------------===//
//
// The loops and branches around an op, outermost first. The product of their
// factors is the number of runs of the op. The numbers come from a dry run if
// they are the same in every run of the program; otherwise there are bounds or
// none.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_REPORTING_RUNS_H
#define TDC_DIALECT_TD_ANALYSIS_REPORTING_RUNS_H

#include "Dialect/TD/Analysis/Reporting/DryRun.h"

namespace tdc::td {

/// A loop or a branch around an op, with its factor in the number of runs.
struct RunFactor {
  enum Kind : uint8_t {
    Loop,
    Branch,
    Guard, ///< the branch that tests whether the loop in it has an iteration
    Calls, ///< of an export
  } kind = Loop;
  mlir::Operation *op = nullptr;
  bool isElse = false;
  bool isOfNext = false; ///< a guard of the loop that is the next factor
  bool isKnown = false;
  /// The block inside runs `inner` times per `outer` runs of the block outside,
  /// if that is known.
  int64_t inner = 0, outer = 0;
  /// Of a loop: an upper bound of its iterations (the trip count if it is not
  /// left early), if that is known.
  std::optional<int64_t> most;
};

llvm::SmallVector<RunFactor> getRunFactors(mlir::Block *block,
                                           const DryRun &run);

/// Whether the number of runs is a product: of the known factors, and of the
/// iterations of loops without a bound (or the calls of an export). False if an
/// unknown branch, or leaving a bounded loop early, decides it.
bool isProduct(llvm::ArrayRef<RunFactor> factors);

/// An upper bound of the runs of a block in one run of the program (or one call
/// of the export that it is in); nullopt if a loop around it has no bound.
std::optional<int64_t> getMostRuns(mlir::Block *block, const DryRun &run);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_RUNS_H
