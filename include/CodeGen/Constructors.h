//===- Constructors.h - tensors from nothing in kernels -------------------===//

#ifndef TDC_CODEGEN_CONSTRUCTORS_H
#define TDC_CODEGEN_CONSTRUCTORS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// An element of what a constructor makes, or a vector of them. `operands` are
/// the op's own as scalars, or vectors where `number` is one. `number` (i64)
/// counts elements in row-major order; null where all are equal.
mlir::Value emitConstructor(mlir::OpBuilder &builder, mlir::Operation *op,
                            mlir::ValueRange operands, mlir::Value number);

} // namespace tdc

#endif // TDC_CODEGEN_CONSTRUCTORS_H
