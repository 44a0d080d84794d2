//===- NarrowFloats.h - f16 and bf16, computed in f32 ---------------------===//
//
// In registers an element of f16 or bf16 is an f32 whose value the narrow dtype
// has too, so that whatever computes f32 computes them. What an op of the
// program leaves is rounded before the next one goes on with it, or before it
// is stored. For + - * / and sqrt that f32 was in between cannot be told: it
// has more than twice the bits.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_NARROWFLOATS_H
#define TDC_CODEGEN_NARROWFLOATS_H

#include "mlir/IR/Builders.h"

namespace tdc {

/// The f32 `value`, rounded to what `element`, a narrow float, has.
mlir::Value emitRounded(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Type element);

/// Makes an f32 of an f64, or an f64 of an i64, that is on the same side of
/// every narrow float and of every middle between two of them, so that rounding
/// it gives what rounding the number itself would.
mlir::Value emitHalfway(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

} // namespace tdc

#endif // TDC_CODEGEN_NARROWFLOATS_H
