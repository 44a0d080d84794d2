//===- Scale.cpp - the numbers of an axis ---------------------------------===//

#include "Scale.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tdc;

/// Part of a step by which a number may miss a tick: rounding.
static constexpr double kSlack = 1e-6;

/// The least of 1, 2, 5, 10, 20 ... that is not below `number`.
static double roundUp(double number) {
  double power = std::pow(10, std::floor(std::log10(number)));
  for (double digit : {1.0, 2.0, 5.0})
    if (digit * power >= number * (1 - kSlack))
      return digit * power;
  return 10 * power;
}

Scale::Scale(double least, double most, unsigned wanted, double leastStep)
    : begin(least), end(most) {
  // Numbers that are equal, but for their last digits, are in the middle.
  double size = std::max(std::abs(begin), std::abs(end));
  if (end / 2 - begin / 2 <= std::max(size * 1e-9, 1e-300)) {
    double half = size < 1e-290 ? 1 : size / 2;
    begin -= half;
    end += half;
  }
  // Dividing first: the difference of two numbers can overflow.
  step = roundUp(end / wanted - begin / wanted);
  double wantedStep = step;
  step = roundUp(std::max(step, leastStep));
  if (getTicks().empty())
    step = wantedStep;
}

Scale Scale::makeLogarithmic(double least, double most, unsigned wanted) {
  Scale scale;
  scale.isLog = true;
  scale.begin = std::log10(least);
  scale.end = std::log10(most);
  scale.step = std::max(1.0, std::round((scale.end - scale.begin) / wanted));
  return scale;
}

void Scale::extendToTicks() {
  double first = std::floor(begin / step + kSlack) * step,
         last = std::ceil(end / step - kSlack) * step;
  if (std::isfinite(first) && std::isfinite(last))
    begin = first, end = last;
}

double Scale::place(double number) const {
  double at = isLog ? std::log10(number) : number;
  double length = end / 2 - begin / 2;
  return (at / 2 - begin / 2) / length;
}

std::vector<double> Scale::getTicks() const {
  std::vector<double> ticks;
  double first = std::ceil(begin / step - kSlack),
         last = std::floor(end / step + kSlack);
  for (int i = 0, count = int(last - first) + 1; i < count; ++i) {
    double tick = (first + i) * step;
    ticks.push_back(isLog ? std::pow(10, tick) : tick);
  }
  return ticks;
}

std::string Scale::spell(double tick) const {
  char text[64];
  double size = std::abs(tick);
  if (isLog || size >= 1e15 || (size > 0 && step < 1e-6)) {
    bool isShort = size >= 1e-4 && size < 1e6;
    snprintf(text, sizeof text, isShort ? "%g" : isLog ? "%.0e" : "%.6g", tick);
    return text;
  }
  static constexpr struct {
    double size;
    const char *letter;
  } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
  double most = std::max(std::abs(begin), std::abs(end));
  for (auto [unit, letter] : units) {
    // Up to 9999 in full; one unit for the whole axis.
    bool fits =
        unit == 1 || (most >= std::max(unit, 1e4) && step >= unit / 100);
    if (!fits)
      continue;
    int decimals =
        std::max(0, int(-std::floor(std::log10(step / unit) + kSlack)));
    snprintf(text, sizeof text, "%.*f%s", decimals, tick / unit,
             tick == 0 ? "" : letter);
    return tick == 0 ? "0" : text;
  }
  return text;
}
