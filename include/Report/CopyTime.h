//===- CopyTime.h - whether a copy runs beside kernels ----------*- C++ -*-===//

#ifndef TDC_REPORT_COPYTIME_H
#define TDC_REPORT_COPYTIME_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"

namespace tdc {

/// When a copy is made, as the schedule has it.
struct CopyTime {
  enum When : uint8_t {
    Ahead,       ///< in the previous iteration, beside its kernels
    Beside,      ///< beside kernels that do not need it
    Late,        ///< the same, and the host reads it in the iteration behind
    NotPipelined ///< what comes behind waits for it
  } when = NotPipelined;
  /// Why it is not made in another iteration: one of td::not_pipelined; ""
  /// where that is clear.
  llvm::StringRef why;
  mlir::FileLineColLoc by; ///< what is the reason; null if it is in no line
};

} // namespace tdc

#endif // TDC_REPORT_COPYTIME_H
