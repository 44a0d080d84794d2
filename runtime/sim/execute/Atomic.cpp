//===- Atomic.cpp - atom and red ------------------------------------------===//
//
// PTX ISA 9.7.13.6 "atom" and 9.7.13.7 "red". The lanes of a warp update one
// after the other, beginning with a random one: hardware guarantees no order,
// and the order changes sums of floats.
//
//===----------------------------------------------------------------------===//

#include "execute/Access.h"
#include "execute/Lanes.h"
#include "execute/SmallFloat.h"
#include "execute/Traffic.h"
#include <algorithm>

namespace tdc::sim {

namespace {

template <typename T> T exchange(T, T b) { return b; }
template <typename T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}
/// .add.f32 flushes subnormals in global memory (PTX ISA 9.7.13.6); atomics on
/// shared memory keep them. This function keeps them everywhere, as no program
/// may rely on either.
float addFloat(float a, float b) {
  float sum = a + b;
  return sum == sum ? sum : bitCast<float>(0x7fffffffu);
}
template <typename T> T minimum(T a, T b) { return std::min(a, b); }
template <typename T> T maximum(T a, T b) { return std::max(a, b); }
template <typename T> T bitAnd(T a, T b) { return a & b; }
template <typename T> T bitOr(T a, T b) { return a | b; }
template <typename T> T bitXor(T a, T b) { return a ^ b; }
uint32_t increment(uint32_t a, uint32_t b) { return a >= b ? 0 : a + 1; }
uint32_t decrement(uint32_t a, uint32_t b) {
  return a == 0 || a > b ? b : a - 1;
}

template <typename Format> uint16_t addSmall(uint16_t a, uint16_t b) {
  // Exact in f64 up to the rounding to the format.
  double sum = double(toFloat<Format>(a)) + double(toFloat<Format>(b));
  return encode<Format>(sum, Rounding::Nearest);
}
template <typename Format> uint32_t addPair(uint32_t a, uint32_t b) {
  return addSmall<Format>(uint16_t(a), uint16_t(b)) |
         uint32_t(addSmall<Format>(uint16_t(a >> 16), uint16_t(b >> 16))) << 16;
}

/// Form::parameter: the space, and whether the old value is wanted.
constexpr uint32_t describe(Space space, bool returnsOld) {
  return uint32_t(space) << 1 | uint32_t(returnsOld);
}

/// Instruction [d,] [a], b[, c]: `Update` gets the value in memory, b and c.
template <typename T, typename Update>
void updateMemory(Warp &warp, const Instruction &instruction,
                  unsigned numSources, const Update &update) {
  bool returnsOld = instruction.parameter & 1;
  Space space = Space(instruction.parameter >> 1);
  unsigned first = returnsOld ? 1 : 0;
  uint64_t addresses[kLanes];
  gatherAddresses(warp, instruction, first, 0, addresses);
  const T *b = warp.at<T>(instruction.operands[first + 1]);
  const T *c =
      numSources == 2 ? warp.at<T>(instruction.operands[first + 2]) : nullptr;
  warp.hasAtomic = true;
  warp.block.state.past.back().isReleased |= warp.hasFence;
  countTraffic(warp, space, addresses, warp.active, sizeof(T), Access::Atomic);
  T results[kLanes];
  unsigned start = unsigned(warp.block.state.surroundings.random() % kLanes);
  for (unsigned i = 0; i < kLanes; ++i) {
    unsigned lane = (start + i) % kLanes;
    if (!(warp.active >> lane & 1))
      continue;
    std::byte *place = access(warp, instruction, lane, space, addresses[lane],
                              sizeof(T), Access::Atomic);
    T old;
    memcpy(&old, place, sizeof old);
    T now = update(old, b[lane], c ? c[lane] : T());
    memcpy(place, &now, sizeof now);
    results[lane] = old;
  }
  if (returnsOld)
    warp.set(instruction.operands[0], results);
}

template <typename T, T (*F)(T, T)>
void update(Warp &warp, const Instruction &instruction) {
  updateMemory<T>(warp, instruction, 1,
                  [](T old, T b, T) { return F(old, b); });
}
/// cas: stores c where memory holds b.
template <typename T>
void compareAndSwap(Warp &warp, const Instruction &instruction) {
  updateMemory<T>(warp, instruction, 2,
                  [](T old, T b, T c) { return old == b ? c : old; });
}

struct Operation {
  std::string name; ///< ".add"
  std::string type; ///< ".u32"
  Handler handler;
  Width width;
  unsigned numSources = 1;
  bool hasReduction = true; ///< red has it too
  uint16_t operations = 0;
  int target = 80;
};

void addOperation(FormTable &table, const Operation &operation) {
  using Kind = OperandForm::Kind;
  const std::pair<const char *, Space> spaces[] = {{"", Space::Generic},
                                                   {".global", Space::Global},
                                                   {".shared", Space::Shared}};
  for (auto [name, space] : spaces) {
    Form form;
    form.execute = operation.handler;
    form.isAccess = true;
    form.operations = operation.operations;
    form.target = operation.target;
    form.operands = {{Kind::Result, operation.width}, {Kind::Address}};
    form.operands.resize(2 + operation.numSources,
                         {Kind::Source, operation.width});
    form.parameter = describe(space, true);
    table.add("atom" + (name + operation.name) + operation.type, form);
    if (!operation.hasReduction)
      continue;
    form.operands.erase(form.operands.begin());
    form.parameter = describe(space, false);
    table.add("red" + (name + operation.name) + operation.type, form);
  }
}

template <typename T>
void addInteger(FormTable &table, const std::string &type) {
  constexpr Width kWidth = widthOf<T>();
  for (const Operation &operation :
       {Operation{".add", type, update<T, add<T>>, kWidth},
        Operation{".min", type, update<T, minimum<T>>, kWidth},
        Operation{".max", type, update<T, maximum<T>>, kWidth}})
    addOperation(table, operation);
}
template <typename T> void addBits(FormTable &table, const std::string &type) {
  constexpr Width kWidth = widthOf<T>();
  for (const Operation &operation :
       {Operation{".and", type, update<T, bitAnd<T>>, kWidth},
        Operation{".or", type, update<T, bitOr<T>>, kWidth},
        Operation{".xor", type, update<T, bitXor<T>>, kWidth},
        Operation{".exch", type, update<T, exchange<T>>, kWidth, 1, false},
        Operation{".cas", type, compareAndSwap<T>, kWidth, 2, false}})
    addOperation(table, operation);
}

} // namespace

void addAtomicForms(FormTable &table) {
  addInteger<uint32_t>(table, ".u32");
  addInteger<int32_t>(table, ".s32");
  addInteger<uint64_t>(table, ".u64");
  addOperation(table, {".min", ".s64", update<int64_t, minimum<int64_t>>,
                       Width::Bits64});
  addOperation(table, {".max", ".s64", update<int64_t, maximum<int64_t>>,
                       Width::Bits64});
  addBits<uint32_t>(table, ".b32");
  addBits<uint64_t>(table, ".b64");
  addOperation(table,
               {".inc", ".u32", update<uint32_t, increment>, Width::Bits32});
  addOperation(table,
               {".dec", ".u32", update<uint32_t, decrement>, Width::Bits32});
  addOperation(table, {".cas", ".b16", compareAndSwap<uint16_t>, Width::Bits16,
                       2, false});

  addOperation(table, {".add", ".f32", update<float, addFloat>, Width::Bits32,
                       1, true, 1});
  addOperation(table, {".add", ".f64", update<double, add<double>>,
                       Width::Bits64, 1, true, 1});
  addOperation(table, {".add.noftz", ".f16", update<uint16_t, addSmall<F16>>,
                       Width::Bits16, 1, true, 1});
  addOperation(table, {".add.noftz", ".f16x2", update<uint32_t, addPair<F16>>,
                       Width::Bits32, 1, true, 2});
  addOperation(table, {".add.noftz", ".bf16", update<uint16_t, addSmall<BF16>>,
                       Width::Bits16, 1, true, 1, 90});
  addOperation(table, {".add.noftz", ".bf16x2", update<uint32_t, addPair<BF16>>,
                       Width::Bits32, 1, true, 2, 90});
}

} // namespace tdc::sim
