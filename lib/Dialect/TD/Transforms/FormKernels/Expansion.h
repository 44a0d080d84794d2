//===- Expansion.h - what kernels want written out ------------------------===//

#ifndef TDC_DIALECT_TD_TRANSFORMS_FORMKERNELS_EXPANSION_H
#define TDC_DIALECT_TD_TRANSFORMS_FORMKERNELS_EXPANSION_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// Writes softmax, and random numbers and scatters of narrow dtypes, as the ops
/// that they consist of, and in front of slices what brings their start into
/// range.
void expandForKernels(mlir::Operation *root);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_TRANSFORMS_FORMKERNELS_EXPANSION_H
