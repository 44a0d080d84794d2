//===- UserNames.h - names in the words of a program's author -------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_REPORTING_USERNAMES_H
#define TDC_DIALECT_TD_ANALYSIS_REPORTING_USERNAMES_H

#include "Dialect/TD/IR/TD.h"
#include <string>

namespace tdc::td {

/// The name of an op: "`@`", "`relu`", "`print`".
std::string getUserName(mlir::Operation *op);

/// The name of a tensor: its variable or parameter, else "the result of `@`".
std::string getValueName(mlir::Value value);

/// The location of a copy of a value or a slot: its line, with its name.
mlir::Location getCopyLocation(mlir::Value value);
mlir::Location getCopyLocation(SlotOp slot, mlir::Location line);

/// The slot that a copy is written to or that its content was read from; null
/// if there is none.
SlotOp getSlotOfCopy(mlir::Value copy, mlir::Value content);

/// The slot that an op names.
SlotOp findSlot(mlir::Operation *user, mlir::StringAttr slot);

/// The name of a slot: "net.fc1.weight", "optimizer.fc1.weight.exp_avg". A copy
/// or a replica of a slot has the name of the original.
std::string getSlotName(SlotOp slot);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_REPORTING_USERNAMES_H
