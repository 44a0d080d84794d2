//===- DryRun.h - the copies of a program, counted without data -----------===//
//
// Executes the loops and branches of a module without tensor data: a tensor is
// an instance, that is, one execution of the op that made it, with the device
// of that execution. This counts the copies that the module makes. It also
// counts the copies that no program with these ops on these devices can avoid
// (K0 in docs/Placement.md): the number of different pairs (instance, device)
// that ops read away from the device that made the instance. The dry run shares
// with the placement plan only the trip count of a range (countIterations) and
// the properties of ops: the device on which an op needs its operands (getNeed,
// Devices), and whether it is a constructor that may run anywhere
// (isConstructor, areTOpsFixed). It computes by itself where values go and how
// often ops run.
//
// Integer arithmetic of the host is computed. Numbers that only a real run
// knows (elements of tensors, arguments, files) are assumed, and marked as not
// known.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_REPORTING_DRYRUN_H
#define TDC_DIALECT_TD_ANALYSIS_REPORTING_DRYRUN_H

#include "Dialect/TD/Analysis/Placement/ValueFlow.h"
#include "llvm/ADT/DenseSet.h"

namespace tdc::td {

/// A number of copies and of the bytes in them.
struct CopyCount {
  int64_t copies = 0, bytes = 0;
  void add(int64_t size) { ++copies, bytes += size; }
  CopyCount &operator+=(CopyCount other) {
    copies += other.copies, bytes += other.bytes;
    return *this;
  }
  bool operator==(const CopyCount &other) const {
    return copies == other.copies && bytes == other.bytes;
  }
};

class DryRun {
public:
  /// Runs @main and then each export once. Loops over a range run only their
  /// last `mostIterations` iterations.
  explicit DryRun(mlir::ModuleOp module, uint64_t mostIterations = UINT64_MAX);

  /// Of a loop: its entries (`runs`) and its iterations in all entries
  /// (`taken`). Of a branch: how often it was reached (`runs`) and how often
  /// its first region was taken (`taken`).
  struct Control {
    int64_t runs = 0, taken = 0;
    int64_t most = 0; ///< the most iterations of one entry
    /// Whether this is the same in every run of the program.
    bool isKnown = true;
  };

  /// The number of runs of a block.
  int64_t getRuns(mlir::Block *block) const;
  /// Whether the runs of a block are the same in every run of the program.
  bool isKnown(mlir::Block *block) const;
  Control getControl(mlir::Operation *op) const { return control.lookup(op); }
  /// The copies that one transfer made.
  CopyCount getCopies(mlir::Operation *op) const { return copies.lookup(op); }
  /// The device from which the last of these copies came.
  Place getSource(mlir::Operation *op) const { return sources.lookup(op); }
  /// Whether the bytes of all these copies are known.
  bool hasKnownSize(mlir::Operation *op) const { return !unsized.contains(op); }

  /// All copies that @main made, and all copies that the exports made.
  CopyCount getMade() const { return made; }
  CopyCount getMadeByExports() const { return madeByExports; }
  /// The copies that the devices of the ops require (K0).
  CopyCount getLeast() const { return least; }
  CopyCount getLeastOfExports() const { return leastOfExports; }
  /// Copies of results of constructors, such as zeros(), which any device could
  /// make itself.
  CopyCount getConstructed() const { return constructed; }
  /// Whether nothing had to be assumed.
  bool isExact() const { return exact && complete; }
  /// Whether the run reached the end of the program; very long programs are
  /// stopped before.
  bool isComplete() const { return complete; }

private:
  class Machine;

  llvm::DenseMap<mlir::Operation *, Control> control;
  llvm::DenseMap<mlir::Operation *, CopyCount> copies;
  llvm::DenseMap<mlir::Operation *, Place> sources;
  llvm::DenseSet<mlir::Operation *> unsized;
  CopyCount made, least, madeByExports, leastOfExports, constructed;
  bool exact = true, complete = true;
};

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_DRYRUN_H
