//===- CompareRows.cpp - references of comparisons and selections ---------===//

#include "OpcodeRows.h"
#include "SmallReference.h"

namespace tdc::sim {

namespace {

/// The order of two numbers; all false if unordered.
struct Order {
  bool less, equal, greater;
};

template <typename T> Order orderOf(uint64_t a, uint64_t b) {
  T x = bitsAs<T>(a), y = bitsAs<T>(b);
  return {x<y, x == y, x> y};
}
template <bool Ftz> Order orderOfSingles(uint64_t a, uint64_t b) {
  float x = bitsAs<float>(a), y = bitsAs<float>(b);
  if (Ftz && std::fpclassify(x) == FP_SUBNORMAL)
    x = 0;
  if (Ftz && std::fpclassify(y) == FP_SUBNORMAL)
    y = 0;
  return {x<y, x == y, x> y};
}
template <bool Ftz> Order orderOfHalves(uint64_t a, uint64_t b) {
  auto load = [](uint64_t bits) {
    if (Ftz && !(bits & 0x7c00))
      bits = 0;
    return reference::decode(bits & 0xffff, 11, 5);
  };
  long double x = load(a), y = load(b);
  return {x<y, x == y, x> y};
}

struct Comparison {
  std::string name;
  bool (*holds)(const Order &);
  bool isForFloats = false, isForUnsigned = false;
};

const Comparison kComparisons[] = {
    {".eq", [](const Order &o) { return o.equal; }},
    {".ne", [](const Order &o) { return o.less || o.greater; }},
    {".lt", [](const Order &o) { return o.less; }},
    {".le", [](const Order &o) { return o.less || o.equal; }},
    {".gt", [](const Order &o) { return o.greater; }},
    {".ge", [](const Order &o) { return o.greater || o.equal; }},
    {".lo", [](const Order &o) { return o.less; }, false, true},
    {".ls", [](const Order &o) { return o.less || o.equal; }, false, true},
    {".hi", [](const Order &o) { return o.greater; }, false, true},
    {".hs", [](const Order &o) { return o.greater || o.equal; }, false, true},
    {".equ", [](const Order &o) { return !o.less && !o.greater; }, true},
    {".neu", [](const Order &o) { return !o.equal; }, true},
    {".ltu", [](const Order &o) { return !o.greater && !o.equal; }, true},
    {".leu", [](const Order &o) { return !o.greater; }, true},
    {".gtu", [](const Order &o) { return !o.less && !o.equal; }, true},
    {".geu", [](const Order &o) { return !o.less; }, true},
    {".num", [](const Order &o) { return o.less || o.equal || o.greater; },
     true},
    {".nan", [](const Order &o) { return !o.less && !o.equal && !o.greater; },
     true}};

struct Type {
  std::string flush, name;
  ValueKind kind;
  Order (*order)(uint64_t, uint64_t);
  bool isFloat, isUnsigned, onlyEquality;
};

const Type kTypes[] = {
    {"", ".u16", ValueKind::Int16, orderOf<uint16_t>, false, true, false},
    {"", ".s16", ValueKind::Int16, orderOf<int16_t>, false, false, false},
    {"", ".b16", ValueKind::Int16, orderOf<uint16_t>, false, false, true},
    {"", ".u32", ValueKind::Int32, orderOf<uint32_t>, false, true, false},
    {"", ".s32", ValueKind::Int32, orderOf<int32_t>, false, false, false},
    {"", ".b32", ValueKind::Int32, orderOf<uint32_t>, false, false, true},
    {"", ".u64", ValueKind::Int64, orderOf<uint64_t>, false, true, false},
    {"", ".s64", ValueKind::Int64, orderOf<int64_t>, false, false, false},
    {"", ".b64", ValueKind::Int64, orderOf<uint64_t>, false, false, true},
    {"", ".f32", ValueKind::F32, orderOfSingles<false>, true, false, false},
    {".ftz", ".f32", ValueKind::F32, orderOfSingles<true>, true, false, false},
    {"", ".f64", ValueKind::F64, orderOf<double>, true, false, false},
    {"", ".f16", ValueKind::F16, orderOfHalves<false>, true, false, false},
    {".ftz", ".f16", ValueKind::F16, orderOfHalves<true>, true, false, false}};

struct Combination {
  std::string name;
  bool (*combine)(bool, bool);
};
const Combination kCombinations[] = {
    {"", [](bool a, bool) { return a; }},
    {".and", [](bool a, bool b) { return a && b; }},
    {".or", [](bool a, bool b) { return a || b; }},
    {".xor", [](bool a, bool b) { return a != b; }}};

/// Combines both results in one number, with a negated third operand.
void addComparison(OpcodeRows &rows, const Comparison &comparison,
                   const Combination &combination, const Type &type) {
  const std::string name = comparison.name + combination.name;
  const std::string opcode = "setp" + name + type.flush + type.name;
  bool hasThird = !combination.name.empty();
  bool hasSecond = type.kind != ValueKind::F16;
  std::string operands = std::string(", A, B") + (hasThird ? ", !C;" : ";");
  LaneCheck check;
  check.result = ValueKind::Int32;
  check.sources = {type.kind, type.kind, ValueKind::Predicate};
  check.code = opcode + (hasSecond ? " P|Q" : " P") + operands +
               " selp.b32 OUT, 1, 0, P;" +
               (hasSecond ? " @Q add.u32 OUT, OUT, 2;" : "");
  check.reference = [=](const uint64_t *bits) -> uint64_t {
    bool holds = comparison.holds(type.order(bits[0], bits[1]));
    bool third = !bits[2];
    return combination.combine(holds, third) +
           (hasSecond ? 2 * combination.combine(!holds, third) : 0);
  };
  rows.push_back({opcode, [check] { check.run(); }});
  if (hasSecond) { // and without it
    check.code = opcode + " P" + operands + " selp.b32 OUT, 1, 0, P;";
    check.reference = [reference = check.reference](const uint64_t *bits) {
      return reference(bits) & 1;
    };
    rows.push_back({opcode, [check] { check.run(); }});
  }
  if (type.kind == ValueKind::Int16 || type.kind == ValueKind::F16)
    return;
  for (const char *result : {".u32", ".s32", ".f32"}) {
    LaneCheck set = check;
    const std::string setOpcode =
        "set" + name + type.flush + result + type.name;
    set.code = setOpcode + " OUT" + operands;
    bool isFloat = result == std::string(".f32");
    set.reference = [reference = check.reference,
                     isFloat](const uint64_t *bits) -> uint64_t {
      return reference(bits) & 1 ? (isFloat ? 0x3f800000 : 0xffffffff) : 0;
    };
    rows.push_back({setOpcode, [set] { set.run(); }});
  }
}

void addPairs(OpcodeRows &rows, const Comparison &comparison) {
  const std::string opcode = "setp" + comparison.name + ".f16x2";
  LaneCheck check;
  check.result = ValueKind::Int32;
  check.sources = {ValueKind::F16x2, ValueKind::F16x2};
  check.code = opcode + " P|Q, A, B; selp.b32 OUT, 1, 0, P; "
                        "@Q add.u32 OUT, OUT, 2;";
  check.reference = [comparison](const uint64_t *bits) -> uint64_t {
    return comparison.holds(orderOfHalves<false>(bits[0], bits[1])) +
           2 * comparison.holds(
                   orderOfHalves<false>(bits[0] >> 16, bits[1] >> 16));
  };
  rows.push_back({opcode, [check] { check.run(); }});
}

template <typename T>
void addSelections(OpcodeRows &rows,
                   std::initializer_list<const char *> types) {
  for (const std::string type : types) {
    rows.push_back(
        row("selp" + type, +[](T a, T b, bool c) { return c ? a : b; }));
    rows.push_back(row(
        "slct" + type + ".s32",
        +[](T a, T b, int32_t c) { return c < 0 ? b : a; }));
    rows.push_back(row(
        "slct" + type + ".f32",
        +[](T a, T b, float c) { return c >= 0 ? a : b; }));
    rows.push_back(row(
        "slct.ftz" + type + ".f32", +[](T a, T b, float c) {
          return c >= 0 || std::fpclassify(c) == FP_SUBNORMAL ? a : b;
        }));
  }
}

} // namespace

OpcodeRows compareRows() {
  OpcodeRows rows;
  for (const Comparison &comparison : kComparisons) {
    for (const Type &type : kTypes) {
      bool exists = comparison.isForFloats     ? type.isFloat
                    : comparison.isForUnsigned ? type.isUnsigned
                    : type.onlyEquality
                        ? comparison.name == ".eq" || comparison.name == ".ne"
                        : true;
      for (const Combination &combination : kCombinations)
        if (exists)
          addComparison(rows, comparison, combination, type);
    }
    if (!comparison.isForUnsigned)
      addPairs(rows, comparison);
  }
  addSelections<uint16_t>(rows, {".b16", ".u16", ".s16"});
  addSelections<uint32_t>(rows, {".b32", ".u32", ".s32", ".f32"});
  addSelections<uint64_t>(rows, {".b64", ".u64", ".s64", ".f64"});
  return rows;
}

} // namespace tdc::sim
