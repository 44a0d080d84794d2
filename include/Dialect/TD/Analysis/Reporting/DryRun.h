//===- DryRun.h - what a program copies, run without its numbers ----------===//
//
// Follows loops and branches of a module and keeps for each tensor only which
// instance it is: one execution of the op that made it, with the device that
// this happened on. So it counts the copies that the module makes and, as the
// number of different pairs (instance, device) that ops read away from where
// the instance was made, those that no program with these ops on these devices
// can do without (K0 in docs/Placement.md). What it shares with the plan that
// transfers are placed by is what an op is: where it needs its operands
// (getNeed, Devices) and whether it is a constructor that may run anywhere
// (isConstructor, areTOpsFixed). Where values go and how often ops run it finds
// by itself.
//
// Host arithmetic on integers is computed. What only a real run knows (elements
// of tensors, arguments, files) is assumed, and marked as not known.
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
  /// Runs @main and then each export once. Of loops over a range only the last
  /// `mostIterations`.
  explicit DryRun(mlir::ModuleOp module, uint64_t mostIterations = UINT64_MAX);

  /// How often a loop was entered and the iterations it had in all; how often a
  /// branch was reached and its first region taken.
  struct Control {
    int64_t runs = 0, taken = 0;
    int64_t most = 0; ///< iterations of one entry
    /// Every run of the program does the same.
    bool isKnown = true;
  };

  /// Runs of a block.
  int64_t getRuns(mlir::Block *block) const;
  /// Whether they are the same in every run of the program.
  bool isKnown(mlir::Block *block) const;
  Control getControl(mlir::Operation *op) const { return control.lookup(op); }
  /// The copies that one transfer made.
  CopyCount getCopies(mlir::Operation *op) const { return copies.lookup(op); }
  /// Where the last of them came from.
  Place getSource(mlir::Operation *op) const { return sources.lookup(op); }
  /// Whether the bytes of all of them are known.
  bool hasKnownSize(mlir::Operation *op) const { return !unsized.contains(op); }

  /// All copies that @main made, and then the exports.
  CopyCount getMade() const { return made; }
  CopyCount getMadeByExports() const { return madeByExports; }
  /// Those that the ops' devices ask for.
  CopyCount getLeast() const { return least; }
  CopyCount getLeastOfExports() const { return leastOfExports; }
  /// Copies of zeros() and its kin, which any device could make itself.
  CopyCount getConstructed() const { return constructed; }
  /// Nothing had to be assumed.
  bool isExact() const { return exact && complete; }
  /// It came to its end: very long programs are left in the middle.
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
