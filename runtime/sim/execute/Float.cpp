//===- Float.cpp - arithmetic of f32 and f64 ------------------------------===//
//
// PTX ISA 9.7.3 "Floating-Point Instructions". Operations that PTX calls
// approximate are computed to full precision here: hardware is allowed, not
// obliged, to err.
//
//===----------------------------------------------------------------------===//

#include "execute/Lanes.h"
#include "execute/Rounding.h"
#include <limits>

namespace tdc::sim {

namespace {

/// PTX ISA 9.7.3: f32 instructions return this NaN for any NaN.
float canonical(float value) {
  return std::isnan(value) ? bitCast<float>(0x7fffffffu) : value;
}

/// .ftz: a subnormal is a zero of its sign.
template <bool Ftz> float flush(float value) {
  if (Ftz && std::fabs(value) < std::numeric_limits<float>::min())
    return std::copysign(0.0f, value);
  return value;
}

/// .sat: into [0, 1], NaN to 0.
template <bool Sat> float saturate(float value) {
  if (!Sat)
    return value;
  return value > 1 ? 1.0f : value > 0 ? value : 0.0f;
}

template <bool Ftz, bool Sat> float finish(float value) {
  return saturate<Sat>(flush<Ftz>(canonical(value)));
}
template <float (*F)(float), bool Ftz, bool Sat = false> float unary(float a) {
  return finish<Ftz, Sat>(F(flush<Ftz>(a)));
}
template <float (*F)(float, float), bool Ftz, bool Sat = false>
float binary(float a, float b) {
  return finish<Ftz, Sat>(F(flush<Ftz>(a), flush<Ftz>(b)));
}
template <float (*F)(float, float, float), bool Ftz, bool Sat = false>
float ternary(float a, float b, float c) {
  return finish<Ftz, Sat>(F(flush<Ftz>(a), flush<Ftz>(b), flush<Ftz>(c)));
}

template <typename T> T add(T a, T b) { return a + b; }
template <typename T> T sub(T a, T b) { return a - b; }
template <typename T> T mul(T a, T b) { return a * b; }
template <typename T> T fma(T a, T b, T c) { return std::fma(a, b, c); }
// C++ leaves division by zero undefined; every target of this program divides
// as IEEE 754 specifies.
template <typename T> T div(T a, T b) { return a / b; }
template <typename T> T rcp(T a) { return T(1) / a; }
template <typename T> T sqrt(T a) { return std::sqrt(a); }

/// F, rounded in direction R.
template <auto F, Rounding R, typename T> T roundedUnary(T a) {
  if constexpr (R == Rounding::Nearest)
    return F(a);
  else
    return inDirection<F, R>(a);
}
template <auto F, Rounding R, typename T> T roundedBinary(T a, T b) {
  if constexpr (R == Rounding::Nearest)
    return F(a, b);
  else
    return inDirection<F, R>(a, b);
}
template <auto F, Rounding R, typename T> T roundedTernary(T a, T b, T c) {
  if constexpr (R == Rounding::Nearest)
    return F(a, b, c);
  else
    return inDirection<F, R>(a, b, c);
}

/// PTX ISA 9.7.3.8: a * (1/b), where 1/b is 0 for a large b.
float divApprox(float a, float b) {
  float magnitude = std::fabs(b);
  if (magnitude > 0x1p126f && magnitude < INFINITY) {
    float zero = std::copysign(0.0f, b);
    return a * zero;
  }
  return div(a, b);
}

float rsqrt(float a) { return float(rcp(std::sqrt(double(a)))); }
double rsqrt64(double a) { return rcp(std::sqrt(a)); }

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 (9.7.3.14, 9.7.3.17) ignore the
/// low word of the operand and clear it in the result.
double highWord(double value) {
  if (std::isnan(value))
    return value;
  if (std::fabs(value) < std::numeric_limits<double>::min())
    return std::copysign(0.0, value);
  return bitCast<double>(bitCast<uint64_t>(value) & 0xffffffff00000000u);
}
double rcpHigh(double a) { return highWord(rcp(highWord(a))); }
double rsqrtHigh(double a) { return highWord(rsqrt64(highWord(a))); }

float sine(float a) { return std::sin(a); }
float cosine(float a) { return std::cos(a); }
float log2(float a) { return std::log2(a); }
float exp2(float a) { return std::exp2(a); }
float tanh(float a) { return std::tanh(a); }

/// -0 is less than +0; if one operand is NaN, the other one is the result.
template <typename T> T minimum(T a, T b) {
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b || std::isnan(b) ? a : b;
}
template <typename T> T maximum(T a, T b) {
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b || std::isnan(b) ? a : b;
}
/// .NaN: if an operand is NaN, the result is NaN.
float minimumNaN(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? NAN : minimum(a, b);
}
float maximumNaN(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? NAN : maximum(a, b);
}
/// .xorsign.abs: F of the magnitudes, with the product of the signs.
template <float (*F)(float, float)> float ofMagnitudes(float a, float b) {
  float result = F(std::fabs(a), std::fabs(b));
  if (result != result)
    return result;
  bool isNegative = std::signbit(a) != std::signbit(b);
  return isNegative ? -result : result;
}

template <typename T> T negate(T a) { return -a; }
template <typename T> T absolute(T a) { return std::fabs(a); }
/// The value of b with the sign of a.
template <typename T> T copySign(T a, T b) { return std::copysign(b, a); }

template <typename T> bool isFinite(T a) { return std::isfinite(a); }
template <typename T> bool isInfinite(T a) { return std::isinf(a); }
template <typename T> bool isNumber(T a) { return !std::isnan(a); }
template <typename T> bool isNotANumber(T a) { return std::isnan(a); }
template <typename T> bool isNormal(T a) { return std::isnormal(a); }
template <typename T> bool isSubnormal(T a) {
  return std::fpclassify(a) == FP_SUBNORMAL;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Adds the operations rounded in one direction, for f32 with .ftz and .sat and
/// for f64. PTX ISA 9.7.3: sums and products without a rounding qualifier use
/// .rn.
template <Rounding R> void addRounded(FormTable &table) {
  const std::string round = nameOf(R);
  auto add32 = [&](const std::string &name, const std::string &qualifiers,
                   const Form &form, bool mayOmit) {
    table.add(name + round + qualifiers + ".f32", form);
    if (mayOmit && R == Rounding::Nearest)
      table.add(name + qualifiers + ".f32", form);
  };
  auto addFlush = [&](auto ftz, const std::string &qualifiers) {
    constexpr bool kFtz = decltype(ftz)::value;
    auto addSaturate = [&](auto sat, const std::string &all) {
      constexpr bool kSat = decltype(sat)::value;
      add32("add", all,
            lanewise<binary<roundedBinary<add<float>, R>, kFtz, kSat>>(1),
            true);
      add32("sub", all,
            lanewise<binary<roundedBinary<sub<float>, R>, kFtz, kSat>>(1),
            true);
      add32("mul", all,
            lanewise<binary<roundedBinary<mul<float>, R>, kFtz, kSat>>(1),
            true);
      Form fused =
          lanewise<ternary<roundedTernary<fma<float>, R>, kFtz, kSat>>(2);
      add32("fma", all, fused, false);
      add32("mad", all, fused, false);
    };
    addSaturate(std::false_type(), qualifiers);
    addSaturate(std::true_type(), qualifiers + ".sat");
    add32("div", qualifiers,
          lanewise<binary<roundedBinary<div<float>, R>, kFtz>>(1), false);
    add32("rcp", qualifiers,
          lanewise<unary<roundedUnary<rcp<float>, R>, kFtz>>(1), false);
    add32("sqrt", qualifiers,
          lanewise<unary<roundedUnary<sqrt<float>, R>, kFtz>>(1), false);
  };
  addFlush(std::false_type(), "");
  addFlush(std::true_type(), ".ftz");

  auto add64 = [&](const std::string &name, const Form &form, bool mayOmit) {
    table.add(name + round + ".f64", form);
    if (mayOmit && R == Rounding::Nearest)
      table.add(name + ".f64", form);
  };
  add64("add", lanewise<roundedBinary<add<double>, R, double>>(1), true);
  add64("sub", lanewise<roundedBinary<sub<double>, R, double>>(1), true);
  add64("mul", lanewise<roundedBinary<mul<double>, R, double>>(1), true);
  add64("fma", lanewise<roundedTernary<fma<double>, R, double>>(2), false);
  add64("mad", lanewise<roundedTernary<fma<double>, R, double>>(2), false);
  add64("div", lanewise<roundedBinary<div<double>, R, double>>(1), false);
  add64("rcp", lanewise<roundedUnary<rcp<double>, R, double>>(1), false);
  add64("sqrt", lanewise<roundedUnary<sqrt<double>, R, double>>(1), false);
}

/// Adds the forms with and without .ftz, which follows `name`.
template <float (*F)(float)>
void addUnary(FormTable &table, const std::string &name, uint16_t operations) {
  table.add(name + ".f32", lanewise<unary<F, false>>(operations));
  table.add(name + ".ftz.f32", lanewise<unary<F, true>>(operations));
}
template <float (*F)(float, float)>
void addBinary(FormTable &table, const std::string &name,
               const std::string &suffix, int target = 80) {
  Form form = lanewise<binary<F, false>>(1);
  form.target = target;
  table.add(name + suffix + ".f32", form);
  form = lanewise<binary<F, true>>(1);
  form.target = target;
  table.add(name + ".ftz" + suffix + ".f32", form);
}

/// neg and abs change the sign of a NaN too.
template <float (*F)(float), bool Ftz> float ofSign(float a) {
  return F(flush<Ftz>(a));
}

template <typename T> void addTests(FormTable &table, const std::string &type) {
  table.add("testp.finite" + type, lanewise<isFinite<T>>());
  table.add("testp.infinite" + type, lanewise<isInfinite<T>>());
  table.add("testp.number" + type, lanewise<isNumber<T>>());
  table.add("testp.notanumber" + type, lanewise<isNotANumber<T>>());
  table.add("testp.normal" + type, lanewise<isNormal<T>>());
  table.add("testp.subnormal" + type, lanewise<isSubnormal<T>>());
  table.add("copysign" + type, lanewise<copySign<T>>());
}

} // namespace

void addFloatForms(FormTable &table) {
  addRounded<Rounding::Nearest>(table);
  addRounded<Rounding::Zero>(table);
  addRounded<Rounding::Down>(table);
  addRounded<Rounding::Up>(table);

  addBinary<divApprox>(table, "div.approx", "");
  addBinary<div<float>>(table, "div.full", "");
  addUnary<rcp<float>>(table, "rcp.approx", 1);
  addUnary<sqrt<float>>(table, "sqrt.approx", 1);
  addUnary<rsqrt>(table, "rsqrt.approx", 1);
  addUnary<sine>(table, "sin.approx", 1);
  addUnary<cosine>(table, "cos.approx", 1);
  addUnary<log2>(table, "lg2.approx", 1);
  addUnary<exp2>(table, "ex2.approx", 1);
  table.add("tanh.approx.f32", lanewise<unary<tanh, false>>(1));
  table.add("rcp.approx.ftz.f64", lanewise<rcpHigh>(1));
  table.add("rsqrt.approx.ftz.f64", lanewise<rsqrtHigh>(1));
  table.add("rsqrt.approx.f64", lanewise<rsqrt64>(1));

  addBinary<minimum<float>>(table, "min", "");
  addBinary<maximum<float>>(table, "max", "");
  addBinary<minimumNaN>(table, "min", ".NaN");
  addBinary<maximumNaN>(table, "max", ".NaN");
  addBinary<ofMagnitudes<minimum<float>>>(table, "min", ".xorsign.abs", 86);
  addBinary<ofMagnitudes<maximum<float>>>(table, "max", ".xorsign.abs", 86);
  addBinary<ofMagnitudes<minimumNaN>>(table, "min", ".NaN.xorsign.abs", 86);
  addBinary<ofMagnitudes<maximumNaN>>(table, "max", ".NaN.xorsign.abs", 86);
  table.add("min.f64", lanewise<minimum<double>>(1));
  table.add("max.f64", lanewise<maximum<double>>(1));

  table.add("neg.f32", lanewise<ofSign<negate<float>, false>>());
  table.add("neg.ftz.f32", lanewise<ofSign<negate<float>, true>>());
  table.add("abs.f32", lanewise<ofSign<absolute<float>, false>>());
  table.add("abs.ftz.f32", lanewise<ofSign<absolute<float>, true>>());
  table.add("neg.f64", lanewise<negate<double>>());
  table.add("abs.f64", lanewise<absolute<double>>());
  addTests<float>(table, ".f32");
  addTests<double>(table, ".f64");
}

} // namespace tdc::sim
