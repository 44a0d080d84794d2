//===- Half.cpp - arithmetic of f16 and bf16, and of pairs ----------------===//
//
// PTX ISA 9.7.4 "Half Precision Floating-Point Instructions". Results are
// computed in f64 and rounded once: sums and products of these formats are
// exact in f64, or rounded to odd, so that a second rounding is harmless.
//
//===----------------------------------------------------------------------===//

#include "execute/Lanes.h"
#include "execute/SmallFloat.h"

namespace tdc::sim {

namespace {

/// The last step of a result.
enum class Finish : uint8_t { Plain, Sat, Relu };

template <typename Format> constexpr float kSmallestNormal = 0;
template <> constexpr float kSmallestNormal<F16> = 0x1p-14f;
template <> constexpr float kSmallestNormal<BF16> = 0x1p-126f;

template <typename Format, bool Ftz> uint16_t flush(uint16_t bits) {
  float value = toFloat<Format>(bits);
  if (Ftz && std::fabs(value) < kSmallestNormal<Format>)
    return bits & 0x8000;
  return bits;
}

template <typename Format, Finish Then> uint16_t finish(double value) {
  if (Then == Finish::Sat)
    value = value > 1 ? 1 : value > 0 ? value : 0;
  if (Then == Finish::Relu && value <= 0)
    value = 0;
  return encode<Format>(value, Rounding::Nearest);
}

double add(double a, double b) { return a + b; }
double sub(double a, double b) { return a - b; }
double mul(double a, double b) { return a * b; }

/// a * b + c rounded to odd: the error of the sum is known exactly (Knuth's
/// TwoSum) and must not vanish where the rounded sum lies half-way between two
/// results.
double fused(double a, double b, double c) {
  double product = a * b;
  double sum = product + c;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  if (!(std::fabs(error) > 0) || (bitCast<uint64_t>(sum) & 1))
    return sum;
  return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

double exp2(double a) { return std::exp2(a); }
double tanh(double a) { return std::tanh(a); }

template <typename Format, double (*F)(double), bool Ftz>
uint16_t unary(uint16_t a) {
  return flush<Format, Ftz>(
      finish<Format, Finish::Plain>(F(toFloat<Format>(flush<Format, Ftz>(a)))));
}
template <typename Format, double (*F)(double, double), bool Ftz, Finish Then>
uint16_t binary(uint16_t a, uint16_t b) {
  return flush<Format, Ftz>(
      finish<Format, Then>(F(toFloat<Format>(flush<Format, Ftz>(a)),
                             toFloat<Format>(flush<Format, Ftz>(b)))));
}
template <typename Format, bool Ftz, Finish Then>
uint16_t fma(uint16_t a, uint16_t b, uint16_t c) {
  return flush<Format, Ftz>(
      finish<Format, Then>(fused(toFloat<Format>(flush<Format, Ftz>(a)),
                                 toFloat<Format>(flush<Format, Ftz>(b)),
                                 toFloat<Format>(flush<Format, Ftz>(c)))));
}

template <typename Format, bool IsMaximum, bool PropagatesNaN,
          bool OfMagnitudes, bool Ftz>
uint16_t extreme(uint16_t a, uint16_t b) {
  a = flush<Format, Ftz>(a);
  b = flush<Format, Ftz>(b);
  uint16_t sign = (a ^ b) & 0x8000;
  if (OfMagnitudes) {
    a &= 0x7fff;
    b &= 0x7fff;
  }
  float x = toFloat<Format>(a), y = toFloat<Format>(b);
  bool isNaNX = x != x, isNaNY = y != y;
  uint16_t result;
  if ((isNaNX && isNaNY) || (PropagatesNaN && (isNaNX || isNaNY)))
    return kSmallNaN;
  if (isNaNX || isNaNY)
    result = isNaNX ? b : a;
  else if (x == y) // -0 is less than +0
    result = (std::signbit(x) != IsMaximum) ? a : b;
  else
    result = (x < y) != IsMaximum ? a : b;
  return OfMagnitudes ? uint16_t(result | sign) : result;
}

template <typename Format, bool Ftz> uint16_t negate(uint16_t a) {
  return flush<Format, Ftz>(a) ^ 0x8000;
}
template <typename Format, bool Ftz> uint16_t absolute(uint16_t a) {
  return flush<Format, Ftz>(a) & 0x7fff;
}

// Applies F to both halves of a register.
template <uint16_t (*F)(uint16_t)> uint32_t both(uint32_t a) {
  return F(uint16_t(a)) | uint32_t(F(uint16_t(a >> 16))) << 16;
}
template <uint16_t (*F)(uint16_t, uint16_t)>
uint32_t both(uint32_t a, uint32_t b) {
  return F(uint16_t(a), uint16_t(b)) |
         uint32_t(F(uint16_t(a >> 16), uint16_t(b >> 16))) << 16;
}
template <uint16_t (*F)(uint16_t, uint16_t, uint16_t)>
uint32_t both(uint32_t a, uint32_t b, uint32_t c) {
  return F(uint16_t(a), uint16_t(b), uint16_t(c)) |
         uint32_t(F(uint16_t(a >> 16), uint16_t(b >> 16), uint16_t(c >> 16)))
             << 16;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void addForm(FormTable &table, const std::string &opcode, Form form,
             int target) {
  form.target = target;
  table.add(opcode, form);
}

// Adds one operation on single values and on pairs; `name` is without the type.
template <uint16_t (*F)(uint16_t)>
void addUnary(FormTable &table, const std::string &name,
              const std::string &type, uint16_t operations, int target) {
  addForm(table, name + type, lanewise<F>(operations), target);
  constexpr uint32_t (*kBoth)(uint32_t) = both<F>;
  addForm(table, name + type + "x2", lanewise<kBoth>(2 * operations), target);
}
template <uint16_t (*F)(uint16_t, uint16_t)>
void addBinary(FormTable &table, const std::string &name,
               const std::string &type, uint16_t operations, int target) {
  addForm(table, name + type, lanewise<F>(operations), target);
  constexpr uint32_t (*kBoth)(uint32_t, uint32_t) = both<F>;
  addForm(table, name + type + "x2", lanewise<kBoth>(2 * operations), target);
}
template <uint16_t (*F)(uint16_t, uint16_t, uint16_t)>
void addFused(FormTable &table, const std::string &name,
              const std::string &type, int target) {
  addForm(table, name + type, lanewise<F>(2), target);
  constexpr uint32_t (*kBoth)(uint32_t, uint32_t, uint32_t) = both<F>;
  addForm(table, name + type + "x2", lanewise<kBoth>(4), target);
}

template <typename Format, bool Ftz, bool IsMaximum>
void addExtremes(FormTable &table, const std::string &name,
                 const std::string &type) {
  addBinary<extreme<Format, IsMaximum, false, false, Ftz>>(table, name, type, 1,
                                                           80);
  addBinary<extreme<Format, IsMaximum, true, false, Ftz>>(table, name + ".NaN",
                                                          type, 1, 80);
  addBinary<extreme<Format, IsMaximum, false, true, Ftz>>(
      table, name + ".xorsign.abs", type, 1, 86);
  addBinary<extreme<Format, IsMaximum, true, true, Ftz>>(
      table, name + ".NaN.xorsign.abs", type, 1, 86);
}

/// Sums and products, with or without .rn, which is also the default rounding.
template <typename Format, double (*F)(double, double), bool Ftz, Finish Then>
void addSum(FormTable &table, const std::string &name,
            const std::string &qualifiers, const std::string &type,
            int target) {
  addBinary<binary<Format, F, Ftz, Then>>(table, name + qualifiers, type, 1,
                                          target);
  addBinary<binary<Format, F, Ftz, Then>>(table, name + ".rn" + qualifiers,
                                          type, 1, target);
}

template <bool Ftz> void addF16(FormTable &table) {
  const std::string ftz = Ftz ? ".ftz" : "", type = ".f16";
  addSum<F16, add, Ftz, Finish::Plain>(table, "add", ftz, type, 80);
  addSum<F16, sub, Ftz, Finish::Plain>(table, "sub", ftz, type, 80);
  addSum<F16, mul, Ftz, Finish::Plain>(table, "mul", ftz, type, 80);
  addSum<F16, add, Ftz, Finish::Sat>(table, "add", ftz + ".sat", type, 80);
  addSum<F16, sub, Ftz, Finish::Sat>(table, "sub", ftz + ".sat", type, 80);
  addSum<F16, mul, Ftz, Finish::Sat>(table, "mul", ftz + ".sat", type, 80);
  addFused<fma<F16, Ftz, Finish::Plain>>(table, "fma.rn" + ftz, type, 80);
  addFused<fma<F16, Ftz, Finish::Sat>>(table, "fma.rn" + ftz + ".sat", type,
                                       80);
  addFused<fma<F16, Ftz, Finish::Relu>>(table, "fma.rn" + ftz + ".relu", type,
                                        80);
  addUnary<negate<F16, Ftz>>(table, "neg" + ftz, type, 0, 80);
  addUnary<absolute<F16, Ftz>>(table, "abs" + ftz, type, 0, 80);
  addExtremes<F16, Ftz, false>(table, "min" + ftz, type);
  addExtremes<F16, Ftz, true>(table, "max" + ftz, type);
}

} // namespace

void addHalfForms(FormTable &table) {
  addF16<false>(table);
  addF16<true>(table);
  addUnary<unary<F16, exp2, false>>(table, "ex2.approx", ".f16", 1, 80);
  addUnary<unary<F16, tanh, false>>(table, "tanh.approx", ".f16", 1, 80);

  const std::string type = ".bf16";
  addSum<BF16, add, false, Finish::Plain>(table, "add", "", type, 90);
  addSum<BF16, sub, false, Finish::Plain>(table, "sub", "", type, 90);
  addSum<BF16, mul, false, Finish::Plain>(table, "mul", "", type, 90);
  addFused<fma<BF16, false, Finish::Plain>>(table, "fma.rn", type, 80);
  addFused<fma<BF16, false, Finish::Relu>>(table, "fma.rn.relu", type, 80);
  addUnary<negate<BF16, false>>(table, "neg", type, 0, 80);
  addUnary<absolute<BF16, false>>(table, "abs", type, 0, 80);
  addExtremes<BF16, false, false>(table, "min", type);
  addExtremes<BF16, false, true>(table, "max", type);
  addUnary<unary<BF16, exp2, true>>(table, "ex2.approx.ftz", type, 1, 90);
  addUnary<unary<BF16, tanh, false>>(table, "tanh.approx", type, 1, 90);
}

} // namespace tdc::sim
