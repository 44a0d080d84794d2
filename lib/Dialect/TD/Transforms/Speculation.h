//===- Speculation.h - ops that may run early -----------------------------===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H

#include "mlir/IR/Operation.h"

namespace tdc::td {

/// Whether it is not observable when the op runs: it has no effects, cannot
/// trap, and meets no index out of range, which would end the program.
bool cannotFail(mlir::Operation *op);

/// Whether it is observable from outside when the op runs: it has an effect
/// other than on state and random numbers. An op with regions is not; ops
/// inside may be.
bool isObservable(mlir::Operation *op);

/// Whether the op, or one inside, computes with tensors of run-time sizes: it
/// may rely on an earlier check to stay within them.
bool hasRunTimeSizes(mlir::Operation *op);

/// Whether the op may run where the program would not run it: before checks, or
/// for a loop without iterations.
inline bool mayRunUnasked(mlir::Operation *op) {
  return cannotFail(op) && !hasRunTimeSizes(op);
}

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H
