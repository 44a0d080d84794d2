//===- Scale.h - the numbers of an axis -----------------------------------===//

#ifndef TDC_LIB_PLOT_SCALE_H
#define TDC_LIB_PLOT_SCALE_H

#include <string>
#include <vector>

namespace tdc {

/// The range of an axis and the round numbers that it shows.
class Scale {
public:
  /// Numbers from `least` to `most`, with about `wanted` ticks, at least one;
  /// no two ticks nearer to each other than `leastStep`.
  Scale(double least, double most, unsigned wanted, double leastStep = 0);
  /// The same for an axis of powers of ten. The numbers are positive.
  static Scale makeLogarithmic(double least, double most, unsigned wanted);

  /// Lets the axis end at its outermost ticks and never within the numbers.
  void extendToTicks();

  /// Where a number is on the axis: 0 at its beginning, 1 at its end.
  double place(double number) const;
  /// The ticks in the range.
  std::vector<double> getTicks() const;
  /// The text of a tick: "0.25", "20k", "1e-05".
  std::string spell(double tick) const;
  bool isLogarithmic() const { return isLog; }

private:
  Scale() = default;

  bool isLog = false; ///< the members below are decimal logarithms
  double begin = 0, end = 1, step = 1;
};

} // namespace tdc

#endif // TDC_LIB_PLOT_SCALE_H
