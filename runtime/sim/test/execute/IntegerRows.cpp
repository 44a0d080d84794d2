//===- IntegerRows.cpp - references of integer instructions ---------------===//
//
// Computed with 128-bit arithmetic, and bit by bit.
//
//===----------------------------------------------------------------------===//

#include "OpcodeRows.h"
#include <algorithm>

namespace tdc::sim {

namespace {

template <typename T>
using Big =
    std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
template <typename T> constexpr int kBits = 8 * sizeof(T);
template <typename T>
using Twice =
    std::conditional_t<std::is_signed_v<T>,
                       std::conditional_t<sizeof(T) == 2, int32_t, int64_t>,
                       std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t>>;

template <typename T> bool bit(T value, int index) {
  return Big<T>(value) >> index & 1;
}

/// PTX ISA 9.7.1.19, the pseudocode of bfe.
template <typename T> T referenceField(T a, uint32_t b, uint32_t c) {
  int position = b & 255, length = c & 255, top = kBits<T> - 1;
  bool sign = std::is_unsigned_v<T> || length == 0
                  ? false
                  : bit(a, std::min(position + length - 1, top));
  std::make_unsigned_t<T> d = 0;
  for (int i = 0; i <= top; ++i) {
    bool set = i < length && position + i <= top ? bit(a, position + i) : sign;
    d |= std::make_unsigned_t<T>(set) << i;
  }
  return T(d);
}
/// 9.7.1.20, the pseudocode of bfi.
template <typename T> T referenceInsert(T a, T b, uint32_t c, uint32_t d) {
  int position = c & 255, length = d & 255;
  T f = b;
  for (int i = 0; i < length && position + i < kBits<T>; ++i) {
    T one = T(1) << (position + i);
    f = bit(a, i) ? f | one : f & ~one;
  }
  return f;
}
template <typename T> uint32_t referenceFind(T a) {
  bool sign = std::is_signed_v<T> && a < 0;
  for (int i = kBits<T> - 1; i >= 0; --i)
    if (bit(a, i) != sign)
      return uint32_t(i);
  return ~0u;
}

template <typename T> void addType(OpcodeRows &rows, const std::string &type) {
  rows.push_back(row("add" + type, +[](T a, T b) { return T(Big<T>(a) + b); }));
  rows.push_back(row("sub" + type, +[](T a, T b) { return T(Big<T>(a) - b); }));
  rows.push_back(
      row("mul.lo" + type, +[](T a, T b) { return T(Big<T>(a) * b); }));
  rows.push_back(row(
      "mul.hi" + type, +[](T a, T b) { return T(Big<T>(a) * b >> kBits<T>); }));
  rows.push_back(row(
      "mad.lo" + type,
      +[](T a, T b, T c) { return T(T(Big<T>(a) * b) + Big<T>(c)); }));
  rows.push_back(row(
      "mad.hi" + type, +[](T a, T b, T c) {
        return T(T(Big<T>(a) * b >> kBits<T>) + Big<T>(c));
      }));
  rows.push_back(row(
      "div" + type,
      +[](T a, T b) { return b == 0 ? T(-1) : T(Big<T>(a) / b); }));
  rows.push_back(row(
      "rem" + type, +[](T a, T b) { return b == 0 ? a : T(Big<T>(a) % b); }));
  rows.push_back(row("min" + type, +[](T a, T b) { return std::min(a, b); }));
  rows.push_back(row("max" + type, +[](T a, T b) { return std::max(a, b); }));
  rows.push_back(row(
      "sad" + type, +[](T a, T b, T c) {
        Big<T> difference = std::max(a, b) - Big<T>(std::min(a, b));
        return T(c + difference);
      }));
  rows.push_back(row(
      "shr" + type,
      +[](T a, uint32_t by) { return T(Big<T>(a) >> std::min(by, 100u)); }));
  if constexpr (sizeof(T) < 8) {
    rows.push_back(row(
        "mul.wide" + type, +[](T a, T b) { return Twice<T>(Big<T>(a) * b); }));
    rows.push_back(row(
        "mad.wide" + type,
        +[](T a, T b, Twice<T> c) { return Twice<T>(Big<T>(a) * b + c); }));
  }
  if constexpr (sizeof(T) == 4) {
    // The low 24 bits, with or without sign.
    static constexpr auto kLow = [](T a) {
      Big<T> low = Big<T>(a) & 0xffffff;
      return std::is_signed_v<T> && (low >> 23) ? low - 0x1000000 : low;
    };
    rows.push_back(
        row("mul24.lo" + type, +[](T a, T b) { return T(kLow(a) * kLow(b)); }));
    rows.push_back(row(
        "mul24.hi" + type,
        +[](T a, T b) { return T(kLow(a) * kLow(b) >> 16); }));
    rows.push_back(row(
        "mad24.lo" + type,
        +[](T a, T b, T c) { return T(kLow(a) * kLow(b) + c); }));
    rows.push_back(row(
        "mad24.hi" + type,
        +[](T a, T b, T c) { return T((kLow(a) * kLow(b) >> 16) + c); }));
  }
  if constexpr (sizeof(T) > 2) {
    rows.push_back(row("bfe" + type, referenceField<T>));
    rows.push_back(row("bfind" + type, referenceFind<T>));
    rows.push_back(row(
        "bfind.shiftamt" + type, +[](T a) {
          uint32_t found = referenceFind(a);
          return found == ~0u ? found : uint32_t(kBits<T> - 1) - found;
        }));
  }
  if constexpr (std::is_signed_v<T>) {
    rows.push_back(row("neg" + type, +[](T a) { return T(-Big<T>(a)); }));
    rows.push_back(row(
        "abs" + type, +[](T a) { return T(a < 0 ? -Big<T>(a) : Big<T>(a)); }));
  }
}

/// Sums with carries, computed as a wide sum. The carry comes from a + b and is
/// added to the sum with c; that sum's own carry is added again.
template <typename T, typename Sign>
void addCarries(OpcodeRows &rows, const std::string &type) {
  using Wide = unsigned __int128;
  static constexpr auto kCarry = [](Wide sum) { return T(sum >> kBits<T>); };
  const std::string first = "add.cc" + type + " T, A, B; ";
  rows.push_back(row(
      "add.cc" + type, +[](T a, T b, T) { return T(a + b); }, {},
      "add.cc" + type + " OUT, A, B;"));
  rows.push_back(row(
      "addc" + type,
      +[](T a, T b, T c) { return T(a + c + kCarry(Wide(a) + b)); }, {},
      first + "addc" + type + " OUT, A, C;"));
  rows.push_back(row(
      "addc.cc" + type,
      +[](T a, T b, T c) {
        Wide sum = Wide(a) + c + kCarry(Wide(a) + b);
        return T(T(sum) + kCarry(sum));
      },
      {}, first + "addc.cc" + type + " T, A, C; addc" + type + " OUT, T, 0;"));

  const std::string borrow = "sub.cc" + type + " T, A, B; ";
  rows.push_back(row(
      "sub.cc" + type, +[](T a, T b, T) { return T(a - b); }, {},
      "sub.cc" + type + " OUT, A, B;"));
  rows.push_back(row(
      "subc" + type, +[](T a, T b, T c) { return T(a - c - (a < b)); }, {},
      borrow + "subc" + type + " OUT, A, C;"));
  rows.push_back(row(
      "subc.cc" + type,
      +[](T a, T b, T c) {
        bool isLess = Wide(a) < Wide(c) + (a < b);
        return T(a - c - (a < b) - isLess);
      },
      {}, borrow + "subc.cc" + type + " T, A, C; subc" + type + " OUT, T, 0;"));

  static constexpr auto kLow = [](T a, T b) { return T(Big<T>(a) * b); };
  static constexpr auto kHigh = [](T a, T b) {
    return T(Big<Sign>(Sign(a)) * Sign(b) >> kBits<T>);
  };
  auto addMad = [&](const std::string &part, auto product) {
    using Product = decltype(product);
    const std::string suffix = part + ".cc" + type;
    rows.push_back(row(
        "mad" + suffix,
        +[](T a, T b, T c) {
          Wide sum = Wide(Product()(a, b)) + c;
          return T(T(sum) + kCarry(sum));
        },
        {}, "mad" + suffix + " T, A, B, C; addc" + type + " OUT, T, 0;"));
    rows.push_back(row(
        "madc" + part + type,
        +[](T a, T b, T c) {
          return T(Product()(a, b) + c + kCarry(Wide(a) + b));
        },
        {}, first + "madc" + part + type + " OUT, A, B, C;"));
    rows.push_back(row(
        "madc" + suffix,
        +[](T a, T b, T c) {
          Wide sum = Wide(Product()(a, b)) + c + kCarry(Wide(a) + b);
          return T(T(sum) + kCarry(sum));
        },
        {},
        first + "madc" + suffix + " T, A, B, C; addc" + type + " OUT, T, 0;"));
  };
  struct Low {
    T operator()(T a, T b) const { return kLow(a, b); }
  };
  struct High {
    T operator()(T a, T b) const { return kHigh(a, b); }
  };
  addMad(".lo", Low());
  addMad(".hi", High());
}

template <typename T> void addBits(OpcodeRows &rows, const std::string &type) {
  rows.push_back(row("and" + type, +[](T a, T b) { return T(a & b); }));
  rows.push_back(row("or" + type, +[](T a, T b) { return T(a | b); }));
  rows.push_back(row("xor" + type, +[](T a, T b) { return T(a ^ b); }));
  rows.push_back(row("not" + type, +[](T a) { return T(~a); }));
  rows.push_back(row("cnot" + type, +[](T a) { return T(!a); }));
  rows.push_back(row(
      "shl" + type,
      +[](T a, uint32_t by) { return T(Big<T>(a) << std::min(by, 64u)); }));
  rows.push_back(row(
      "shr" + type,
      +[](T a, uint32_t by) { return T(Big<T>(a) >> std::min(by, 64u)); }));
  if constexpr (sizeof(T) > 2) {
    rows.push_back(row(
        "popc" + type, +[](T a) {
          uint32_t count = 0;
          for (int i = 0; i < kBits<T>; ++i)
            count += bit(a, i);
          return count;
        }));
    rows.push_back(row(
        "clz" + type, +[](T a) {
          uint32_t count = 0;
          while (count < kBits<T> && !bit(a, kBits<T> - 1 - int(count)))
            ++count;
          return count;
        }));
    rows.push_back(row(
        "brev" + type, +[](T a) {
          T reversed = 0;
          for (int i = 0; i < kBits<T>; ++i)
            reversed = T(reversed << 1 | T(bit(a, i)));
          return reversed;
        }));
    rows.push_back(row("bfi" + type, referenceInsert<T>));
  }
}

template <typename A, typename B>
void addDots(OpcodeRows &rows, const std::string &types) {
  rows.push_back(row(
      "dp4a" + types, +[](uint32_t a, uint32_t b, uint32_t c) {
        __int128 sum = c;
        for (int i = 0; i < 4; ++i)
          sum += __int128(A(a >> 8 * i)) * B(b >> 8 * i);
        return uint32_t(sum);
      }));
}
template <typename A, typename B>
void addDots2(OpcodeRows &rows, const std::string &types) {
  rows.push_back(row(
      "dp2a.lo" + types, +[](uint32_t a, uint32_t b, uint32_t c) {
        return uint32_t(c + __int128(A(a)) * B(b) +
                        __int128(A(a >> 16)) * B(b >> 8));
      }));
  rows.push_back(row(
      "dp2a.hi" + types, +[](uint32_t a, uint32_t b, uint32_t c) {
        return uint32_t(c + __int128(A(a)) * B(b >> 16) +
                        __int128(A(a >> 16)) * B(b >> 24));
      }));
}

int32_t clampToInt(__int128 value) {
  return int32_t(std::clamp<__int128>(value, INT32_MIN, INT32_MAX));
}
template <bool Left, bool Wraps>
uint32_t referenceFunnel(uint32_t a, uint32_t b, uint32_t c) {
  unsigned n = Wraps ? c % 32 : std::min(c, 32u);
  auto both = static_cast<unsigned __int128>(b) << 32 | a;
  return Left ? uint32_t(both << n >> 32) : uint32_t(both >> n);
}

} // namespace

OpcodeRows integerRows() {
  OpcodeRows rows;
  addType<uint16_t>(rows, ".u16");
  addType<int16_t>(rows, ".s16");
  addType<uint32_t>(rows, ".u32");
  addType<int32_t>(rows, ".s32");
  addType<uint64_t>(rows, ".u64");
  addType<int64_t>(rows, ".s64");
  addCarries<uint32_t, uint32_t>(rows, ".u32");
  addCarries<uint32_t, int32_t>(rows, ".s32");
  addCarries<uint64_t, uint64_t>(rows, ".u64");
  addCarries<uint64_t, int64_t>(rows, ".s64");
  addBits<uint16_t>(rows, ".b16");
  addBits<uint32_t>(rows, ".b32");
  addBits<uint64_t>(rows, ".b64");
  rows.push_back(row(
      "add.sat.s32",
      +[](int32_t a, int32_t b) { return clampToInt(__int128(a) + b); }));
  rows.push_back(row(
      "sub.sat.s32",
      +[](int32_t a, int32_t b) { return clampToInt(__int128(a) - b); }));
  rows.push_back(row(
      "mad.hi.sat.s32", +[](int32_t a, int32_t b, int32_t c) {
        return clampToInt((__int128(a) * b >> 32) + c);
      }));
  rows.push_back(row("shf.l.wrap.b32", referenceFunnel<true, true>));
  rows.push_back(row("shf.l.clamp.b32", referenceFunnel<true, false>));
  rows.push_back(row("shf.r.wrap.b32", referenceFunnel<false, true>));
  rows.push_back(row("shf.r.clamp.b32", referenceFunnel<false, false>));
  rows.push_back(row(
      "prmt.b32", +[](uint32_t a, uint32_t b, uint32_t c) {
        uint8_t bytes[8], result[4];
        memcpy(bytes, &a, 4);
        memcpy(bytes + 4, &b, 4);
        for (int i = 0; i < 4; ++i, c >>= 4)
          result[i] = c & 8 ? uint8_t(int8_t(bytes[c & 7]) >> 7) : bytes[c & 7];
        uint32_t word;
        memcpy(&word, result, sizeof word);
        return word;
      }));
  rows.push_back(row(
      "lop3.b32",
      +[](uint32_t a, uint32_t b, uint32_t c) { return (a & b) ^ (~c | a); },
      {},
      "lop3.b32 OUT, A, B, C, " +
          std::to_string((0xf0 & 0xcc) ^ ((~0xaa | 0xf0) & 0xff)) + ";"));
  addDots<uint8_t, uint8_t>(rows, ".u32.u32");
  addDots<uint8_t, int8_t>(rows, ".u32.s32");
  addDots<int8_t, uint8_t>(rows, ".s32.u32");
  addDots<int8_t, int8_t>(rows, ".s32.s32");
  addDots2<uint16_t, uint8_t>(rows, ".u32.u32");
  addDots2<uint16_t, int8_t>(rows, ".u32.s32");
  addDots2<int16_t, uint8_t>(rows, ".s32.u32");
  addDots2<int16_t, int8_t>(rows, ".s32.s32");

  rows.push_back(row("and.pred", +[](bool a, bool b) { return a && b; }));
  rows.push_back(row("or.pred", +[](bool a, bool b) { return a || b; }));
  rows.push_back(row("xor.pred", +[](bool a, bool b) { return a != b; }));
  rows.push_back(row("not.pred", +[](bool a) { return !a; }));
  return rows;
}

} // namespace tdc::sim
