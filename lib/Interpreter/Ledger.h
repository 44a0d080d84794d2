//===- Ledger.h - which tensors were copied, and which had to be ----------===//
//
// An instance is one execution of an op that made a tensor; a copy is still the
// same instance. Its home is where it was made. Whatever a program does, an
// instance that an op reads on another device has to be copied there once: the
// number of such pairs (instance, device) is K0, the least number of copies
// with which the ops of the run can read what they read.
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
  /// A copy of `tensor` to `device`; `line` is that of the source, 0 if there
  /// is none.
  void addCopy(const Tensor &tensor, const Place &device, int64_t line);
  /// An op at `device` reads `tensor`.
  void addDemand(const Tensor &tensor, const Place &device);

  /// A loop that came to its end after this many iterations.
  void addLoop(mlir::Operation *loop, int64_t iterations) {
    control[loop].add(iterations);
  }
  void addBranch(mlir::Operation *branch, bool isTaken) {
    control[branch].add(isTaken);
  }

  /// {"copies": [{"src", "dst", "logical", "bytes"}], "sites": [{"line", "src",
  /// "dst", "executed", "bytes"}], "loops": [{"line", "entries", "trips"}],
  /// "branches": [{"line", "runs", "taken"}], "peak": {"cuda:0": bytes}, "k0":
  /// {"copies", "bytes"}}. Loops and branches are all of the module, in its
  /// order. `peaks`: the most bytes on a device at one time.
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
