//===- Speculation.h - what may run ahead of its checks ---------*- C++ -*-===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H

#include "mlir/IR/Operation.h"

namespace tdc::td {

/// Whether nobody sees where the op runs: it has no effects, cannot trap, and
/// meets no index out of range, which would end the program.
bool cannotFail(mlir::Operation *op);

/// Whether the op computes with tensors of run-time sizes: a check in front of
/// it may be what keeps it within them.
bool hasRunTimeSizes(mlir::Operation *op);

/// Whether the op may run where the program would not: in front of checks, or
/// for a loop without iterations.
inline bool mayRunUnasked(mlir::Operation *op) {
  return cannotFail(op) && !hasRunTimeSizes(op);
}

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H
