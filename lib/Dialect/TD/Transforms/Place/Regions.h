//===- Regions.h - values that loops and branches pass on -----------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_REGIONS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_REGIONS_H

#include "mlir/IR/Operation.h"

namespace tdc::td {

/// Replaces a loop or an scf.if by one that passes on more values of these
/// types, after the present ones, and returns it. The new inits of a loop and
/// the new yielded values are poison until the caller sets them. The bodies
/// move to the new op.
mlir::Operation *addPassedValues(mlir::Operation *op, mlir::TypeRange types);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_REGIONS_H
