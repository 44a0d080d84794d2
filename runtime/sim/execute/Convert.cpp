//===- Convert.cpp - cvt --------------------------------------------------===//
//
// PTX ISA 9.7.9.21 "cvt" and 9.7.9.22 "cvt.pack". Every conversion rounds once.
//
//===----------------------------------------------------------------------===//

#include "execute/Lanes.h"
#include "execute/SmallFloat.h"
#include <algorithm>
#include <limits>

namespace tdc::sim {

namespace {

/// The qualifiers of a conversion, as Form::parameter.
struct Mode {
  Rounding rounding = Rounding::Nearest;
  bool ftz = false, sat = false, relu = false;

  uint32_t pack() const {
    return uint32_t(rounding) | uint32_t(ftz) << 3 | uint32_t(sat) << 4 |
           uint32_t(relu) << 5;
  }
  static Mode unpack(uint32_t bits) {
    return {Rounding(bits & 7), (bits & 8) != 0, (bits & 16) != 0,
            (bits & 32) != 0};
  }
};

// The types of conversions, each with its storage and its value, which is exact
// in f64.
template <typename T> struct Int {
  using Storage = T;
};
template <typename Format> struct Small {
  using Storage = typename Format::Storage;
  static double load(Storage bits) { return toFloat<Format>(bits); }
  static Storage store(double value, Rounding rounding) {
    return encode<Format>(value, rounding);
  }
};
struct Single {
  using Storage = float;
  static double load(float value) { return value; }
  static float store(double value, Rounding rounding) {
    if (std::isnan(value))
      return bitCast<float>(0x7fffffffu);
    return rounding == Rounding::Nearest
               ? float(value)
               : bitCast<float>(encode<F32>(value, rounding));
  }
};
struct Double {
  using Storage = double;
  static double load(double value) { return value; }
  static double store(double value, Rounding) { return value; }
};

template <typename Type> constexpr bool isSingle = false;
template <> constexpr bool isSingle<Single> = true;

double flush(double value) {
  return std::fabs(value) < std::numeric_limits<float>::min()
             ? std::copysign(0.0, value)
             : value;
}

/// Rounds an integer to odd in f64: any lost bit shows in the last one, so that
/// a second rounding gives the right result.
template <typename T> double toOdd(T value) {
  bool isNegative = value < 0;
  uint64_t magnitude = isNegative ? -uint64_t(value) : uint64_t(value);
  if (magnitude >> 53) {
    uint64_t lost = magnitude & 0x7ff;
    magnitude = (magnitude & ~uint64_t(0x7ff)) | uint64_t(lost != 0) << 11;
  }
  return isNegative ? -double(magnitude) : double(magnitude);
}

double toIntegral(double value, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
  case Rounding::Away:
    return std::nearbyint(value);
  case Rounding::Zero:
    return std::trunc(value);
  case Rounding::Down:
    return std::floor(value);
  case Rounding::Up:
    return std::ceil(value);
  }
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// One lane
//===----------------------------------------------------------------------===//

template <typename To, typename From> struct IntToInt {
  using Result = typename To::Storage;
  using Source = typename From::Storage;
  static Result convert(Source value, const Mode &mode) {
    if (!mode.sat)
      return Result(value);
    using Wide = __int128;
    return Result(std::clamp<Wide>(value, std::numeric_limits<Result>::min(),
                                   std::numeric_limits<Result>::max()));
  }
};

template <typename To, typename From> struct IntToFloat {
  using Result = typename To::Storage;
  using Source = typename From::Storage;
  static Result convert(Source value, const Mode &mode) {
    if constexpr (std::is_same_v<To, Double>) {
      return mode.rounding == Rounding::Nearest
                 ? double(value)
                 : directed(value, mode.rounding);
    } else {
      if (isSingle<To> && mode.rounding == Rounding::Nearest && !mode.sat)
        return Result(float(value));
      double exact = toOdd(value);
      return To::store(mode.sat ? std::clamp(exact, 0.0, 1.0) : exact,
                       mode.rounding);
    }
  }

private:
  static double directed(Source value, Rounding rounding) {
    double nearest = double(value);
    // 2^64 is no 64-bit integer: compare in 128 bits.
    __int128 difference = __int128(nearest) - value;
    double limit = rounding == Rounding::Down ? -INFINITY
                   : rounding == Rounding::Up ? INFINITY
                                              : 0.0;
    bool isTooHigh = difference > 0, isTooLow = difference < 0;
    bool goesUp = limit > nearest || (limit == 0 && nearest < 0);
    if (goesUp ? isTooLow : isTooHigh)
      return std::nextafter(nearest, limit);
    return nearest;
  }
};

template <typename To, typename From> struct FloatToInt {
  using Result = typename To::Storage;
  using Source = typename From::Storage;
  static Result convert(Source source, const Mode &mode) {
    double value = From::load(source);
    value = toIntegral(mode.ftz && isSingle<From> ? flush(value) : value,
                       mode.rounding);
    // The limits as f64: the one of 64 bits is rounded up, hence the >=.
    constexpr Result kMin = std::numeric_limits<Result>::min();
    constexpr Result kMax = std::numeric_limits<Result>::max();
    if (value >= double(kMax))
      return kMax;
    if (value <= double(kMin))
      return kMin;
    return std::isnan(value) ? Result(0) : Result(value);
  }
};

template <typename To, typename From, bool Integral = false>
struct FloatToFloat {
  using Result = typename To::Storage;
  using Source = typename From::Storage;
  static Result convert(Source source, const Mode &mode) {
    double value = From::load(source);
    if (mode.ftz && isSingle<From>)
      value = flush(value);
    if (Integral)
      value = toIntegral(value, mode.rounding);
    if (mode.sat)
      value = value > 1 ? 1 : value > 0 ? value : 0;
    if (mode.relu && value <= 0)
      value = 0;
    Result result =
        To::store(value, Integral ? Rounding::Nearest : mode.rounding);
    if constexpr (isSingle<To>)
      return mode.ftz ? float(flush(result)) : result;
    return result;
  }
};

/// A fast path for the most frequent conversions.
template <typename Format> struct NearestFromFloat {
  using Result = uint16_t;
  using Source = float;
  static uint16_t convert(float value, const Mode &) {
    return fromFloat<Format>(value);
  }
};
template <typename Format> struct FloatFromSmall {
  using Result = float;
  using Source = uint16_t;
  static float convert(uint16_t bits, const Mode &) {
    float value = toFloat<Format>(bits);
    return std::isnan(value) ? bitCast<float>(0x7fffffffu) : value;
  }
};

//===----------------------------------------------------------------------===//
// A warp
//===----------------------------------------------------------------------===//

/// Reads the low part of registers, which may be wider than the source, and
/// extends results.
template <typename Conversion> struct Convert {
  using Result = typename Conversion::Result;
  using Source = typename Conversion::Source;

  [[gnu::always_inline]] static inline void
  run(Warp &warp, const Instruction &instruction) {
    const Mode mode = Mode::unpack(instruction.parameter);
    alignas(32) Source sources[kLanes];
    alignas(32) Result results[kLanes];
    read(warp, instruction, sources);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      results[lane] = Conversion::convert(sources[lane], mode);
    write(warp, instruction, results);
  }

private:
  template <typename Register>
  [[gnu::always_inline]] static inline void
  readAs(Warp &warp, const Instruction &instruction, Source *sources) {
    const Register *values = warp.at<Register>(instruction.operands[1]);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      sources[lane] = Source(values[lane]);
  }
  [[gnu::always_inline]] static inline void
  read(Warp &warp, const Instruction &instruction, Source *sources) {
    if constexpr (std::is_floating_point_v<Source>)
      return readAs<Source>(warp, instruction, sources);
    else if (instruction.sourceBytes == 2)
      return readAs<uint16_t>(warp, instruction, sources);
    else if (instruction.sourceBytes == 4)
      return readAs<uint32_t>(warp, instruction, sources);
    else
      return readAs<uint64_t>(warp, instruction, sources);
  }

  template <typename Register>
  [[gnu::always_inline]] static inline void
  writeAs(Warp &warp, const Instruction &instruction, const Result *results) {
    alignas(32) Register values[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number
      values[lane] = Register(results[lane]);
    warp.set(instruction.operands[0], values);
  }
  [[gnu::always_inline]] static inline void
  write(Warp &warp, const Instruction &instruction, const Result *results) {
    if constexpr (std::is_floating_point_v<Result>)
      return writeAs<Result>(warp, instruction, results);
    else if (instruction.resultBytes == 2)
      return writeAs<uint16_t>(warp, instruction, results);
    else if (instruction.resultBytes == 4)
      return writeAs<uint32_t>(warp, instruction, results);
    else
      return writeAs<uint64_t>(warp, instruction, results);
  }
};

/// cvt.f16x2.f32 d, a, b: a becomes the upper half.
template <typename Format> struct ConvertPair {
  [[gnu::always_inline]] static inline void
  run(Warp &warp, const Instruction &instruction) {
    const Mode mode = Mode::unpack(instruction.parameter);
    const float *upper = warp.at<float>(instruction.operands[1]);
    const float *lower = warp.at<float>(instruction.operands[2]);
    alignas(32) uint32_t results[kLanes];
    auto convert = [&](float value) -> uint32_t {
      if (mode.rounding == Rounding::Nearest)
        return fromFloat<Format>(mode.relu && value <= 0 ? 0.0f : value);
      return encode<Format>(mode.relu && value <= 0 ? 0.0f : value,
                            mode.rounding);
    };
    for (unsigned lane = 0; lane < kLanes; ++lane)
      results[lane] = convert(lower[lane]) | convert(upper[lane]) << 16;
    warp.set(instruction.operands[0], results);
  }
};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename T> struct Name;
template <> struct Name<Int<uint8_t>> {
  static constexpr auto kText = ".u8";
};
template <> struct Name<Int<int8_t>> {
  static constexpr auto kText = ".s8";
};
template <> struct Name<Int<uint16_t>> {
  static constexpr auto kText = ".u16";
};
template <> struct Name<Int<int16_t>> {
  static constexpr auto kText = ".s16";
};
template <> struct Name<Int<uint32_t>> {
  static constexpr auto kText = ".u32";
};
template <> struct Name<Int<int32_t>> {
  static constexpr auto kText = ".s32";
};
template <> struct Name<Int<uint64_t>> {
  static constexpr auto kText = ".u64";
};
template <> struct Name<Int<int64_t>> {
  static constexpr auto kText = ".s64";
};
template <> struct Name<Small<F16>> {
  static constexpr auto kText = ".f16";
};
template <> struct Name<Small<BF16>> {
  static constexpr auto kText = ".bf16";
};
template <> struct Name<Small<TF32>> {
  static constexpr auto kText = ".tf32";
};
template <> struct Name<Single> {
  static constexpr auto kText = ".f32";
};
template <> struct Name<Double> {
  static constexpr auto kText = ".f64";
};

template <typename To, typename From> std::string typesOf() {
  return std::string(Name<To>::kText) + Name<From>::kText;
}

template <typename T> constexpr bool isInt = false;
template <typename T> constexpr bool isInt<Int<T>> = true;

/// Integers may be in wider registers; floating-point numbers may not.
template <typename Type> OperandForm operandOf(bool isResult) {
  using Kind = OperandForm::Kind;
  using Storage = typename Type::Storage;
  constexpr Width kWidth =
      sizeof(Storage) == 1 ? Width::Bits16 : widthOf<Storage>();
  // A float that is stored as an integer also matches by width.
  if (isInt<Type> || !std::is_floating_point_v<Storage>)
    return {isResult ? Kind::AnyResult : Kind::AnySource, kWidth};
  return {isResult ? Kind::Result : Kind::Source, kWidth};
}

template <typename Conversion, typename To, typename From>
void addConversion(FormTable &table, const std::string &qualifiers,
                   const Mode &mode, int target = 80) {
  Form form;
  form.execute = Compiled<Convert<Conversion>>::choose();
  form.operands = {operandOf<To>(true), operandOf<From>(false)};
  form.parameter = mode.pack();
  form.target = target;
  table.add("cvt" + qualifiers + typesOf<To, From>(), form);
}

/// Adds the forms without and with .sat (and .ftz, where one of the types is
/// f32), after the rounding.
template <typename Conversion, typename To, typename From>
void addQualified(FormTable &table, const std::string &rounding, Mode mode,
                  bool canSaturate, int target = 80) {
  constexpr bool kCanFlush = isSingle<To> || isSingle<From>;
  for (bool ftz : {false, true}) {
    if (ftz && !(kCanFlush && !(isInt<From>)))
      continue;
    for (bool sat : {false, true}) {
      if (sat && !canSaturate)
        continue;
      mode.ftz = ftz;
      mode.sat = sat;
      addConversion<Conversion, To, From>(
          table, rounding + (ftz ? ".ftz" : "") + (sat ? ".sat" : ""), mode,
          target);
    }
  }
}

constexpr Rounding kDirections[] = {Rounding::Nearest, Rounding::Zero,
                                    Rounding::Down, Rounding::Up};

template <typename To, typename From>
void addIntToFloat(FormTable &table, int target = 80) {
  for (Rounding rounding : kDirections)
    addQualified<IntToFloat<To, From>, To, From>(
        table, nameOf(rounding), {rounding}, /*canSaturate=*/false, target);
}
template <typename To, typename From>
void addFloatToInt(FormTable &table, bool canSaturate, int target = 80) {
  for (Rounding rounding : kDirections)
    addQualified<FloatToInt<To, From>, To, From>(
        table, std::string(nameOf(rounding)) + "i", {rounding}, canSaturate,
        target);
}
template <typename Type>
void addToIntegral(FormTable &table, bool canSaturate, int target = 80) {
  for (Rounding rounding : kDirections)
    addQualified<FloatToFloat<Type, Type, true>, Type, Type>(
        table, std::string(nameOf(rounding)) + "i", {rounding}, canSaturate,
        target);
}
template <typename To, typename From>
void addNarrowing(FormTable &table, bool canSaturate, int target = 80) {
  for (Rounding rounding : kDirections)
    addQualified<FloatToFloat<To, From>, To, From>(
        table, nameOf(rounding), {rounding}, canSaturate, target);
}
template <typename To, typename From>
void addWidening(FormTable &table, bool canSaturate, int target = 80) {
  addQualified<FloatToFloat<To, From>, To, From>(table, "", {}, canSaturate,
                                                 target);
}

/// Whether every value of From fits in To. Only conversions that may not fit
/// have .sat.
template <typename To, typename From> constexpr bool fits() {
  using Result = std::numeric_limits<typename To::Storage>;
  using Source = std::numeric_limits<typename From::Storage>;
  return Result::digits >= Source::digits &&
         (Result::is_signed || !Source::is_signed);
}

template <typename I, typename... Others> void addInteger(FormTable &table) {
  (addQualified<IntToInt<I, Others>, I, Others>(table, "", {},
                                                !fits<I, Others>()),
   ...);
  addIntToFloat<Small<F16>, I>(table);
  addIntToFloat<Single, I>(table);
  addIntToFloat<Double, I>(table);
  addFloatToInt<I, Small<F16>>(table, true);
  addFloatToInt<I, Single>(table, true);
  addFloatToInt<I, Double>(table, true);
  if constexpr (sizeof(typename I::Storage) > 1) {
    addIntToFloat<Small<BF16>, I>(table, 90);
    addFloatToInt<I, Small<BF16>>(table, false, 90);
  }
}

template <typename... I> void addIntegers(FormTable &table) {
  (addInteger<I, I...>(table), ...);
}

/// f32 to a 16-bit format: to nearest and to zero also with .relu.
template <typename Format>
void addSingleToSmall(FormTable &table, const std::string &name) {
  using To = Small<Format>;
  for (Rounding rounding : {Rounding::Nearest, Rounding::Zero}) {
    const std::string prefix = nameOf(rounding);
    addConversion<FloatToFloat<To, Single>, To, Single>(
        table, prefix + ".relu", {rounding, false, false, true});
    Form pair;
    pair.execute = Compiled<ConvertPair<Format>>::choose();
    pair.operands = {{OperandForm::Kind::Result, Width::Bits32},
                     {OperandForm::Kind::Source, Width::Bits32},
                     {OperandForm::Kind::Source, Width::Bits32}};
    pair.parameter = Mode{rounding}.pack();
    table.add("cvt" + prefix + name + "x2.f32", pair);
    pair.parameter = Mode{rounding, false, false, true}.pack();
    table.add("cvt" + prefix + ".relu" + name + "x2.f32", pair);
  }
  addConversion<NearestFromFloat<Format>, To, Single>(table, ".rn", {});
  addConversion<FloatFromSmall<Format>, Single, To>(table, "", {});
}

} // namespace

void addConvertForms(FormTable &table) {
  addIntegers<Int<uint8_t>, Int<int8_t>, Int<uint16_t>, Int<int16_t>,
              Int<uint32_t>, Int<int32_t>, Int<uint64_t>, Int<int64_t>>(table);

  // Of two equal forms the first is found: the fast ones are added first.
  addSingleToSmall<F16>(table, ".f16");
  addSingleToSmall<BF16>(table, ".bf16");
  addNarrowing<Small<F16>, Single>(table, true);
  addNarrowing<Small<F16>, Double>(table, true);
  addNarrowing<Single, Double>(table, true);
  addConversion<FloatToFloat<Small<BF16>, Single>, Small<BF16>, Single>(
      table, ".rz", {Rounding::Zero});
  addNarrowing<Small<BF16>, Double>(table, false, 90);
  addNarrowing<Small<BF16>, Small<F16>>(table, false, 90);
  addWidening<Single, Small<F16>>(table, true);
  addWidening<Double, Small<F16>>(table, true);
  addWidening<Double, Single>(table, true);
  addWidening<Single, Single>(table, true);
  addWidening<Double, Double>(table, true);
  addWidening<Small<F16>, Small<F16>>(table, true);
  addConversion<FloatToFloat<Single, Small<BF16>>, Single, Small<BF16>>(
      table, ".ftz", {Rounding::Nearest, true}, 90);
  addWidening<Double, Small<BF16>>(table, false, 90);
  addToIntegral<Single>(table, true);
  addToIntegral<Double>(table, true);
  addToIntegral<Small<F16>>(table, true);
  addToIntegral<Small<BF16>>(table, false, 90);

  using Tensor = Small<TF32>;
  addConversion<FloatToFloat<Tensor, Single>, Tensor, Single>(table, ".rna",
                                                              {Rounding::Away});
  for (Rounding rounding : {Rounding::Nearest, Rounding::Zero})
    for (bool relu : {false, true})
      addConversion<FloatToFloat<Tensor, Single>, Tensor, Single>(
          table, std::string(nameOf(rounding)) + (relu ? ".relu" : ""),
          {rounding, false, false, relu}, 90);
}

} // namespace tdc::sim
