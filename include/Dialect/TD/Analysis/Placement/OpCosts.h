//===- OpCosts.h - the cost of an op on a device --------------------------===//
//
// For choices between computing on one device and copying to another. Both
// costs have the same unit: the time to copy one byte between host and GPU. The
// ratios are those of common machines (PCIe 4 x16 as in gpu_times.h; a CPU with
// 500 GFLOP/s, a GPU with 20 TFLOP/s in f32). The ratios are estimates: they
// decide reliably only between clearly different costs.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_ANALYSIS_PLACEMENT_OPCOSTS_H
#define TDC_DIALECT_TD_ANALYSIS_PLACEMENT_OPCOSTS_H

#include "Dialect/TD/IR/TD.h"

namespace tdc::td {

/// The arithmetic of one run of a compute op: one operation for each element of
/// the result; for a reduction, one for each element that is read; for a
/// product, one for each multiplication and addition. An update writes in
/// place, so only its parts count.
double countOperations(mlir::Operation *op);

/// The cost of one run of a compute op, in copied bytes. Launches and traffic
/// with a device's own memory are not counted: most ops become part of a kernel
/// that runs anyway.
double getOpCost(mlir::Operation *op, Place::Kind device);

} // namespace tdc::td

#endif // TDC_DIALECT_TD_ANALYSIS_PLACEMENT_OPCOSTS_H
