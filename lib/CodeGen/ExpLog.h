//===- ExpLog.h - parts that exp and log share ----------------------------===//
//
// Range reductions shared by the exponentials, the logarithms and pow.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CODEGEN_EXPLOG_H
#define TDC_LIB_CODEGEN_EXPLOG_H

#include "CodeGen/MathBuilder.h"

namespace tdc {

/// exp(x + low) for |low| far below |x|, or exp(x) if `low` is null. x must be
/// NaN or in [-104, 89] for f32, [-746, 710] for f64.
mlir::Value emitExpInRange(MathBuilder &m, mlir::Value x,
                           mlir::Value low = nullptr);

/// x = 2^exponent * mantissa with sqrt(1/2) <= mantissa < sqrt(2) and an
/// integral exponent, for positive finite normal x; unspecified for other x.
struct Logarithmand {
  mlir::Value exponent, mantissa;
};
Logarithmand emitSplit(MathBuilder &m, mlir::Value x);

/// The logarithm of x if x is 0, infinity or NaN; otherwise `logarithm`.
mlir::Value emitLogLimits(MathBuilder &m, mlir::Value x, mlir::Value logarithm);

} // namespace tdc

#endif // TDC_LIB_CODEGEN_EXPLOG_H
