//===- Integer.cpp - integer arithmetic, logic and shifts -----------------===//
//
// PTX ISA 9.7.1 "Integer Arithmetic Instructions", 9.7.2 "Extended-Precision
// Integer Arithmetic Instructions" and 9.7.8 "Logic and Shift Instructions".
// Sums and products are computed unsigned, where C++ defines wrap-around.
//
//===----------------------------------------------------------------------===//

#include "execute/Lanes.h"
#include <algorithm>
#include <limits>

namespace tdc::sim {

namespace {

template <typename T> using Unsigned = std::make_unsigned_t<T>;
template <typename T> constexpr unsigned kBits = 8 * sizeof(T);

/// The integer with twice the bits.
template <typename T> struct Twice;
template <> struct Twice<uint16_t> {
  using type = uint32_t;
};
template <> struct Twice<int16_t> {
  using type = int32_t;
};
template <> struct Twice<uint32_t> {
  using type = uint64_t;
};
template <> struct Twice<int32_t> {
  using type = int64_t;
};
template <> struct Twice<uint64_t> {
  using type = unsigned __int128;
};
template <> struct Twice<int64_t> {
  using type = __int128;
};
template <typename T> using Wide = typename Twice<T>::type;

/// The operand as uint64_t, where arithmetic wraps. Without it 16-bit operands
/// would be promoted to int, and a product could overflow.
template <typename T> uint64_t bitsOf(T value) { return uint64_t(value); }

template <typename T> T add(T a, T b) { return T(bitsOf(a) + bitsOf(b)); }
template <typename T> T sub(T a, T b) { return T(bitsOf(a) - bitsOf(b)); }
template <typename T> T mulLo(T a, T b) { return T(bitsOf(a) * bitsOf(b)); }
template <typename T> T mulHi(T a, T b) {
  return T((Wide<T>(a) * Wide<T>(b)) >> kBits<T>);
}
template <typename T> Wide<T> mulWide(T a, T b) {
  return Wide<T>(a) * Wide<T>(b);
}
template <typename T> T madLo(T a, T b, T c) { return add(mulLo(a, b), c); }
template <typename T> T madHi(T a, T b, T c) { return add(mulHi(a, b), c); }
template <typename T> Wide<T> madWide(T a, T b, Wide<T> c) {
  return add(mulWide(a, b), c);
}

int32_t addSat(int32_t a, int32_t b) {
  return int32_t(std::clamp<int64_t>(int64_t(a) + b, INT32_MIN, INT32_MAX));
}
int32_t subSat(int32_t a, int32_t b) {
  return int32_t(std::clamp<int64_t>(int64_t(a) - b, INT32_MIN, INT32_MAX));
}
int32_t madHiSat(int32_t a, int32_t b, int32_t c) {
  return addSat(mulHi(a, b), c);
}

/// The product of the low 24 bits; callers take bits 0-31 or 16-47 of it.
template <typename T> int64_t product24(T a, T b) {
  auto low = [](T value) { return int64_t(T(uint32_t(value) << 8)) >> 8; };
  return low(a) * low(b);
}
template <typename T> T mul24Lo(T a, T b) { return T(product24(a, b)); }
template <typename T> T mul24Hi(T a, T b) { return T(product24(a, b) >> 16); }
template <typename T> T mad24Lo(T a, T b, T c) { return add(mul24Lo(a, b), c); }
template <typename T> T mad24Hi(T a, T b, T c) { return add(mul24Hi(a, b), c); }

/// PTX leaves division by zero undefined; hardware returns all ones.
template <typename T> T divide(T a, T b) {
  if (b == 0)
    return T(-1);
  if (std::is_signed_v<T> && b == T(-1))
    return sub(T(0), a);
  return T(a / b);
}
template <typename T> T remainder(T a, T b) {
  if (b == 0)
    return a;
  if (std::is_signed_v<T> && b == T(-1))
    return 0;
  return T(a % b);
}

template <typename T> T minimum(T a, T b) { return b < a ? b : a; }
template <typename T> T maximum(T a, T b) { return a < b ? b : a; }
template <typename T> T negate(T a) { return sub(T(0), a); }
template <typename T> T absolute(T a) { return a < 0 ? negate(a) : a; }
template <typename T> T sad(T a, T b, T c) {
  return add(c, a < b ? sub(b, a) : sub(a, b));
}

template <typename T> T bitAnd(T a, T b) { return a & b; }
template <typename T> T bitOr(T a, T b) { return a | b; }
template <typename T> T bitXor(T a, T b) { return a ^ b; }
template <typename T> T bitNot(T a) { return T(~a); }
template <typename T> T logicalNot(T a) { return a == 0; }
bool predicateNot(bool a) { return !a; }

/// Shifts by more than the width act as shifts by the width.
template <typename T> T shiftLeft(T a, uint32_t by) {
  return by >= kBits<T> ? T(0) : T(bitsOf(a) << by);
}
template <typename T> T shiftRight(T a, uint32_t by) {
  if (by >= kBits<T>)
    return a < 0 ? T(-1) : T(0);
  return T(a >> by);
}
/// Shifts b:a to the left and returns the high word; funnelRight shifts right
/// and returns the low word.
template <bool Wraps> uint32_t funnelLeft(uint32_t a, uint32_t b, uint32_t by) {
  uint32_t n = Wraps ? by & 31 : std::min(by, 32u);
  return uint32_t((uint64_t(b) << 32 | a) << n >> 32);
}
template <bool Wraps>
uint32_t funnelRight(uint32_t a, uint32_t b, uint32_t by) {
  uint32_t n = Wraps ? by & 31 : std::min(by, 32u);
  return uint32_t((uint64_t(b) << 32 | a) >> n);
}

template <typename T> uint32_t countOnes(T a) {
  return uint32_t(__builtin_popcountll(a));
}
template <typename T> uint32_t countLeadingZeros(T a) {
  return a ? uint32_t(__builtin_clzll(a)) - (64 - kBits<T>) : kBits<T>;
}
/// The position of the most significant bit that differs from the sign; all
/// ones if there is none.
template <typename T> uint32_t findLeadingOne(T a) {
  Unsigned<T> bits = Unsigned<T>(a < 0 ? ~a : a);
  return bits ? kBits<T> - 1 - countLeadingZeros(bits) : ~0u;
}
template <typename T> uint32_t findLeadingShift(T a) {
  uint32_t position = findLeadingOne(a);
  return position == ~0u ? ~0u : kBits<T> - 1 - position;
}
template <typename T> T reverseBits(T a) {
  T reversed = 0;
  for (unsigned i = 0; i < kBits<T>; ++i)
    reversed |= T((a >> i & 1) << (kBits<T> - 1 - i));
  return reversed;
}

/// `length` bits from bit `position`; for signed types sign-extended from the
/// last bit of the field that exists.
template <typename T> T extractField(T a, uint32_t position, uint32_t length) {
  position &= 255;
  length &= 255;
  if (length == 0)
    return 0;
  constexpr uint32_t kLast = kBits<T> - 1;
  auto bits = Unsigned<T>(a);
  bool isNegative = std::is_signed_v<T> &&
                    (bits >> std::min(position + length - 1, kLast) & 1);
  Unsigned<T> field = position > kLast ? 0 : bits >> position;
  uint32_t has = position > kLast ? 0 : std::min(length, kBits<T> - position);
  Unsigned<T> mask =
      has >= kBits<T> ? Unsigned<T>(-1) : (Unsigned<T>(1) << has) - 1;
  return T((field & mask) | (isNegative ? ~mask : 0));
}
template <typename T>
T insertField(T a, T b, uint32_t position, uint32_t length) {
  position &= 255;
  length &= 255;
  if (position >= kBits<T> || length == 0)
    return b;
  T ones = length >= kBits<T> ? T(-1) : (T(1) << length) - 1;
  T mask = ones << position;
  return (b & ~mask) | (a << position & mask);
}

/// Each nibble of c selects a byte of b:a, or its sign.
uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t choice = c >> (4 * i) & 15;
    uint32_t byte = bytes >> (8 * (choice & 7)) & 255;
    if (choice & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}

/// Any function of three bits; the immediate is its truth table.
uint32_t lookUp3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (unsigned row = 0; row < 8; ++row)
    if (table >> row & 1)
      result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return result;
}

/// The sum of the products of four bytes, added to c.
template <typename A, typename B>
int32_t dot4(uint32_t a, uint32_t b, int32_t c) {
  int32_t sum = 0;
  for (unsigned i = 0; i < 32; i += 8)
    sum += int32_t(A(a >> i)) * int32_t(B(b >> i));
  return add(c, sum);
}
template <typename A, typename B, unsigned First>
int32_t dot2(uint32_t a, uint32_t b, int32_t c) {
  int64_t sum = 0;
  for (unsigned i = 0; i < 2; ++i)
    sum += int64_t(A(a >> (16 * i))) * int64_t(B(b >> (8 * (First + i))));
  return int32_t(bitsOf(c) + bitsOf(sum));
}

//===----------------------------------------------------------------------===//
// With a carry
//===----------------------------------------------------------------------===//

/// An instruction that reads or writes the carry CC.CF, which the warp keeps,
/// as no operand names it.
template <typename T, T (*Function)(T, T, T, bool, bool &), bool ReadsCarry,
          bool WritesCarry, unsigned NumSources>
void withCarry(Warp &warp, const Instruction &instruction) {
  T results[kLanes];
  uint32_t carries = 0;
  const T *sources[3] = {};
  for (unsigned i = 0; i < NumSources; ++i)
    sources[i] = warp.at<T>(instruction.operands[i + 1]);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    bool carry = false;
    results[lane] = Function(sources[0][lane], sources[1][lane],
                             NumSources == 3 ? sources[2][lane] : T(0),
                             ReadsCarry && (warp.carry >> lane & 1), carry);
    carries |= uint32_t(carry) << lane;
  }
  warp.set(instruction.operands[0], results);
  if (WritesCarry)
    warp.carry = (warp.carry & ~warp.active) | (carries & warp.active);
}

template <typename T> T addCarry(T a, T b, T, bool in, bool &out) {
  Wide<T> sum = Wide<T>(a) + b + in;
  out = sum >> kBits<T> & 1;
  return T(sum);
}
/// For a difference the carry is the borrow.
template <typename T> T subCarry(T a, T b, T, bool in, bool &out) {
  Wide<T> difference = Wide<T>(a) - b - in;
  out = difference >> kBits<T> & 1;
  return T(difference);
}
template <typename T> T madLoCarry(T a, T b, T c, bool in, bool &out) {
  return addCarry<T>(mulLo(a, b), c, 0, in, out);
}
template <typename T> T madHiCarry(T a, T b, T c, bool in, bool &out) {
  return addCarry<T>(mulHi(a, b), c, 0, in, out);
}
/// mad.hi.s32 multiplies signed numbers; the sum and its carry are unsigned.
template <typename T> T madHiCarrySigned(T a, T b, T c, bool in, bool &out) {
  using Signed = std::make_signed_t<T>;
  return addCarry<T>(T(mulHi(Signed(a), Signed(b))), c, 0, in, out);
}

template <typename T, T (*Function)(T, T, T, bool, bool &), unsigned NumSources>
void addCarryFamily(FormTable &table, const std::string &base,
                    const std::string &type) {
  Form form;
  form.operands.assign(NumSources + 1,
                       {OperandForm::Kind::Source, widthOf<T>()});
  form.operands[0].kind = OperandForm::Kind::Result;
  size_t dot = base.find('.');
  std::string name = base.substr(0, dot);
  std::string part = dot == std::string::npos ? "" : base.substr(dot);
  form.execute = withCarry<T, Function, false, true, NumSources>;
  table.add(name + part + ".cc" + type, form);
  form.execute = withCarry<T, Function, true, false, NumSources>;
  table.add(name + "c" + part + type, form);
  form.execute = withCarry<T, Function, true, true, NumSources>;
  table.add(name + "c" + part + ".cc" + type, form);
}

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

enum class Logic : uint8_t { And, Or, Xor };

template <Logic L> void predicateLogic(Warp &warp, const Instruction &ins) {
  uint32_t a = warp.getPredicate(ins.operands[1]);
  uint32_t b = warp.getPredicate(ins.operands[2]);
  warp.setPredicate(ins.operands[0], L == Logic::And  ? a & b
                                     : L == Logic::Or ? a | b
                                                      : a ^ b);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename T>
void addArithmetic(FormTable &table, const std::string &type) {
  table.add("add" + type, lanewise<add<T>>());
  table.add("sub" + type, lanewise<sub<T>>());
  table.add("mul.lo" + type, lanewise<mulLo<T>>());
  table.add("mul.hi" + type, lanewise<mulHi<T>>());
  table.add("mad.lo" + type, lanewise<madLo<T>>());
  table.add("mad.hi" + type, lanewise<madHi<T>>());
  table.add("div" + type, lanewise<divide<T>>());
  table.add("rem" + type, lanewise<remainder<T>>());
  table.add("min" + type, lanewise<minimum<T>>());
  table.add("max" + type, lanewise<maximum<T>>());
  table.add("sad" + type, lanewise<sad<T>>());
  table.add("shr" + type, lanewise<shiftRight<T>>());
  if constexpr (sizeof(T) < 8) {
    table.add("mul.wide" + type, lanewise<mulWide<T>>());
    table.add("mad.wide" + type, lanewise<madWide<T>>());
  }
  if constexpr (sizeof(T) == 4) {
    table.add("mul24.lo" + type, lanewise<mul24Lo<T>>());
    table.add("mul24.hi" + type, lanewise<mul24Hi<T>>());
    table.add("mad24.lo" + type, lanewise<mad24Lo<T>>());
    table.add("mad24.hi" + type, lanewise<mad24Hi<T>>());
  }
  if constexpr (sizeof(T) > 2) {
    table.add("bfe" + type, lanewise<extractField<T>>());
    table.add("bfind" + type, lanewise<findLeadingOne<T>>());
    table.add("bfind.shiftamt" + type, lanewise<findLeadingShift<T>>());
    addCarryFamily<Unsigned<T>, addCarry, 2>(table, "add", type);
    addCarryFamily<Unsigned<T>, subCarry, 2>(table, "sub", type);
    addCarryFamily<Unsigned<T>, madLoCarry, 3>(table, "mad.lo", type);
    if constexpr (std::is_signed_v<T>)
      addCarryFamily<Unsigned<T>, madHiCarrySigned, 3>(table, "mad.hi", type);
    else
      addCarryFamily<Unsigned<T>, madHiCarry, 3>(table, "mad.hi", type);
  }
  if constexpr (std::is_signed_v<T>) {
    table.add("neg" + type, lanewise<negate<T>>());
    table.add("abs" + type, lanewise<absolute<T>>());
  }
}

template <typename T> void addLogic(FormTable &table, const std::string &type) {
  table.add("and" + type, lanewise<bitAnd<T>>());
  table.add("or" + type, lanewise<bitOr<T>>());
  table.add("xor" + type, lanewise<bitXor<T>>());
  table.add("not" + type, lanewise<bitNot<T>>());
  table.add("cnot" + type, lanewise<logicalNot<T>>());
  table.add("shl" + type, lanewise<shiftLeft<T>>());
  table.add("shr" + type, lanewise<shiftRight<T>>());
  if constexpr (sizeof(T) > 2) {
    table.add("popc" + type, lanewise<countOnes<T>>());
    table.add("clz" + type, lanewise<countLeadingZeros<T>>());
    table.add("brev" + type, lanewise<reverseBits<T>>());
    table.add("bfi" + type, lanewise<insertField<T>>());
  }
}

template <typename A, typename B>
void addDots(FormTable &table, const std::string &types) {
  table.add("dp4a" + types, lanewise<dot4<A, B>>());
}
template <typename A, typename B>
void addDots2(FormTable &table, const std::string &types) {
  table.add("dp2a.lo" + types, lanewise<dot2<A, B, 0>>());
  table.add("dp2a.hi" + types, lanewise<dot2<A, B, 2>>());
}

} // namespace

void addIntegerForms(FormTable &table) {
  addArithmetic<uint16_t>(table, ".u16");
  addArithmetic<int16_t>(table, ".s16");
  addArithmetic<uint32_t>(table, ".u32");
  addArithmetic<int32_t>(table, ".s32");
  addArithmetic<uint64_t>(table, ".u64");
  addArithmetic<int64_t>(table, ".s64");
  table.add("add.sat.s32", lanewise<addSat>());
  table.add("sub.sat.s32", lanewise<subSat>());
  table.add("mad.hi.sat.s32", lanewise<madHiSat>());

  addLogic<uint16_t>(table, ".b16");
  addLogic<uint32_t>(table, ".b32");
  addLogic<uint64_t>(table, ".b64");
  table.add("shf.l.wrap.b32", lanewise<funnelLeft<true>>());
  table.add("shf.l.clamp.b32", lanewise<funnelLeft<false>>());
  table.add("shf.r.wrap.b32", lanewise<funnelRight<true>>());
  table.add("shf.r.clamp.b32", lanewise<funnelRight<false>>());
  table.add("prmt.b32", lanewise<permute>());
  Form lop3 = lanewise<lookUp3>();
  lop3.operands.back().kind = OperandForm::Kind::Immediate;
  table.add("lop3.b32", lop3);

  addDots<uint8_t, uint8_t>(table, ".u32.u32");
  addDots<uint8_t, int8_t>(table, ".u32.s32");
  addDots<int8_t, uint8_t>(table, ".s32.u32");
  addDots<int8_t, int8_t>(table, ".s32.s32");
  addDots2<uint16_t, uint8_t>(table, ".u32.u32");
  addDots2<uint16_t, int8_t>(table, ".u32.s32");
  addDots2<int16_t, uint8_t>(table, ".s32.u32");
  addDots2<int16_t, int8_t>(table, ".s32.s32");

  Form logic;
  logic.operands = {{OperandForm::Kind::Result, Width::Predicate},
                    {OperandForm::Kind::Source, Width::Predicate},
                    {OperandForm::Kind::Source, Width::Predicate}};
  logic.execute = predicateLogic<Logic::And>;
  table.add("and.pred", logic);
  logic.execute = predicateLogic<Logic::Or>;
  table.add("or.pred", logic);
  logic.execute = predicateLogic<Logic::Xor>;
  table.add("xor.pred", logic);
  table.add("not.pred", lanewise<predicateNot>());
}

} // namespace tdc::sim
