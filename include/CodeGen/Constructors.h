//===- Constructors.h - constructor ops in kernels ------------------------===//

#ifndef TDC_CODEGEN_CONSTRUCTORS_H
#define TDC_CODEGEN_CONSTRUCTORS_H

#include "Dialect/TD/IR/TD.h"
#include "mlir/IR/Builders.h"

namespace tdc {

/// Emits one element of a constructor's result, or a vector of elements.
/// `operands` are the op's operands as scalars, or as vectors where `number` is
/// a vector. `number` (i64) is the row-major number of the element; null if all
/// elements are equal.
mlir::Value emitConstructor(mlir::OpBuilder &builder, mlir::Operation *op,
                            mlir::ValueRange operands, mlir::Value number);

} // namespace tdc

#endif // TDC_CODEGEN_CONSTRUCTORS_H
