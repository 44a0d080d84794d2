//===- Compare.cpp - comparison and selection -----------------------------===//
//
// PTX ISA 9.7.6 "Comparison and Selection Instructions" and 9.7.7 for halves.
//
//===----------------------------------------------------------------------===//

#include "execute/Lanes.h"
#include "execute/SmallFloat.h"
#include <initializer_list>
#include <limits>

namespace tdc::sim {

namespace {

enum class Comparison : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  EqU, ///< these are true of NaN
  NeU,
  LtU,
  LeU,
  GtU,
  GeU,
  Num,
  NaN
};

template <typename T> bool isNaN(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  else
    return false;
}

/// Whether a comparison holds. PTX's ordered `ne` is false of NaN.
template <Comparison C, typename T> bool holds(T a, T b) {
  bool unordered = isNaN(a) || isNaN(b);
  switch (C) {
  case Comparison::Eq:
    return a == b;
  case Comparison::Ne:
    return a != b && !unordered;
  case Comparison::Lt:
    return a < b;
  case Comparison::Le:
    return a <= b;
  case Comparison::Gt:
    return a > b;
  case Comparison::Ge:
    return a >= b;
  case Comparison::EqU:
    return a == b || unordered;
  case Comparison::NeU:
    return a != b;
  case Comparison::LtU:
    return !(a >= b);
  case Comparison::LeU:
    return !(a > b);
  case Comparison::GtU:
    return !(a <= b);
  case Comparison::GeU:
    return !(a < b);
  case Comparison::Num:
    return !unordered;
  case Comparison::NaN:
    return unordered;
  }
  __builtin_unreachable();
}

// How the operands of a type are read.
template <typename T> struct Plain {
  using Storage = T;
  static T value(T stored) { return stored; }
};
struct FlushedFloat {
  using Storage = float;
  static float value(float stored) {
    return std::fabs(stored) < std::numeric_limits<float>::min() ? 0.0f
                                                                 : stored;
  }
};
template <typename Format, bool Ftz = false> struct Small {
  using Storage = uint16_t;
  static float value(uint16_t stored) {
    float value = toFloat<Format>(stored);
    return Ftz && std::fabs(value) < 0x1p-14f ? 0.0f : value;
  }
};

/// Bit per lane.
template <Comparison C, typename Type>
[[gnu::always_inline]] inline uint32_t compare(Warp &warp, Slot a, Slot b) {
  using Storage = typename Type::Storage;
  const Storage *left = warp.at<Storage>(a), *right = warp.at<Storage>(b);
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    mask |=
        uint32_t(holds<C>(Type::value(left[lane]), Type::value(right[lane])))
        << lane;
  return mask;
}

/// How a third operand, a predicate, is combined with the comparison.
enum class Combination : uint8_t { None, And, Or, Xor };

uint32_t combine(Combination combination, uint32_t mask, uint32_t with) {
  switch (combination) {
  case Combination::None:
    return mask;
  case Combination::And:
    return mask & with;
  case Combination::Or:
    return mask | with;
  case Combination::Xor:
    return mask ^ with;
  }
  __builtin_unreachable();
}

/// Form::parameter.
constexpr uint32_t describe(Combination combination, bool hasSecond) {
  return uint32_t(combination) << 1 | uint32_t(hasSecond);
}

/// setp p[|q], a, b[, c]: q is the same with the comparison negated.
template <Comparison C, typename Type> struct SetPredicate {
  [[gnu::always_inline]] static inline void
  run(Warp &warp, const Instruction &instruction) {
    const Slot *results = instruction.operands;
    bool hasSecond = instruction.parameter & 1;
    const Slot *sources = results + (hasSecond ? 2 : 1);
    auto combination = Combination(instruction.parameter >> 1);
    uint32_t mask = compare<C, Type>(warp, sources[0], sources[1]);
    uint32_t with =
        combination == Combination::None ? 0 : warp.getPredicate(sources[2]);
    warp.setPredicate(results[0], combine(combination, mask, with));
    if (hasSecond)
      warp.setPredicate(results[1], combine(combination, ~mask, with));
  }
};

/// set: the truth value as a number.
template <Comparison C, typename Type, typename Result> struct Set {
  [[gnu::always_inline]] static inline void
  run(Warp &warp, const Instruction &instruction) {
    const Slot *sources = instruction.operands + 1;
    auto combination = Combination(instruction.parameter >> 1);
    uint32_t with =
        combination == Combination::None ? 0 : warp.getPredicate(sources[2]);
    uint32_t mask = combine(
        combination, compare<C, Type>(warp, sources[0], sources[1]), with);
    Result results[kLanes];
    constexpr Result kTrue =
        std::is_same_v<Result, float> ? Result(1) : Result(-1);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      results[lane] = mask >> lane & 1 ? kTrue : Result(0);
    warp.set(instruction.operands[0], results);
  }
};

/// setp of two halves at once: p is the result of the lower half, q of the
/// upper half.
template <Comparison C, typename Format> struct SetPredicatePair {
  [[gnu::always_inline]] static inline void
  run(Warp &warp, const Instruction &instruction) {
    const uint32_t *a = warp.at<uint32_t>(instruction.operands[2]);
    const uint32_t *b = warp.at<uint32_t>(instruction.operands[3]);
    for (unsigned half = 0; half < 2; ++half) {
      uint32_t mask = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        mask |= uint32_t(
                    holds<C>(toFloat<Format>(uint16_t(a[lane] >> (16 * half))),
                             toFloat<Format>(uint16_t(b[lane] >> (16 * half)))))
                << lane;
      warp.setPredicate(instruction.operands[half], mask);
    }
  }
};

template <typename T> T select(T a, T b, bool p) { return p ? a : b; }
/// slct: selects by the sign of c.
template <typename T, typename C> T selectBySign(T a, T b, C c) {
  return c >= 0 ? a : b;
}
template <typename T> T selectBySignFtz(T a, T b, float c) {
  return FlushedFloat::value(c) >= 0 ? a : b;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

constexpr std::pair<const char *, Combination> kCombinations[] = {
    {"", Combination::None},
    {".and", Combination::And},
    {".or", Combination::Or},
    {".xor", Combination::Xor}};

template <Comparison C, typename Type>
void addComparison(FormTable &table, const std::string &comparison,
                   const std::string &type) {
  using Kind = OperandForm::Kind;
  using Storage = typename Type::Storage;
  const OperandForm truth{Kind::Result, Width::Predicate};
  const OperandForm source{Kind::Source, widthOf<Storage>()};
  for (auto [name, combination] : kCombinations) {
    Form form;
    form.execute = Compiled<SetPredicate<C, Type>>::choose();
    for (bool hasSecond : {false, true}) {
      if (hasSecond && sizeof(Storage) == 2 &&
          !std::is_integral_v<decltype(Type::value(Storage()))>)
        continue; // PTX has no such comparison of single halves
      form.parameter = describe(combination, hasSecond);
      form.operands = {truth, source, source};
      if (hasSecond)
        form.operands.insert(form.operands.begin(), truth);
      if (combination != Combination::None)
        form.operands.push_back({Kind::Source, Width::Predicate});
      table.add({"setp", comparison, name, type}, form);
    }
    if constexpr (sizeof(Storage) > 2) {
      form.parameter = describe(combination, false);
      form.operands = {{Kind::Result, Width::Bits32}, source, source};
      if (combination != Combination::None)
        form.operands.push_back({Kind::Source, Width::Predicate});
      // .ftz comes before both types, and `type` begins with it.
      size_t dot = type.rfind('.');
      const std::string ftz = type.substr(0, dot), last = type.substr(dot);
      form.execute = Set<C, Type, uint32_t>::run;
      table.add({"set", comparison, name, ftz, ".u32", last}, form);
      table.add({"set", comparison, name, ftz, ".s32", last}, form);
      form.execute = Set<C, Type, float>::run;
      table.add({"set", comparison, name, ftz, ".f32", last}, form);
    }
  }
}

template <Comparison C>
void addFloatComparison(FormTable &table, const std::string &name) {
  addComparison<C, Plain<float>>(table, name, ".f32");
  addComparison<C, FlushedFloat>(table, name, ".ftz.f32");
  addComparison<C, Plain<double>>(table, name, ".f64");
  addComparison<C, Small<F16>>(table, name, ".f16");
  addComparison<C, Small<F16, true>>(table, name, ".ftz.f16");
  Form pair;
  using Kind = OperandForm::Kind;
  pair.operands = {{Kind::Result, Width::Predicate},
                   {Kind::Result, Width::Predicate},
                   {Kind::Source, Width::Bits32},
                   {Kind::Source, Width::Bits32}};
  pair.execute = Compiled<SetPredicatePair<C, F16>>::choose();
  table.add("setp" + name + ".f16x2", pair);
}

template <Comparison C>
void addIntegerComparison(FormTable &table, const std::string &name) {
  addComparison<C, Plain<uint16_t>>(table, name, ".u16");
  addComparison<C, Plain<int16_t>>(table, name, ".s16");
  addComparison<C, Plain<uint32_t>>(table, name, ".u32");
  addComparison<C, Plain<int32_t>>(table, name, ".s32");
  addComparison<C, Plain<uint64_t>>(table, name, ".u64");
  addComparison<C, Plain<int64_t>>(table, name, ".s64");
}

template <Comparison C>
void addEquality(FormTable &table, const std::string &name) {
  addIntegerComparison<C>(table, name);
  addFloatComparison<C>(table, name);
  addComparison<C, Plain<uint16_t>>(table, name, ".b16");
  addComparison<C, Plain<uint32_t>>(table, name, ".b32");
  addComparison<C, Plain<uint64_t>>(table, name, ".b64");
}

/// PTX has further names for the order of unsigned numbers.
template <Comparison C>
void addOrder(FormTable &table, const std::string &name,
              const std::string &unsignedName) {
  addIntegerComparison<C>(table, name);
  addFloatComparison<C>(table, name);
  addComparison<C, Plain<uint16_t>>(table, unsignedName, ".u16");
  addComparison<C, Plain<uint32_t>>(table, unsignedName, ".u32");
  addComparison<C, Plain<uint64_t>>(table, unsignedName, ".u64");
}

template <typename T>
void addSelection(FormTable &table, std::initializer_list<const char *> types) {
  for (const char *type : types) {
    table.add(std::string("selp") + type, lanewise<select<T>>());
    const std::string slct = "slct";
    table.add(slct + type + ".s32", lanewise<selectBySign<T, int32_t>>());
    table.add(slct + type + ".f32", lanewise<selectBySign<T, float>>());
    table.add(slct + ".ftz" + type + ".f32", lanewise<selectBySignFtz<T>>());
  }
}

} // namespace

void addCompareForms(FormTable &table) {
  addEquality<Comparison::Eq>(table, ".eq");
  addEquality<Comparison::Ne>(table, ".ne");
  addOrder<Comparison::Lt>(table, ".lt", ".lo");
  addOrder<Comparison::Le>(table, ".le", ".ls");
  addOrder<Comparison::Gt>(table, ".gt", ".hi");
  addOrder<Comparison::Ge>(table, ".ge", ".hs");
  addFloatComparison<Comparison::EqU>(table, ".equ");
  addFloatComparison<Comparison::NeU>(table, ".neu");
  addFloatComparison<Comparison::LtU>(table, ".ltu");
  addFloatComparison<Comparison::LeU>(table, ".leu");
  addFloatComparison<Comparison::GtU>(table, ".gtu");
  addFloatComparison<Comparison::GeU>(table, ".geu");
  addFloatComparison<Comparison::Num>(table, ".num");
  addFloatComparison<Comparison::NaN>(table, ".nan");
  addSelection<uint16_t>(table, {".b16", ".u16", ".s16"});
  addSelection<uint32_t>(table, {".b32", ".u32", ".s32", ".f32"});
  addSelection<uint64_t>(table, {".b64", ".u64", ".s64", ".f64"});
}

} // namespace tdc::sim
