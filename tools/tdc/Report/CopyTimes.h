//===- CopyTimes.h - which copies run beside kernels ------------*- C++ -*-===//

#ifndef TDC_TOOLS_TDC_REPORT_COPYTIMES_H
#define TDC_TOOLS_TDC_REPORT_COPYTIMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringRef.h"
#include <map>

namespace mlir {
class ModuleOp;
class Operation;
} // namespace mlir

namespace tdc {

/// When a copy is made, as the schedule has it.
struct CopyTime {
  enum When : uint8_t {
    Ahead,  ///< in the turn before, beside its kernels
    Beside, ///< beside kernels that do not need it
    Late,   ///< the same, and the host reads it in the turn behind
    InLine  ///< what comes behind waits for it
  } when = InLine;
  /// Why it is not made in another turn: one of td::in_line; "" where that is
  /// clear.
  llvm::StringRef why;
  mlir::FileLineColLoc by; ///< what is the reason; null if it is in no line
};

/// Gives the copies of a placed module numbers, which they keep.
void numberCopies(mlir::ModuleOp placed);

/// The number of a copy.
int64_t getNumber(mlir::Operation *copy);

/// When the copies with numbers are made in a scheduled module. The names live
/// as long as its context.
std::map<int64_t, CopyTime> getCopyTimes(mlir::ModuleOp scheduled);

} // namespace tdc

#endif // TDC_TOOLS_TDC_REPORT_COPYTIMES_H
