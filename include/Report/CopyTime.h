//===- CopyTime.h - whether a copy is pipelined ---------------------------===//

#ifndef TDC_REPORT_COPYTIME_H
#define TDC_REPORT_COPYTIME_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"

namespace tdc {

/// When a copy runs, according to the schedule.
struct CopyTime {
  enum When : uint8_t {
    Ahead,       ///< during the kernels of the previous iteration
    Overlapped,  ///< during kernels that do not need it
    Late,        ///< the same, and the host reads it in the next iteration
    NotPipelined ///< the next op waits for it
  } when = NotPipelined;
  /// Why the copy does not overlap another iteration: one of td::not_pipelined;
  /// "" if the reason is clear.
  llvm::StringRef why;
  mlir::FileLineColLoc by; ///< the line of the reason; null if it has none
};

} // namespace tdc

#endif // TDC_REPORT_COPYTIME_H
