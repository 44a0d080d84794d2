//===- ConvertRows.cpp - references of cvt --------------------------------===//
//
// One reference for all of them: the name gives the types and the mode of the
// conversion; the value passes through long double, which holds all others
// exactly.
//
//===----------------------------------------------------------------------===//

#include "OpcodeRows.h"
#include "SmallReference.h"
#include <algorithm>
#include <optional>

namespace tdc::sim {

namespace {

using namespace reference;

struct Type {
  std::string name;
  unsigned bits;
  bool isFloat, isSigned;
  ValueKind kind;
  Format format = {};
  int exponentBits = 0;
};

const Type kTypes[] = {{".u8", 8, false, false, ValueKind::Int16},
                       {".s8", 8, false, true, ValueKind::Int16},
                       {".u16", 16, false, false, ValueKind::Int16},
                       {".s16", 16, false, true, ValueKind::Int16},
                       {".u32", 32, false, false, ValueKind::Int32},
                       {".s32", 32, false, true, ValueKind::Int32},
                       {".u64", 64, false, false, ValueKind::Int64},
                       {".s64", 64, false, true, ValueKind::Int64},
                       {".f16", 16, true, true, ValueKind::F16, kF16, 5},
                       {".bf16", 16, true, true, ValueKind::BF16, kBF16, 8},
                       {".f32", 32, true, true, ValueKind::F32, kF32, 8},
                       {".f64", 64, true, true, ValueKind::F64, kF64, 11}};
/// Stored in 32 bits; the low 13 are 0.
const Type kTensor = {".tf32", 32, true, true, ValueKind::F32, kTF32, 8};

const Type &typeOf(const std::string &name) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [&](const Type &type) { return type.name == name; });
}

struct Mode {
  std::string rounding; ///< ".rn" and so on, with an i for integers, or none
  bool ftz = false, sat = false, relu = false;
  std::string text() const {
    return rounding + (ftz ? ".ftz" : "") + (relu ? ".relu" : "") +
           (sat ? ".sat" : "");
  }
};

long double roundAs(const std::string &rounding, long double value) {
  switch (rounding.size() > 2 ? rounding[2] : 'n') {
  case 'z':
    return std::trunc(value);
  case 'm':
    return std::floor(value);
  case 'p':
    return std::ceil(value);
  default:
    return rounding.substr(0, 4) == ".rna" ? std::round(value)
                                           : std::nearbyint(value);
  }
}

long double flush(long double value) {
  return std::fabs(value) < 0x1p-126L ? std::copysign(0.0L, value) : value;
}

long double load(const Type &type, uint64_t bits) {
  if (type.isFloat)
    return decode(bits, type.format.digits, type.exponentBits);
  if (type.isSigned) // from the low bits
    return (long double)(int64_t(bits << (64 - type.bits)) >> (64 - type.bits));
  return (long double)(bits << (64 - type.bits) >> (64 - type.bits));
}

/// Extended to 64 bits, as in a wider register.
uint64_t storeInt(const Type &type, long double value) {
  if (std::isnan(value))
    return 0;
  long double top = std::ldexp(1.0L, int(type.bits) - int(type.isSigned));
  if (value >= top)
    return type.isSigned ? (uint64_t(1) << (type.bits - 1)) - 1
                         : ~uint64_t(0) >> (64 - type.bits);
  if (!type.isSigned)
    return value <= 0 ? 0 : uint64_t(value);
  return value <= -top ? uint64_t(-1) << (type.bits - 1)
                       : uint64_t(int64_t(value));
}

uint64_t convert(const Type &to, const Type &from, const Mode &mode,
                 uint64_t bits) {
  if (!to.isFloat && !from.isFloat && !mode.sat) {
    uint64_t value =
        from.isSigned
            ? uint64_t(int64_t(bits << (64 - from.bits)) >> (64 - from.bits))
            : bits << (64 - from.bits) >> (64 - from.bits);
    return to.isSigned
               ? uint64_t(int64_t(value << (64 - to.bits)) >> (64 - to.bits))
               : value << (64 - to.bits) >> (64 - to.bits);
  }
  long double value = load(from, bits);
  if (mode.ftz && from.name == ".f32")
    value = flush(value);
  bool isIntegral = !mode.rounding.empty() && mode.rounding.back() == 'i';
  if (isIntegral && std::isfinite(value)) {
    long double rounded = roundAs(mode.rounding, value);
    value = rounded == 0 ? std::copysign(0.0L, value) : rounded;
  }
  if (!to.isFloat)
    return storeInt(to, value);
  if (mode.sat)
    value = value > 0 ? std::fmin(value, 1.0L) : 0; // +0 of -0 and NaN
  if (mode.relu && value <= 0)
    value = 0; // +0 of -0
  value = toFormat(value, to.format, [&](long double x) {
    return isIntegral ? std::nearbyint(x) : roundAs(mode.rounding, x);
  });
  if (mode.ftz && to.name == ".f32")
    value = flush(value);
  uint64_t result = encode(value, to.format.digits, to.exponentBits);
  return to.name == ".tf32" ? result << 13 : result;
}

/// Adds a row, for integers also with wider registers: the upper bits of
/// operands are ignored, those of results are filled.
void addRow(OpcodeRows &rows, const Type &to, const Type &from,
            const Mode &mode) {
  const std::string opcode = "cvt" + mode.text() + to.name + from.name;
  LaneCheck check{
      opcode + " OUT, A;", to.kind, {from.kind}, [=](const uint64_t *bits) {
        return convert(to, from, mode, bits[0]);
      }};
  rows.push_back({opcode, [check] { check.run(); }});
  LaneCheck wide = check;
  if (!to.isFloat)
    wide.result = ValueKind::Int64;
  if (!from.isFloat)
    wide.sources = {ValueKind::Int64};
  if (!to.isFloat || !from.isFloat)
    rows.push_back({opcode, [wide] { wide.run(); }});
}

void addModes(OpcodeRows &rows, const Type &to, const Type &from,
              const std::string &rounding, bool canSaturate) {
  bool canFlush = from.isFloat && (to.name == ".f32" || from.name == ".f32");
  for (bool ftz : {false, true})
    for (bool sat : {false, true})
      if ((!ftz || canFlush) && (!sat || canSaturate))
        addRow(rows, to, from, {rounding, ftz, sat});
}

bool fits(const Type &to, const Type &from) {
  if (to.isSigned == from.isSigned)
    return to.bits >= from.bits;
  return to.isSigned && to.bits > from.bits;
}

void addPairs(OpcodeRows &rows, const Type &half, const std::string &rounding,
              bool relu) {
  Mode mode{rounding, false, false, relu};
  const std::string opcode = "cvt" + mode.text() + half.name + "x2.f32";
  LaneCheck check{opcode + " OUT, A, B;",
                  half.kind == ValueKind::F16 ? ValueKind::F16x2
                                              : ValueKind::BF16x2,
                  {ValueKind::F32, ValueKind::F32},
                  [=](const uint64_t *bits) {
                    const Type &single = typeOf(".f32");
                    return convert(half, single, mode, bits[0]) << 16 |
                           convert(half, single, mode, bits[1]);
                  }};
  rows.push_back({opcode, [check] { check.run(); }});
}

} // namespace

OpcodeRows convertRows() {
  OpcodeRows rows;
  const char *const directions[] = {".rn", ".rz", ".rm", ".rp"};
  for (const Type &to : kTypes)
    for (const Type &from : kTypes) {
      bool isBrain = to.name == ".bf16" || from.name == ".bf16";
      if (isBrain && (to.bits == 8 || from.bits == 8))
        continue; // there are none
      if (!to.isFloat && !from.isFloat) {
        addModes(rows, to, from, "", !fits(to, from));
      } else if (!to.isFloat || !from.isFloat) {
        for (const std::string direction : directions)
          addModes(rows, to, from, direction + (to.isFloat ? "" : "i"),
                   !to.isFloat && !isBrain);
      } else if (to.bits < from.bits) {
        if (isBrain && from.name == ".f32")
          continue; // below
        for (const char *direction : directions)
          addModes(rows, to, from, direction, !isBrain);
      } else if (to.bits > from.bits) {
        addModes(rows, to, from, "", !isBrain);
      } else if (to.name == from.name) {
        if (!isBrain)
          addModes(rows, to, from, "", true);
        for (const std::string direction : directions)
          addModes(rows, to, from, direction + "i", !isBrain);
      } else if (to.name == ".bf16") { // from f16
        for (const char *direction : directions)
          addModes(rows, to, from, direction, false);
      }
    }
  const Type &single = typeOf(".f32");
  for (const char *name : {".f16", ".bf16"})
    for (const char *rounding : {".rn", ".rz"}) {
      if (name == std::string(".bf16"))
        addRow(rows, typeOf(name), single, {rounding});
      addRow(rows, typeOf(name), single, {rounding, false, false, true});
      addPairs(rows, typeOf(name), rounding, false);
      addPairs(rows, typeOf(name), rounding, true);
    }
  addRow(rows, kTensor, single, {".rna"});
  for (const char *rounding : {".rn", ".rz"})
    for (bool relu : {false, true})
      addRow(rows, kTensor, single, {rounding, false, false, relu});
  return rows;
}

} // namespace tdc::sim
