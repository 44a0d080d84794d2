//===- Ledger.h - counts copies and the copies that are needed ------------===//
//
// An instance is one execution of an op that makes a tensor; a copy of the
// tensor is the same instance. The home of an instance is the device that made
// it. If an op on another device reads an instance, every program must copy it
// there at least once. The number of these pairs (instance, device) is K0: the
// least number of copies with which the ops of the run can read their operands.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_INTERPRETER_LEDGER_H
#define TDC_LIB_INTERPRETER_LEDGER_H

#include "Interpreter/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <set>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tdc {

class Ledger {
public:
  /// Counts a copy of `tensor` to `device`; `line` is its source line, 0 if it
  /// has none.
  void addCopy(const Tensor &tensor, const Place &device, int64_t line);
  /// Counts a read of `tensor` by an op on `device`.
  void addDemand(const Tensor &tensor, const Place &device);

  /// Counts an execution of a loop that ended after `iterations` iterations.
  void addLoop(mlir::Operation *loop, int64_t iterations) {
    control[loop].add(iterations);
  }
  void addBranch(mlir::Operation *branch, bool isTaken) {
    control[branch].add(isTaken);
  }

  /// Writes {"copies": [{"src", "dst", "logical", "bytes"}], "sites": [{"line",
  /// "src", "dst", "executed", "bytes"}], "loops": [{"line", "entries",
  /// "trips"}], "branches": [{"line", "runs", "taken"}], "peak": {"cuda:0":
  /// bytes}, "k0": {"copies", "bytes"}}. All loops and branches of the module
  /// are listed, in its order. `peaks` has the peak bytes of each device.
  void write(mlir::ModuleOp module, const std::map<std::string, int64_t> &peaks,
             llvm::raw_ostream &os) const;

private:
  struct Count {
    int64_t copies = 0, bytes = 0;
    void add(int64_t size) { ++copies, bytes += size; }
  };
  struct Runs {
    int64_t runs = 0, taken = 0;
    void add(int64_t times) { ++runs, taken += times; }
  };
  using Link = std::pair<std::string, std::string>; ///< source and destination

  std::map<Link, Count> links;
  std::map<std::pair<int64_t, Link>, Count> sites;
  std::set<std::pair<uint64_t, std::string>> demands;
  llvm::DenseMap<mlir::Operation *, Runs> control;
  Count least;
};

} // namespace tdc

#endif // TDC_LIB_INTERPRETER_LEDGER_H
