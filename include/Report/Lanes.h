//===- Lanes.h - what runs beside what in two iterations of a loop
//-------------===//

#ifndef TDC_REPORT_LANES_H
#define TDC_REPORT_LANES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tdc {

/// Times are nanoseconds from the beginning of the first of the two iterations.
struct LaneWork {
  unsigned lane; ///< in Lanes::rows
  std::string what, file;
  unsigned line = 0;
  int64_t begin = 0, length = 0;
  int64_t bytes = 0; ///< of a copy
};

struct LaneKernel {
  std::string name;
  unsigned line = 0;
};

struct LaneRow {
  std::string device, name; ///< as in TDC_TRACE: "cuda:0", "h2d"
  int64_t busy = 0;         ///< of the two iterations
};

/// Two iterations, one behind the other, of the innermost loop with the most
/// work for GPUs, when the first iterations are over.
struct Lanes {
  bool isMeasured = false;
  std::string file; ///< of the loop
  unsigned line = 0;
  mlir::LocationAttr loop;
  /// Those that each iteration runs once and nobody else does, as in TDC_TRACE.
  std::vector<LaneKernel> kernels;
  int64_t length = 0; ///< of both iterations
  std::vector<LaneRow> rows;
  std::vector<LaneWork> work; ///< by lane, in the order of time

  /// Adds what of it lies within the two iterations.
  void add(llvm::StringRef device, llvm::StringRef lane, LaneWork one);
  /// Puts everything in order.
  void sort();
};

} // namespace tdc

#endif // TDC_REPORT_LANES_H
