//===- Floor.h - division that rounds down --------------------------------===//
//
// `//` and `%` of floats as Python and PyTorch have them. The quotient comes
// from the remainder, which is exact: 1.0 // 0.1 is 9, though 1.0 / 0.1 rounds
// to 10 (c10/util/BFloat16-math.h and CPython's float_divmod do the same).
//
//===----------------------------------------------------------------------===//

#ifndef TDC_DIALECT_TD_OPTABLE_FLOOR_H
#define TDC_DIALECT_TD_OPTABLE_FLOOR_H

#include <cmath>

namespace tdc {

/// Whether a remainder that truncating division left is of the other sign than
/// the divisor, so that the quotient is one too large.
inline bool leavesWrongSign(double remainder, double divisor) {
  return remainder != 0 && (remainder < 0) != (divisor < 0);
}

/// a % b, with the sign of b; NaN if b is 0.
inline double floorRemainder(double a, double b) {
  double remainder = std::fmod(a, b);
  return leavesWrongSign(remainder, b) ? remainder + b : remainder;
}

/// a // b; what a / b is if b is 0.
inline double floorQuotient(double a, double b) {
  if (b == 0)
    return a / b;
  double remainder = std::fmod(a, b);
  // An integer but for the rounding of the division, and with the sign that a 0
  // has as a quotient.
  double quotient =
      std::nearbyint((a - remainder) / b - leavesWrongSign(remainder, b));
  return std::copysign(quotient, a / b);
}

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_FLOOR_H
