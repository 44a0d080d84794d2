//===- Lanes.h - timelines of two iterations of a loop --------------------===//

#ifndef TDC_REPORT_LANES_H
#define TDC_REPORT_LANES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tdc {

/// One operation in a lane. Times are nanoseconds from the beginning of the
/// first of the two iterations.
struct LaneWork {
  unsigned lane; ///< in Lanes::rows
  std::string what, file;
  unsigned line = 0;
  int64_t begin = 0, length = 0;
  int64_t bytes = 0; ///< of a copy; 0 for other operations
  /// Of an estimated kernel: its GPU's memory takes longer than its arithmetic.
  bool isMemoryBound = false;
};

struct LaneKernel {
  std::string name;
  unsigned line = 0;
};

struct LaneRow {
  std::string device, name; ///< as in TDC_TRACE: "cuda:0", "h2d"
  int64_t busy = 0;         ///< nanoseconds of the two iterations
};

/// How well several GPUs are used, as shares of 1.
struct PeerUse {
  double computing; ///< of the time of all GPUs: their kernels
  double hidden;    ///< of the copies between GPUs: the receiver computes
};

/// Two consecutive iterations of the innermost loop with the most GPU work,
/// after its first iterations.
struct Lanes {
  bool isMeasured = false;
  std::string file; ///< of the loop
  unsigned line = 0;
  mlir::LocationAttr loop;
  /// Kernels that each iteration launches once and that nothing else launches,
  /// named as in TDC_TRACE.
  std::vector<LaneKernel> kernels;
  int64_t length = 0; ///< of both iterations
  std::vector<LaneRow> rows;
  std::vector<LaneWork> work; ///< by lane, in the order of time

  /// Adds the part of `one` that is within the two iterations.
  void add(llvm::StringRef device, llvm::StringRef lane, LaneWork one);
  /// Sorts the rows and the work.
  void sort();
  /// Nullopt if there are no copies between GPUs. The work must be sorted.
  std::optional<PeerUse> getPeerUse() const;
};

} // namespace tdc

#endif // TDC_REPORT_LANES_H
