//===- OpcodeRows.h - every opcode against a reference --------------------===//
//
// A row is one opcode and a check against a reference, which is written here
// independently of execute/, from the PTX ISA and by other means. A test checks
// that every opcode of the decoder's table has a row.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_TEST_EXECUTE_OPCODEROWS_H
#define TDC_SIM_TEST_EXECUTE_OPCODEROWS_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace tdc::sim {

struct OpcodeRow {
  std::string opcode;
  std::function<void()> check;
};
using OpcodeRows = std::vector<OpcodeRow>;

OpcodeRows integerRows();
OpcodeRows floatRows();
OpcodeRows halfRows();
OpcodeRows compareRows();
OpcodeRows convertRows();
OpcodeRows moveRows();
OpcodeRows loadStoreRows();
OpcodeRows atomicRows();
OpcodeRows warpRows();
OpcodeRows controlRows();
OpcodeRows matrixRows();
OpcodeRows asyncCopyRows();

//===----------------------------------------------------------------------===//
// Instructions that compute one result per lane
//===----------------------------------------------------------------------===//

/// An operand: its storage and the values worth trying.
enum class ValueKind : uint8_t {
  Predicate,
  Int16,
  Int32,
  Int64,
  F16,
  BF16,
  F16x2,
  BF16x2,
  F32,
  F64
};

/// The allowed difference in units of the last place. All NaNs are equal.
struct Tolerance {
  unsigned ulps = 0;
};

/// A test of `code`, in which OUT is the result and A, B, C, D are operands; T
/// and U are registers of the result's width, P and Q predicates. The reference
/// takes and returns bits.
struct LaneCheck {
  std::string code;
  ValueKind result;
  std::vector<ValueKind> sources;
  std::function<uint64_t(const uint64_t *)> reference;
  Tolerance tolerance = {};

  void run() const;
};

template <typename To, typename From> To bitsAs(From from) {
  To to{};
  memcpy(&to, &from, std::min(sizeof to, sizeof from));
  return to;
}

template <typename T> constexpr ValueKind kindOf() {
  if constexpr (std::is_same_v<T, bool>)
    return ValueKind::Predicate;
  else if constexpr (std::is_same_v<T, float>)
    return ValueKind::F32;
  else if constexpr (std::is_same_v<T, double>)
    return ValueKind::F64;
  else if constexpr (sizeof(T) == 2)
    return ValueKind::Int16;
  else if constexpr (sizeof(T) == 4)
    return ValueKind::Int32;
  else
    return ValueKind::Int64;
}

template <typename R, typename... A, size_t... I>
uint64_t callWithBits(R (*function)(A...), const uint64_t *bits,
                      std::index_sequence<I...>) {
  return bitsAs<uint64_t>(function(bitsAs<A>(bits[I])...));
}

/// "OUT, A, B" for the number of operands.
std::string operandList(size_t numSources);

/// The row of an opcode with a reference that is a function of its operands'
/// types.
template <typename R, typename... A>
OpcodeRow row(const std::string &opcode, R (*reference)(A...),
              Tolerance tolerance = {}, const std::string &code = "") {
  LaneCheck check{
      code.empty() ? opcode + " " + operandList(sizeof...(A)) + ";" : code,
      kindOf<R>(),
      {kindOf<A>()...},
      [reference](const uint64_t *bits) {
        return callWithBits(reference, bits, std::index_sequence_for<A...>());
      },
      tolerance};
  return {opcode, [check] { check.run(); }};
}

} // namespace tdc::sim

#endif // TDC_SIM_TEST_EXECUTE_OPCODEROWS_H
