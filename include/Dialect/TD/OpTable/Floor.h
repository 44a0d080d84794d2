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

/// Whether the remainder of a truncating division has the opposite sign of the
/// divisor; the truncated quotient then is one too large.
inline bool leavesWrongSign(double remainder, double divisor) {
  return remainder != 0 && (remainder < 0) != (divisor < 0);
}

/// a % b, with the sign of b; NaN if b is 0.
inline double floorRemainder(double a, double b) {
  double remainder = std::fmod(a, b);
  return leavesWrongSign(remainder, b) ? remainder + b : remainder;
}

/// a // b; if b is 0, a / b (an infinity or NaN).
inline double floorQuotient(double a, double b) {
  if (b == 0)
    return a / b;
  double remainder = std::fmod(a, b);
  // The difference is a multiple of b up to rounding, so nearbyint gives the
  // integer. A quotient of 0 gets the sign of a / b.
  double quotient =
      std::nearbyint((a - remainder) / b - leavesWrongSign(remainder, b));
  return std::copysign(quotient, a / b);
}

} // namespace tdc

#endif // TDC_DIALECT_TD_OPTABLE_FLOOR_H
