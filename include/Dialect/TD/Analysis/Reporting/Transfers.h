//===- Transfers.h - the copies between devices of a placed module --------===//
//
// For reports to users: the content of each copy, its devices, how often it
// runs, its bytes, the op that needs it there, and why it cannot be copied less
// often. Never edits the module.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_REPORTING_TRANSFERS_H
#define TDC_DIALECT_TD_ANALYSIS_REPORTING_TRANSFERS_H

#include "Dialect/TD/Analysis/Reporting/Runs.h"

namespace tdc::td {

struct CopySite {
  enum Kind : uint8_t {
    Static,   ///< each time the program reaches it
    OnDemand, ///< the first time the device needs the value
  } kind = Static;
  /// All ops that make the copy: several if they share one replica.
  llvm::SmallVector<mlir::Operation *, 1> ops;
  /// The copied values, as they were before any transfer.
  llvm::SmallVector<mlir::Value, 1> contents;
  /// The name of the parameter, else of the variable, else the op that made the
  /// value, in PyTorch's terms.
  std::string what;
  bool isState = false; ///< it is a parameter, or other state of a model
  mlir::FileLineColLoc location; ///< of the value
  Place from, to;
  bool isImplied = false;       ///< the program does not write it
  std::optional<CopyRole> role; ///< if it is one of DataParallel

  /// The op that reads the copy there: preferably one that no branch can skip,
  /// else the nearest; null if none is found.
  mlir::Operation *reader = nullptr;
  /// Whether prints, files and `.item()` are its only readers.
  bool isForHost = false;

  mlir::RankedTensorType type;
  llvm::SmallVector<RunFactor> factors;
  /// An on-demand copy of values from several td.handle ops that an unknown
  /// number of iterations makes: the products to add to that of `factors`.
  llvm::SmallVector<llvm::SmallVector<RunFactor>> otherFactors;
  bool isOfExport() const {
    return !factors.empty() && factors.front().kind == RunFactor::Calls;
  }
  /// The copies and bytes of one run of the program; nullopt if there is no
  /// bound.
  std::optional<int64_t> copies, bytes;
  /// Whether every run of the program makes exactly `copies` copies or, if
  /// these are unknown, the product of `factors`. Otherwise that is an upper
  /// bound.
  bool isExact = false;

  /// The innermost loop around the copy, null outside of loops, and the reason
  /// why the copy is not hoisted out of it.
  mlir::Operation *loop = nullptr;
  enum Blocked : uint8_t {
    Nothing,
    DefinedInLoop,     ///< `definedAt` makes a new value in each iteration
    ConditionalDemand, ///< not every iteration needs it
    MixedHome,         ///< the value comes from several devices
    NoRoom,    ///< its device cannot keep it from iteration to iteration
    AsWritten, ///< --placement=off
  } blocked = Nothing;
  /// The name of `blocked` in remarks and tools.
  const char *getBlockedName() const;
  mlir::FileLineColLoc definedAt;
};

/// All transfers, in the order of the first op of each in the module. `run` is
/// a dry run of the same module.
std::vector<CopySite> collectTransfers(mlir::ModuleOp module,
                                       const DryRun &run);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_TRANSFERS_H
