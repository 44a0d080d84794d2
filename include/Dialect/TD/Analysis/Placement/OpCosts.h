//===- OpCosts.h - what an op costs on a device ---------------------------===//
//
// For choices between computing here and copying there, both in one unit: the
// time that a byte takes between host and GPU. The ratios are those of common
// machines (PCIe 4 x16 as in gpu_times.h; a CPU with 500 GFLOP/s, a GPU with 20
// TFLOP/s in f32); a choice between two that are close can be wrong on a given
// machine, one between sizes that matter is not.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_PLACEMENT_OPCOSTS_H
#define TDC_DIALECT_TD_ANALYSIS_PLACEMENT_OPCOSTS_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// One run of a compute op, in copied bytes. Launches and traffic with a
/// device's own memory are not counted: most ops become part of a kernel that
/// runs anyway.
double getOpCost(mlir::Operation *op, Place::Kind device);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_OPCOSTS_H
