//===- Speculation.h - what may run ahead of its checks ---------*- C++ -*-===//

#ifndef TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H
#define TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tdc::td {

/// Whether the op may run where the program would not: nobody sees it, and it
/// cannot trap. Of remainders MLIR does not know that they trap by zero.
inline bool mayRunUnasked(mlir::Operation *op) {
  return mlir::isPure(op) &&
         (!mlir::isa<mlir::arith::RemSIOp, mlir::arith::RemUIOp>(op) ||
          mlir::matchPattern(op->getOperand(1), mlir::m_NonZero()));
}

} // namespace tdc::td

#endif // TDC_LIB_DIALECT_TD_TRANSFORMS_SPECULATION_H
