//===- Runs.h - how often an op runs, and why -----------------------------===//
//
// The loops and branches around an op, outermost first: their product is how
// often it runs. Numbers are those of a dry run where every run has the same,
// else there are bounds or none.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_REPORTING_RUNS_H
#define TDC_DIALECT_TD_ANALYSIS_REPORTING_RUNS_H

#include "Dialect/TD/Analysis/Reporting/DryRun.h"

namespace tdc::td {

/// A loop or a branch around an op, with its part in how often that runs.
struct RunFactor {
  enum Kind : uint8_t {
    Loop,
    Branch,
    Guard, ///< the branch that asks whether the loop in it has an iteration
    Calls, ///< of an export
  } kind = Loop;
  mlir::Operation *op = nullptr;
  bool isElse = false;
  bool isOfNext = false; ///< a guard of the loop that is the next factor
  bool isKnown = false;
  /// Runs of the block inside per `outer` runs of the one outside, if known.
  int64_t inner = 0, outer = 0;
  /// Of a loop that can be left: the iterations that it has at most.
  std::optional<int64_t> most;
};

llvm::SmallVector<RunFactor> getRunFactors(mlir::Block *block,
                                           const DryRun &run);

/// Whether nothing but loops says how often it is: the product of what is known
/// and of the iterations of the other loops.
bool isProduct(llvm::ArrayRef<RunFactor> factors);

/// The most runs of a block in one run of the program (or one call of the
/// export that it is in); none if a loop around it has any number of
/// iterations.
std::optional<int64_t> getMostRuns(mlir::Block *block, const DryRun &run);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_RUNS_H
