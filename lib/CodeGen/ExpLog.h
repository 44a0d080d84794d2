//===- ExpLog.h - the parts exp and log are made of -----------------------===//
//
// Range reductions shared by the exponentials, the logarithms and pow.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_LIB_CODEGEN_EXPLOG_H
#define TDC_LIB_CODEGEN_EXPLOG_H

#include "MathBuilder.h"

namespace tdc {

/// exp(x + low) for |low| far below |x|, or exp(x) where `low` is null. -104 or
/// -746 <= x <= 89 or 710, by type, or NaN.
mlir::Value emitExpInRange(MathBuilder &m, mlir::Value x,
                           mlir::Value low = nullptr);

/// x = 2^exponent * mantissa, sqrt(1/2) <= mantissa < sqrt(2), and an integral
/// exponent. For positive finite normal x; any numbers otherwise.
struct Logarithmand {
  mlir::Value exponent, mantissa;
};
Logarithmand emitSplit(MathBuilder &m, mlir::Value x);

/// The logarithm of x where x >= 0 is zero, infinity or NaN; `logarithm`
/// elsewhere.
mlir::Value emitLogLimits(MathBuilder &m, mlir::Value x, mlir::Value logarithm);

} // namespace tdc

#endif // TDC_LIB_CODEGEN_EXPLOG_H
