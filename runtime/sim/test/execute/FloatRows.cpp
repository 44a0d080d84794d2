//===- FloatRows.cpp - references of f32 and f64 instructions -------------===//
//
// Directed rounding is done in the x87's long double, set to that direction:
// rounding twice in one direction is rounding once.
//
//===----------------------------------------------------------------------===//

#include "OpcodeRows.h"
#include <cfenv>
#include <cfloat>

namespace tdc::sim {

namespace {

template <bool Ftz> float flush(float a) {
  return Ftz && std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a;
}
template <bool Sat> float saturate(float a) {
  return !Sat ? a : std::isnan(a) ? 0 : std::fmin(std::fmax(a, 0.0f), 1.0f);
}

// The operations, for any type.
struct Add {
  template <typename T> static T of(T a, T b) { return a + b; }
};
struct Sub {
  template <typename T> static T of(T a, T b) { return a - b; }
};
struct Mul {
  template <typename T> static T of(T a, T b) { return a * b; }
};
struct Div {
  template <typename T> static T of(T a, T b) { return a / b; }
};
struct Rcp {
  template <typename T> static T of(T a) { return Div::of(T(1), a); }
};
struct Sqrt {
  template <typename T> static T of(T a) { return std::sqrt(a); }
};
struct Fma {
  template <typename T> static T of(T a, T b, T c) { return std::fma(a, b, c); }
};

/// `Op` rounded in a direction; f32 is computed in long double.
template <typename Op, int Mode, typename T, typename... A> T directed(A... a) {
  using Wide = std::conditional_t<std::is_same_v<T, float>, long double, T>;
  return [](volatile A... b) {
    std::fesetround(Mode);
    volatile Wide wide = Op::template of<Wide>(Wide(b)...);
    volatile T narrow = T(wide);
    std::fesetround(FE_TONEAREST);
    return T(narrow);
  }(a...);
}
template <typename Op, int Mode, typename T, typename... A> T rounded(A... a) {
  if (Mode == FE_TONEAREST)
    return Op::template of<T>(a...);
  return directed<Op, Mode, T>(a...);
}

template <typename Op, int Mode, bool Ftz, bool Sat, size_t N>
OpcodeRow singleRow(const std::string &opcode) {
  if constexpr (N == 1)
    return row(
        opcode, +[](float a) {
          return saturate<Sat>(
              flush<Ftz>(rounded<Op, Mode, float>(flush<Ftz>(a))));
        });
  else if constexpr (N == 2)
    return row(
        opcode, +[](float a, float b) {
          return saturate<Sat>(flush<Ftz>(
              rounded<Op, Mode, float>(flush<Ftz>(a), flush<Ftz>(b))));
        });
  else
    return row(
        opcode, +[](float a, float b, float c) {
          return saturate<Sat>(flush<Ftz>(rounded<Op, Mode, float>(
              flush<Ftz>(a), flush<Ftz>(b), flush<Ftz>(c))));
        });
}
template <typename Op, int Mode, size_t N>
OpcodeRow doubleRow(const std::string &opcode) {
  if constexpr (N == 1)
    return row(opcode, +[](double a) { return rounded<Op, Mode, double>(a); });
  else if constexpr (N == 2)
    return row(
        opcode,
        +[](double a, double b) { return rounded<Op, Mode, double>(a, b); });
  else
    return row(
        opcode, +[](double a, double b, double c) {
          return rounded<Op, Mode, double>(a, b, c);
        });
}

template <typename Op, size_t N, int Mode>
void addDirection(OpcodeRows &rows, const std::string &name,
                  const std::string &round, bool canSaturate) {
  const std::string base = name + round;
  rows.push_back(singleRow<Op, Mode, false, false, N>(base + ".f32"));
  rows.push_back(singleRow<Op, Mode, true, false, N>(base + ".ftz.f32"));
  if (canSaturate) {
    rows.push_back(singleRow<Op, Mode, false, true, N>(base + ".sat.f32"));
    rows.push_back(singleRow<Op, Mode, true, true, N>(base + ".ftz.sat.f32"));
  }
  rows.push_back(doubleRow<Op, Mode, N>(base + ".f64"));
}
template <typename Op, size_t N>
void addRounded(OpcodeRows &rows, const std::string &name, bool mayOmit,
                bool canSaturate) {
  if (mayOmit)
    addDirection<Op, N, FE_TONEAREST>(rows, name, "", canSaturate);
  addDirection<Op, N, FE_TONEAREST>(rows, name, ".rn", canSaturate);
  addDirection<Op, N, FE_TOWARDZERO>(rows, name, ".rz", canSaturate);
  addDirection<Op, N, FE_DOWNWARD>(rows, name, ".rm", canSaturate);
  addDirection<Op, N, FE_UPWARD>(rows, name, ".rp", canSaturate);
}

/// Approximations, computed in f64: they may differ by two steps of f32.
template <double (*F)(double), bool Ftz> float approximate(float a) {
  return flush<Ftz>(float(F(flush<Ftz>(a))));
}
template <double (*F)(double)>
void addApproximation(OpcodeRows &rows, const std::string &name,
                      bool canFlush = true) {
  rows.push_back(row(name + ".f32", approximate<F, false>, {2}));
  if (canFlush)
    rows.push_back(row(name + ".ftz.f32", approximate<F, true>, {2}));
}
double reciprocal(double a) { return Rcp::of(a); }
double reciprocalRoot(double a) { return Rcp::of(std::sqrt(a)); }

/// The smaller one (or larger one) with -0 < +0; NaN only with `Propagates`.
template <typename T, bool Maximum, bool Propagates> T extreme(T a, T b) {
  if (Propagates && (std::isnan(a) || std::isnan(b)))
    return T(NAN);
  if (a == 0 && b == 0)
    return std::signbit(a) == Maximum ? b : a;
  if (std::isnan(a) || std::isnan(b)) // fmin quiets a signalling NaN
    return std::isnan(a) ? b : a;
  return Maximum ? std::fmax(a, b) : std::fmin(a, b);
}
template <bool Maximum, bool Propagates, bool Ftz>
float ofMagnitudes(float a, float b) {
  float sign = std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f;
  return std::copysign(extreme<float, Maximum, Propagates>(
                           std::fabs(flush<Ftz>(a)), std::fabs(flush<Ftz>(b))),
                       sign);
}
template <bool Maximum, bool Propagates, bool Ftz>
void addExtreme(OpcodeRows &rows, const std::string &name) {
  rows.push_back(row(
      name + ".f32", +[](float a, float b) {
        return extreme<float, Maximum, Propagates>(flush<Ftz>(a),
                                                   flush<Ftz>(b));
      }));
  rows.push_back(
      row(name + ".xorsign.abs.f32", ofMagnitudes<Maximum, Propagates, Ftz>));
}
template <bool Maximum>
void addExtremes(OpcodeRows &rows, const std::string &name) {
  addExtreme<Maximum, false, false>(rows, name);
  addExtreme<Maximum, false, true>(rows, name + ".ftz");
  addExtreme<Maximum, true, false>(rows, name + ".NaN");
  addExtreme<Maximum, true, true>(rows, name + ".ftz.NaN");
  rows.push_back(row(name + ".f64", extreme<double, Maximum, false>));
}

/// Only the upper half of the 64 bits is used.
double upperHalf(double a) {
  if (std::fpclassify(a) == FP_SUBNORMAL)
    return std::copysign(0.0, a);
  return bitsAs<double>(bitsAs<uint64_t>(a) >> 32 << 32);
}

template <typename T, typename Bits>
void addTests(OpcodeRows &rows, const std::string &type) {
  auto test = [&](const std::string &name, bool (*f)(T)) {
    rows.push_back(row("testp." + name + type, f));
  };
  test("finite", +[](T a) { return std::fpclassify(a) > FP_INFINITE; });
  test("infinite", +[](T a) { return std::fabs(a) == T(INFINITY); });
  test("number", +[](T a) { return a == a; });
  test("notanumber", +[](T a) { return a != a; });
  test("normal", +[](T a) { return std::fpclassify(a) == FP_NORMAL; });
  test("subnormal", +[](T a) { return std::fpclassify(a) == FP_SUBNORMAL; });
  static constexpr Bits kSign = Bits(1) << (8 * sizeof(T) - 1);
  rows.push_back(row(
      "copysign" + type,
      +[](Bits a, Bits b) { return Bits((a & kSign) | (b & ~kSign)); }));
  rows.push_back(row("neg" + type, +[](Bits a) { return Bits(a ^ kSign); }));
  rows.push_back(row("abs" + type, +[](Bits a) { return Bits(a & ~kSign); }));
}

} // namespace

OpcodeRows floatRows() {
  static_assert(LDBL_MANT_DIG >= 64, "directions are seen to in long double");
  OpcodeRows rows;
  addRounded<Add, 2>(rows, "add", true, true);
  addRounded<Sub, 2>(rows, "sub", true, true);
  addRounded<Mul, 2>(rows, "mul", true, true);
  addRounded<Fma, 3>(rows, "fma", false, true);
  addRounded<Fma, 3>(rows, "mad", false, true);
  addRounded<Div, 2>(rows, "div", false, false);
  addRounded<Rcp, 1>(rows, "rcp", false, false);
  addRounded<Sqrt, 1>(rows, "sqrt", false, false);

  addApproximation<reciprocal>(rows, "rcp.approx");
  addApproximation<std::sqrt>(rows, "sqrt.approx");
  addApproximation<reciprocalRoot>(rows, "rsqrt.approx");
  addApproximation<std::sin>(rows, "sin.approx");
  addApproximation<std::cos>(rows, "cos.approx");
  addApproximation<std::log2>(rows, "lg2.approx");
  addApproximation<std::exp2>(rows, "ex2.approx");
  addApproximation<std::tanh>(rows, "tanh.approx", false);
  rows.push_back(
      row("div.full.f32",
          +[](float a, float b) { return float(Div::of<double>(a, b)); }, {2}));
  rows.push_back(row("div.full.ftz.f32",
                     +[](float a, float b) {
                       return flush<true>(float(
                           Div::of<double>(flush<true>(a), flush<true>(b))));
                     },
                     {2}));
  // Beyond 2^126 the reciprocal is 0.
  rows.push_back(row("div.approx.f32",
                     +[](float a, float b) {
                       double r = std::fabs(b) > 0x1p126 && !std::isinf(b)
                                      ? std::copysign(0.0, b)
                                      : Rcp::of<double>(b);
                       return float(double(a) * r);
                     },
                     {2}));
  rows.push_back(row("div.approx.ftz.f32",
                     +[](float a, float b) {
                       a = flush<true>(a);
                       b = flush<true>(b);
                       double r = std::fabs(b) > 0x1p126 && !std::isinf(b)
                                      ? std::copysign(0.0, b)
                                      : Rcp::of<double>(b);
                       return flush<true>(float(double(a) * r));
                     },
                     {2}));
  rows.push_back(row("rsqrt.approx.f64", reciprocalRoot, {1}));
  rows.push_back(row(
      "rcp.approx.ftz.f64",
      +[](double a) { return upperHalf(Rcp::of(upperHalf(a))); }));
  rows.push_back(row(
      "rsqrt.approx.ftz.f64",
      +[](double a) { return upperHalf(reciprocalRoot(upperHalf(a))); }));

  addExtremes<false>(rows, "min");
  addExtremes<true>(rows, "max");
  addTests<float, uint32_t>(rows, ".f32");
  addTests<double, uint64_t>(rows, ".f64");
  rows.push_back(row("neg.ftz.f32", +[](float a) { return -flush<true>(a); }));
  rows.push_back(
      row("abs.ftz.f32", +[](float a) { return std::fabs(flush<true>(a)); }));
  return rows;
}

} // namespace tdc::sim
