//===- Locations.h - places in the user's program -------------------------===//

#ifndef TDC_DIALECT_TD_IR_LOCATIONS_H
#define TDC_DIALECT_TD_IR_LOCATIONS_H

#include "mlir/IR/Location.h"

namespace tdc::td {

/// The innermost place in a file that is the user's: names such as
/// "<prelude>/nn.tdsl" are not. Null if there is none.
mlir::FileLineColLoc getUserPlace(mlir::Location location);

/// What the program calls the tensor that an op makes; empty if it has no name.
llvm::StringRef getVariableName(mlir::Location location);
/// The location without the name.
mlir::Location withoutName(mlir::Location location);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_LOCATIONS_H
