//===- Regions.h - what loops and branches pass on ------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_REGIONS_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_REGIONS_H

#include "mlir/IR/Operation.h"

namespace tdc::td {

/// Replaces a loop or an scf.if by one that passes on more values of these
/// types, behind the others, all of them poison for now: the inits of a loop
/// and what bodies yield. The bodies move over.
mlir::Operation *addPassedValues(mlir::Operation *op, mlir::TypeRange types);

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_PLACE_REGIONS_H
