//===- Locations.h - places in the user's program -------------------------===//

#ifndef TDC_DIALECT_TD_IR_LOCATIONS_H
#define TDC_DIALECT_TD_IR_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

namespace tdc::td {

/// The innermost place in a file that is the user's: names such as
/// "<prelude>/nn.tdsl" are not. Null if there is none.
mlir::FileLineColLoc getUserPlace(mlir::Location location);

/// What the program calls the tensor that an op makes; empty if it has no name.
llvm::StringRef getVariableName(mlir::Location location);
/// The location without the name.
mlir::Location withoutName(mlir::Location location);

/// A location for an op whose results have these, each with its name.
mlir::Location fuseResults(llvm::ArrayRef<mlir::Location> results);
/// That of the value itself, if its op has such a location; else its op's.
mlir::Location getLocation(mlir::Value value);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_LOCATIONS_H
