//===- NarrowFloats.h - f16 and bf16, computed in f32 ---------------------===//
//
// In registers an f16 or bf16 element is an f32 with a value that the narrow
// dtype can represent, so all code for f32 applies. The result of each op of
// the program is rounded to the narrow dtype before the next op uses it or
// before it is stored. For + - * / and sqrt the result is the same as without
// the step through f32, since f32 has more than twice the bits.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_NARROWFLOATS_H
#define TDC_CODEGEN_NARROWFLOATS_H

#include "mlir/IR/Builders.h"

namespace tdc {

/// Rounds the f32 `value` to the narrow float `element`; the result is an f32.
mlir::Value emitRounded(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Type element);

/// Converts an f64 to f32, or an i64 (u64) to f64, by rounding to odd. The
/// result lies on the same side of every narrow float, and of every midpoint
/// between two of them, as `value` does, so that rounding it gives the same as
/// rounding `value` directly.
mlir::Value emitHalfway(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, bool isUnsigned = false);

} // namespace tdc

#endif // TDC_CODEGEN_NARROWFLOATS_H
