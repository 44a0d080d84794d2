//===- Transfers.h - the copies between devices of a placed module --------===//
//
// For people: what is copied, from where to where, how often, how many bytes,
// who needs it there and why it cannot be copied less often. Never edits.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_REPORTING_TRANSFERS_H
#define TDC_DIALECT_TD_ANALYSIS_REPORTING_TRANSFERS_H

#include "Dialect/TD/Analysis/Reporting/Runs.h"

namespace tdc::td {

struct CopySite {
  enum Kind : uint8_t {
    Static,   ///< each time the program comes to it
    OnDemand, ///< the first time the value is asked for
  } kind = Static;
  /// All ops that make it: several if they share what they have copied.
  llvm::SmallVector<mlir::Operation *, 1> ops;
  /// What it copies, as it was before it was taken anywhere.
  llvm::SmallVector<mlir::Value, 1> contents;
  /// A parameter's name, else the op that made the value, in PyTorch's terms.
  std::string what;
  bool isState = false;       ///< it is a parameter, or other state of a model
  mlir::FileLineColLoc place; ///< of the value
  Place from, to;
  bool isImplied = false; ///< the program does not write it

  /// Who reads it there first, at best whenever it is copied; null if that is
  /// not seen.
  mlir::Operation *reader = nullptr;
  /// All that read it are prints, files and `.item()`.
  bool isForHost = false;

  mlir::RankedTensorType type;
  llvm::SmallVector<RunFactor> factors;
  bool isOfExport() const {
    return !factors.empty() && factors.front().kind == RunFactor::Calls;
  }
  /// In all, if there is a bound.
  std::optional<int64_t> copies, bytes;
  /// They are these, or else those of `factors`, in every run; otherwise that
  /// is the most.
  bool isExact = false;

  /// Why it stays in the innermost loop around it; null outside of loops.
  mlir::Operation *loop = nullptr;
  enum Blocked : uint8_t {
    Nothing,
    DefinedInLoop,     ///< `definedAt` makes a new value in each iteration
    ConditionalDemand, ///< not every iteration needs it
    MixedHome,         ///< the value comes from several devices
    NoRoom,    ///< its device cannot keep it from iteration to iteration
    AsWritten, ///< --placement=off
  } blocked = Nothing;
  /// As remarks and tools call it.
  const char *getBlockedName() const;
  mlir::FileLineColLoc definedAt;
};

/// All transfers, in the order in which the module has the first op of each.
/// `run`: of the same module.
std::vector<CopySite> collectTransfers(mlir::ModuleOp module,
                                       const DryRun &run);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_TRANSFERS_H
