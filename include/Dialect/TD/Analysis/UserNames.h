//===- UserNames.h - what the author of a program calls things ------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_USERNAMES_H
#define TDC_DIALECT_TD_ANALYSIS_USERNAMES_H

#include "Dialect/TD/IR/TD.h"
#include <string>

namespace tdc::td {

/// An op: "`@`", "`relu`", "`print`".
std::string getUserName(mlir::Operation *op);

/// A tensor: its variable or parameter, else "the result of `@`".
std::string getValueName(mlir::Value value);

/// For a copy of a value or a slot: its line, with its name.
mlir::Location getCopyLocation(mlir::Value value);
mlir::Location getCopyLocation(mlir::StringAttr slot, mlir::Location line);

/// The slot that a copy goes to or that its content was read from; null if
/// there is none.
mlir::StringAttr getSlotOfCopy(mlir::Value copy, mlir::Value content);

/// State: "net.fc1.weight", also where it is a copy of that.
std::string getSlotName(mlir::StringAttr slot);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_USERNAMES_H
