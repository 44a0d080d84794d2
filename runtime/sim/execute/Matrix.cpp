//===- Matrix.cpp - ldmatrix, movmatrix and mma ---------------------------===//
//
// PTX ISA 9.7.14.5 "Matrix multiply-accumulate operation using mma
// instruction". The order in which hardware adds the products is not specified.
// Here each element of the result starts as c; the products of the row and the
// column are added by fused multiply-adds, in the order of k: in f32 for f16,
// bf16 and tf32, where their products are exact, in f64 for f64. With f16
// accumulators the result is rounded once, at the end.
//
//===----------------------------------------------------------------------===//

#include "execute/Access.h"
#include "execute/Lanes.h"
#include "execute/SmallFloat.h"
#include "execute/Traffic.h"
#include <algorithm>
#include <limits>

namespace tdc::sim {

namespace {

//===----------------------------------------------------------------------===//
// Fragments: the lane of each element. Lanes form eight groups of four.
//===----------------------------------------------------------------------===//

constexpr unsigned groupOf(unsigned lane) { return lane / 4; }
constexpr unsigned inGroup(unsigned lane) { return lane % 4; }

/// Types of the factors: the register and the type in which products are
/// accumulated.
template <typename Format> struct PackedFactor {
  using Register = uint32_t;
  using Value = float;
  static constexpr unsigned kPerRegister = 2;
  static float value(uint32_t bits, unsigned i) {
    return toFloat<Format>(uint16_t(bits >> (16 * i)));
  }
};
using HalfFactor = PackedFactor<F16>;
using BrainFactor = PackedFactor<BF16>;
/// The low bits of tf32 are ignored (PTX ISA 5.2.3).
struct TensorFactor {
  using Register = uint32_t;
  using Value = float;
  static constexpr unsigned kPerRegister = 1;
  static float value(uint32_t bits, unsigned) { return toFloat<TF32>(bits); }
};
template <typename Byte> struct ByteFactor {
  using Register = uint32_t;
  using Value = int32_t;
  static constexpr unsigned kPerRegister = 4;
  static int32_t value(uint32_t bits, unsigned i) {
    return Byte(bits >> (8 * i));
  }
};
struct DoubleFactor {
  using Register = double;
  using Value = double;
  static constexpr unsigned kPerRegister = 1;
  static double value(double value, unsigned) { return value; }
};

float multiplyAdd(float a, float b, float c) { return std::fma(a, b, c); }
double multiplyAdd(double a, double b, double c) { return std::fma(a, b, c); }
/// Sums of products of bytes fit into int64_t with room to spare.
int64_t multiplyAdd(int32_t a, int32_t b, int64_t c) {
  return int64_t(a) * b + c;
}

// Accumulators: the layout of elements in registers, and the type of the sum.
template <typename T> struct PlainAccumulator {
  using Register = T;
  using Sum = T;
  static constexpr unsigned kPerRegister = 1;
  static T load(T value, unsigned) { return value; }
  static T store(const T *values) {
    if constexpr (std::is_same_v<T, float>)
      return std::isnan(values[0]) ? bitCast<float>(0x7fffffffu) : values[0];
    else
      return values[0];
  }
};
struct HalfAccumulator {
  using Register = uint32_t;
  using Sum = float;
  static constexpr unsigned kPerRegister = 2;
  static float load(uint32_t bits, unsigned i) {
    return toFloat<F16>(uint16_t(bits >> (16 * i)));
  }
  static uint32_t store(const float *values) {
    return fromFloat<F16>(values[0]) | uint32_t(fromFloat<F16>(values[1]))
                                           << 16;
  }
};
/// Wraps around, or with .satfinite saturates.
template <bool Saturates> struct IntAccumulator {
  using Register = int32_t;
  using Sum = int64_t;
  static constexpr unsigned kPerRegister = 1;
  static int64_t load(int32_t value, unsigned) { return value; }
  static int32_t store(const int64_t *values) {
    if (Saturates)
      return int32_t(std::clamp<int64_t>(values[0], INT32_MIN, INT32_MAX));
    return int32_t(values[0]);
  }
};

constexpr unsigned kColumns = 8;

/// D = A * B + C of M x 8 x K, with A row-major and B column-major.
template <typename FactorA, typename FactorB, typename Accumulator, unsigned M,
          unsigned K>
struct Multiply {
  using Value = typename FactorA::Value;
  using Sum = typename Accumulator::Sum;
  static constexpr unsigned kPer = FactorA::kPerRegister;
  static constexpr unsigned kRegistersB = K / (4 * kPer);
  static constexpr unsigned kRegistersA = kRegistersB * (M / 8);
  static constexpr unsigned kPerC = Accumulator::kPerRegister;
  static constexpr unsigned kRegistersC = M / 8 * 2 / kPerC;

  [[gnu::always_inline]] static inline void
  run(Warp &warp, const Instruction &instruction) {
    const Slot *d = instruction.operands, *a = d + kRegistersC;
    const Slot *b = a + kRegistersA, *c = b + kRegistersB;
    alignas(32) Value left[M][K];
    alignas(32) Value right[K][kColumns];
    alignas(32) Sum sums[M][kColumns];
    // In A, registers advance by eight rows first, then by columns.
    for (unsigned i = 0; i < kRegistersA; ++i) {
      const auto *values = warp.at<typename FactorA::Register>(a[i]);
      unsigned row = 8 * (i % (M / 8)), column = 4 * kPer * (i / (M / 8));
      for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned e = 0; e < kPer; ++e)
          left[row + groupOf(lane)][column + kPer * inGroup(lane) + e] =
              FactorA::value(values[lane], e);
    }
    for (unsigned i = 0; i < kRegistersB; ++i) {
      const auto *values = warp.at<typename FactorB::Register>(b[i]);
      for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned e = 0; e < kPer; ++e)
          right[4 * kPer * i + kPer * inGroup(lane) + e][groupOf(lane)] =
              FactorB::value(values[lane], e);
    }
    visitSums(warp, c, sums, [](auto *registers, unsigned lane, Sum *place) {
      for (unsigned e = 0; e < kPerC; ++e)
        place[e] = Accumulator::load(registers[lane], e);
    });
    for (unsigned m = 0; m < M; ++m)
      for (unsigned k = 0; k < K; ++k)
        for (unsigned n = 0; n < kColumns; ++n)
          sums[m][n] = multiplyAdd(left[m][k], right[k][n], sums[m][n]);
    visitSums(warp, d, sums, [](auto *registers, unsigned lane, Sum *place) {
      registers[lane] = Accumulator::store(place);
    });
  }

  /// Calls `visit` with the lanes of each register and the place of its
  /// elements.
  template <typename Visit>
  [[gnu::always_inline]] static inline void
  visitSums(Warp &warp, const Slot *slots, Sum (&sums)[M][kColumns],
            const Visit &visit) {
    constexpr unsigned kPerRow = 2 / kPerC;
    for (unsigned i = 0; i < kRegistersC; ++i) {
      auto *registers = warp.at<typename Accumulator::Register>(slots[i]);
      unsigned row = 8 * (i / kPerRow), column = i % kPerRow;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        visit(registers, lane,
              &sums[row + groupOf(lane)][2 * inGroup(lane) + column]);
    }
  }

  static Form form(int target) {
    using Kind = OperandForm::Kind;
    constexpr Width kFactor = widthOf<typename FactorA::Register>();
    constexpr Width kSum = widthOf<typename Accumulator::Register>();
    Form form;
    form.execute = Compiled<Multiply>::choose();
    form.operands = {{Kind::Result, kSum, kRegistersC},
                     {Kind::Source, kFactor, kRegistersA},
                     {Kind::Source, kFactor, kRegistersB},
                     {Kind::Source, kSum, kRegistersC}};
    form.members = Members::All;
    if (!std::is_same_v<Value, int32_t>)
      form.operations = 2 * M * kColumns * K / kLanes;
    form.isMatrix = true;
    form.target = target;
    return form;
  }
};

//===----------------------------------------------------------------------===//
// ldmatrix and movmatrix
//===----------------------------------------------------------------------===//

/// Eight rows of eight halves.
using Tile = uint16_t[8][8];

/// The two neighbours that a lane holds: of a row, or, transposed, of a column.
uint32_t elementsOf(const Tile &tile, unsigned lane, bool isTransposed) {
  unsigned row = groupOf(lane), column = 2 * inGroup(lane);
  return isTransposed
             ? tile[column][row] | uint32_t(tile[column + 1][row]) << 16
             : tile[row][column] | uint32_t(tile[row][column + 1]) << 16;
}

/// Form::parameter of ldmatrix.
constexpr uint32_t describe(Space space, unsigned count, bool isTransposed) {
  return uint32_t(space) << 8 | count << 1 | uint32_t(isTransposed);
}

void loadMatrix(Warp &warp, const Instruction &instruction) {
  Space space = Space(instruction.parameter >> 8);
  unsigned count = instruction.parameter >> 1 & 7;
  bool isTransposed = instruction.parameter & 1;
  uint64_t addresses[kLanes];
  gatherAddresses(warp, instruction, count, 0, addresses);
  // Eight lanes give the addresses of a matrix's rows.
  uint32_t asked = count == 4 ? kFullWarp : (1u << 8 * count) - 1;
  countTraffic(warp, space, addresses, asked, sizeof(Tile) / 8, Access::Read);
  uint32_t results[4][kLanes];
  for (unsigned matrix = 0; matrix < count; ++matrix) {
    Tile tile;
    for (unsigned row = 0; row < 8; ++row) {
      unsigned lane = 8 * matrix + row;
      memcpy(tile[row],
             access(warp, instruction, lane, space, addresses[lane],
                    sizeof tile[row], Access::Read, /*areSeveral=*/true),
             sizeof tile[row]);
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
      results[matrix][lane] = elementsOf(tile, lane, isTransposed);
  }
  for (unsigned matrix = 0; matrix < count; ++matrix)
    warp.set(instruction.operands[matrix], results[matrix]);
}

void transposeMatrix(Warp &warp, const Instruction &instruction) {
  const uint32_t *source = warp.at<uint32_t>(instruction.operands[1]);
  Tile tile;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < 2; ++i)
      tile[groupOf(lane)][2 * inGroup(lane) + i] =
          uint16_t(source[lane] >> (16 * i));
  uint32_t results[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    results[lane] = elementsOf(tile, lane, true);
  warp.set(instruction.operands[0], results);
}

void addLoads(FormTable &table) {
  using Kind = OperandForm::Kind;
  for (unsigned count : {1u, 2u, 4u})
    for (bool isTransposed : {false, true})
      for (bool isShared : {false, true}) {
        Form form;
        form.execute = loadMatrix;
        form.members = Members::All;
        form.isAccess = true;
        form.operands = {{Kind::Result, Width::Bits32, count}, {Kind::Address}};
        form.parameter = describe(isShared ? Space::Shared : Space::Generic,
                                  count, isTransposed);
        table.add("ldmatrix.sync.aligned.m8n8.x" + std::to_string(count) +
                      (isTransposed ? ".trans" : "") +
                      (isShared ? ".shared" : "") + ".b16",
                  form);
      }
  Form transpose;
  transpose.execute = transposeMatrix;
  transpose.members = Members::All;
  transpose.operands = {{Kind::Result, Width::Bits32},
                        {Kind::Source, Width::Bits32}};
  table.add("movmatrix.sync.aligned.m8n8.trans.b16", transpose);
}

/// Adds the forms of both sizes of k; their names end in the size.
template <typename A, typename B, typename Accumulator, unsigned M,
          unsigned... K>
void addMultiply(FormTable &table, const std::string &types, int target) {
  (table.add("mma.sync.aligned.m" + std::to_string(M) + "n8k" +
                 std::to_string(K) + ".row.col" + types,
             Multiply<A, B, Accumulator, M, K>::form(target)),
   ...);
}

template <typename A, typename B>
void addBytes(FormTable &table, const std::string &types) {
  addMultiply<A, B, IntAccumulator<false>, 16, 16, 32>(
      table, ".s32" + types + ".s32", 80);
  addMultiply<A, B, IntAccumulator<true>, 16, 16, 32>(
      table, ".satfinite.s32" + types + ".s32", 80);
}

} // namespace

void addMatrixForms(FormTable &table) {
  addLoads(table);
  using Float = PlainAccumulator<float>;
  using Double = PlainAccumulator<double>;
  addMultiply<HalfFactor, HalfFactor, Float, 16, 8, 16>(table,
                                                        ".f32.f16.f16.f32", 80);
  addMultiply<HalfFactor, HalfFactor, HalfAccumulator, 16, 8, 16>(
      table, ".f16.f16.f16.f16", 80);
  addMultiply<BrainFactor, BrainFactor, Float, 16, 8, 16>(
      table, ".f32.bf16.bf16.f32", 80);
  addMultiply<TensorFactor, TensorFactor, Float, 16, 4, 8>(
      table, ".f32.tf32.tf32.f32", 80);
  using Signed = ByteFactor<int8_t>;
  using Unsigned = ByteFactor<uint8_t>;
  addBytes<Signed, Signed>(table, ".s8.s8");
  addBytes<Signed, Unsigned>(table, ".s8.u8");
  addBytes<Unsigned, Signed>(table, ".u8.s8");
  addBytes<Unsigned, Unsigned>(table, ".u8.u8");
  addMultiply<DoubleFactor, DoubleFactor, Double, 8, 4>(table,
                                                        ".f64.f64.f64.f64", 80);
  addMultiply<DoubleFactor, DoubleFactor, Double, 16, 4, 8, 16>(
      table, ".f64.f64.f64.f64", 90);
}

} // namespace tdc::sim
