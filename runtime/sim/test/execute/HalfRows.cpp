//===- HalfRows.cpp - references of f16 and bf16 instructions -------------===//
//
// Computed in long double. A sum that does not fit is rounded to odd, with the
// processor's flag for inexact results.
//
//===----------------------------------------------------------------------===//

#include "OpcodeRows.h"
#include "SmallReference.h"
#include <algorithm>
#include <cfenv>

namespace tdc::sim {

namespace {

using namespace reference;

template <bool Brain> long double load(uint64_t bits) {
  return decode(bits & 0xffff, Brain ? 8 : 11, Brain ? 8 : 5);
}
template <bool Brain> uint64_t store(long double value) {
  return encode(toFormat(value, Brain ? kBF16 : kF16, roundToEven),
                Brain ? 8 : 11, Brain ? 8 : 5);
}

long double addToOdd(long double a, long double b) {
  volatile long double x = a, y = b;
  std::feclearexcept(FE_INEXACT);
  std::fesetround(FE_TOWARDZERO);
  volatile long double sum = x + y;
  bool isInexact = std::fetestexcept(FE_INEXACT);
  std::fesetround(FE_TONEAREST);
  if (!isInexact || !std::isfinite(sum))
    return a + b;
  long double result = sum;
  uint64_t significand; // the low eight bytes of an x87 number
  memcpy(&significand, &result, sizeof significand);
  significand |= 1;
  memcpy(&result, &significand, sizeof significand);
  return result;
}

/// The variant of an instruction, and its function of up to three numbers.
struct Variant {
  bool brain, ftz, sat, relu;
};
using Function = std::function<long double(const long double *)>;

/// A result of 16 bits from operands of 16 bits.
uint64_t apply(const Variant &variant, const Function &function,
               const uint64_t *bits, size_t count) {
  auto flush = [&](uint64_t value) {
    bool isSubnormal = (value & (variant.brain ? 0x7f80 : 0x7c00)) == 0;
    return variant.ftz && isSubnormal ? value & 0x8000 : value;
  };
  long double values[3];
  for (size_t i = 0; i < count; ++i) {
    uint64_t flushed = flush(bits[i]);
    values[i] = variant.brain ? load<true>(flushed) : load<false>(flushed);
  }
  long double result = function(values);
  if (variant.sat)
    result = result > 0 ? std::fmin(result, 1.0L) : 0; // +0 of -0 and NaN
  if (variant.relu && result <= 0)
    result = 0;
  return flush(variant.brain ? store<true>(result) : store<false>(result));
}

/// The rows of single values and of pairs.
void addRows(OpcodeRows &rows, const std::string &name, size_t count,
             const Variant &variant, const Function &function,
             Tolerance tolerance = {}) {
  const std::string type = variant.brain ? ".bf16" : ".f16";
  for (bool isPair : {false, true}) {
    const std::string opcode = name + type + (isPair ? "x2" : "");
    ValueKind kind = variant.brain
                         ? (isPair ? ValueKind::BF16x2 : ValueKind::BF16)
                         : (isPair ? ValueKind::F16x2 : ValueKind::F16);
    LaneCheck check{opcode + " " + operandList(count) + ";", kind,
                    std::vector<ValueKind>(count, kind),
                    [=](const uint64_t *bits) {
                      uint64_t lower[3], upper[3];
                      for (size_t i = 0; i < count; ++i) {
                        lower[i] = bits[i] & 0xffff;
                        upper[i] = bits[i] >> 16 & 0xffff;
                      }
                      uint64_t result = apply(variant, function, lower, count);
                      if (isPair)
                        result |= apply(variant, function, upper, count) << 16;
                      return result;
                    },
                    tolerance};
    rows.push_back({opcode, [check] { check.run(); }});
  }
}

long double extremeOf(long double a, long double b, bool isMaximum,
                      bool propagates) {
  if (propagates && (std::isnan(a) || std::isnan(b)))
    return NAN;
  if (a == 0 && b == 0)
    return std::signbit(a) == isMaximum ? b : a;
  return isMaximum ? std::fmax(a, b) : std::fmin(a, b);
}

void addExtremes(OpcodeRows &rows, bool brain, bool ftz) {
  Variant variant{brain, ftz, false, false};
  for (bool isMaximum : {false, true})
    for (bool propagates : {false, true}) {
      const std::string name = std::string(isMaximum ? "max" : "min") +
                               (ftz ? ".ftz" : "") + (propagates ? ".NaN" : "");
      addRows(rows, name, 2, variant, [=](const long double *v) {
        return extremeOf(v[0], v[1], isMaximum, propagates);
      });
      addRows(rows, name + ".xorsign.abs", 2, variant,
              [=](const long double *v) {
                long double result = extremeOf(std::fabs(v[0]), std::fabs(v[1]),
                                               isMaximum, propagates);
                bool isNegative = std::signbit(v[0]) != std::signbit(v[1]);
                return std::copysign(result, isNegative ? -1.0L : 1.0L);
              });
    }
}

void addArithmetic(OpcodeRows &rows, bool brain, bool ftz) {
  const std::string flush = ftz ? ".ftz" : "";
  const Function add = [](const long double *v) {
    return addToOdd(v[0], v[1]);
  };
  const Function sub = [](const long double *v) {
    return addToOdd(v[0], -v[1]);
  };
  const Function mul = [](const long double *v) { return v[0] * v[1]; };
  const Function fma = [](const long double *v) {
    return addToOdd(v[0] * v[1], v[2]);
  };
  for (bool sat : {false, true}) {
    if (sat && brain)
      continue;
    Variant variant{brain, ftz, sat, false};
    const std::string qualifiers = flush + (sat ? ".sat" : "");
    for (const char *round : {"", ".rn"}) {
      addRows(rows, "add" + (round + qualifiers), 2, variant, add);
      addRows(rows, "sub" + (round + qualifiers), 2, variant, sub);
      addRows(rows, "mul" + (round + qualifiers), 2, variant, mul);
    }
    addRows(rows, "fma.rn" + qualifiers, 3, variant, fma);
  }
  addRows(rows, "fma.rn" + flush + ".relu", 3, {brain, ftz, false, true}, fma);
  Variant plain{brain, ftz, false, false};
  // The sign of a NaN, too: through copysign.
  addRows(rows, "neg" + flush, 1, plain,
          [](const long double *v) { return -v[0]; });
  addRows(rows, "abs" + flush, 1, plain,
          [](const long double *v) { return std::fabs(v[0]); });
  addExtremes(rows, brain, ftz);
}

} // namespace

OpcodeRows halfRows() {
  OpcodeRows rows;
  addArithmetic(rows, false, false);
  addArithmetic(rows, false, true);
  addArithmetic(rows, true, false);
  const Function exp2 = [](const long double *v) { return std::exp2(v[0]); };
  const Function tanh = [](const long double *v) { return std::tanh(v[0]); };
  addRows(rows, "ex2.approx", 1, {false, false, false, false}, exp2, {1});
  addRows(rows, "ex2.approx.ftz", 1, {true, true, false, false}, exp2, {1});
  addRows(rows, "tanh.approx", 1, {false, false, false, false}, tanh, {1});
  addRows(rows, "tanh.approx", 1, {true, false, false, false}, tanh, {1});
  return rows;
}

} // namespace tdc::sim
