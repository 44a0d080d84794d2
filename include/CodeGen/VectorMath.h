//===- VectorMath.h - elementary functions without libm -------------------===//
//
// exp, log, tanh, sin, pow and similar functions on scalars or 1-d vectors of
// f32 or f64. They make no calls, so that a loop over them stays vectorised on
// every CPU (without a fused multiply-add, that of f64 is a call:
// Target/MultiplyAdd). All hold over the whole range: subnormals, signed zeros,
// infinities and NaN as in IEEE 754 and C's Annex F (signs of NaN aside), and
// sin, cos, tanh, erf and sigmoid never leave [-1, 1]. Straight-line arith and
// math.fma, except for branches (scf.if) of sin, cos and tan for vectors with
// elements beyond 2^36, and of the square root, which asin, acos and acosh
// take, for special numbers.
//
// Largest errors measured, in units in the last place of the exact result:
//
//              f32      f64
//   exp        0.92     0.86
//   expm1      1.59     1.81
//   log        0.83     0.85
//   log1p      1.39     1.38
//   sinh       1.26     1.60
//   cosh       1.08     1.05
//   tanh       1.59     1.53
//   acosh      1.42     1.49
//   sigmoid    0.89     1.48
//   erf        1.21     1.19   (f32 without AVX-512 1.10)
//   sin        0.61     2.69
//   cos        0.61     2.80
//   tan        1.51     3.40
//   asin       1.37     1.09
//   acos       1.34     1.14
//   pow        0.65     1.11
//
// Measured on vectors of 16 f32 and 8 f64. f32: every fifth bit pattern against
// glibc's f64 functions, and 20 million pairs for pow against its powl. f64: 10
// million arguments (20 million pairs) of all magnitudes, near 1 for the
// logarithms, near multiples of pi/2 for sin and cos, against glibc's long
// double functions; some thousands also against mpmath with up to 1300 bits.
// sinh, cosh, acosh, tan, asin and acos: every 61st bit pattern of f32.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_CODEGEN_VECTORMATH_H
#define TDC_CODEGEN_VECTORMATH_H

#include "mlir/IR/Builders.h"

namespace tdc {

/// Each function returns a value of the type of `x`, computed at the builder's
/// insertion point.
mlir::Value emitExp(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
mlir::Value emitExpm1(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
mlir::Value emitLog(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
mlir::Value emitLog1p(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
mlir::Value emitSinh(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
mlir::Value emitCosh(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
mlir::Value emitTanh(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
mlir::Value emitAcosh(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value x);
mlir::Value emitSigmoid(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value x);
mlir::Value emitErf(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
mlir::Value emitSin(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
mlir::Value emitCos(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
mlir::Value emitTan(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value x);
mlir::Value emitAsin(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
mlir::Value emitAcos(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
mlir::Value emitAtan(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
/// The angle of the point (x, y), for operands of equal types.
mlir::Value emitAtan2(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value y, mlir::Value x);
/// Correctly rounded (all f32 compared), except that results below 2^-102 may
/// be off by 1 unit in the last place, where the last step's correction is
/// denormal.
mlir::Value emitSqrt(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);
/// x^y, for operands of equal types. About seven times the cost of exp: the
/// caller should expand small constant exponents to multiplications.
mlir::Value emitPow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x,
                    mlir::Value y);

} // namespace tdc

#endif // TDC_CODEGEN_VECTORMATH_H
