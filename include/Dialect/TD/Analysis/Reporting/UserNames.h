//===- UserNames.h - what the author of a program calls things ------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_REPORTING_USERNAMES_H
#define TDC_DIALECT_TD_ANALYSIS_REPORTING_USERNAMES_H

#include "Dialect/TD/IR/TD.h"
#include <string>

namespace tdc::td {

/// An op: "`@`", "`relu`", "`print`".
std::string getUserName(mlir::Operation *op);

/// A tensor: its variable or parameter, else "the result of `@`".
std::string getValueName(mlir::Value value);

/// For a copy of a value or a slot: its line, with its name.
mlir::Location getCopyLocation(mlir::Value value);
mlir::Location getCopyLocation(SlotOp slot, mlir::Location line);

/// The slot that a copy goes to or that its content was read from; null if
/// there is none.
SlotOp getSlotOfCopy(mlir::Value copy, mlir::Value content);

/// The slot that an op names.
SlotOp findSlot(mlir::Operation *user, mlir::FlatSymbolRefAttr slot);

/// State: "net.fc1.weight", "optimizer.fc1.weight.exp_avg", also where it is a
/// copy of that.
std::string getSlotName(SlotOp slot);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_USERNAMES_H
