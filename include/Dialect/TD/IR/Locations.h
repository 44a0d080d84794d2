//===- Locations.h - locations in the user's program ----------------------===//

#ifndef TDC_DIALECT_TD_IR_LOCATIONS_H
#define TDC_DIALECT_TD_IR_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

namespace tdc::td {

/// The innermost location in a file of the user; files such as
/// "<prelude>/nn.tdsl" are not the user's. Null if there is none.
mlir::FileLineColLoc getUserLocation(mlir::Location location);

/// The name in the program of the tensor that an op makes; empty if it has
/// none.
llvm::StringRef getVariableName(mlir::Location location);
/// The location without the name.
mlir::Location withoutName(mlir::Location location);

/// The location of an op of a gradient: that of the forward op, marked and
/// without its name, which is that of another value.
mlir::Location getGradientLocation(mlir::Location forward);
bool isOfGradient(mlir::Location location);

/// The location with the words of an error that its op may report when the
/// program runs, which the runtime completes ({value}).
mlir::Location withWords(mlir::Location location, llvm::StringRef words);
/// The words of withWords(); null if there are none.
mlir::StringAttr getWords(mlir::Location location);
/// The part of a location that an error shows: the user's, with the words. Null
/// if it has none of the user's.
mlir::LocationAttr getSite(mlir::Location location);

/// The location of an op with these locations of its results, each with its
/// name.
mlir::Location fuseResults(llvm::ArrayRef<mlir::Location> results);
/// The own location of a value if its op has a location from fuseResults();
/// else the location of the op.
mlir::Location getLocation(mlir::Value value);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_IR_LOCATIONS_H
