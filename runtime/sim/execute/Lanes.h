//===- Lanes.h - instructions of a warp from functions of one lane --------===//
//
// Most instructions compute one result per lane from that lane's operands:
// lanewise<F>() makes the form of such an instruction from the C++ function F.
// F is computed for all 32 lanes, as that is vector code, and the results of
// inactive lanes are dropped. So F must return for all inputs and never trap.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_EXECUTE_LANES_H
#define TDC_SIM_EXECUTE_LANES_H

#include "execute/Warp.h"
#include "ptx/Forms.h"
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tdc::sim {

template <typename T> constexpr Width widthOf() {
  if constexpr (std::is_same_v<T, bool>)
    return Width::Predicate;
  else if constexpr (sizeof(T) == 2)
    return Width::Bits16;
  else if constexpr (sizeof(T) == 4)
    return Width::Bits32;
  else
    return Width::Bits64;
}

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// Two compilations of `Body::run`: `plain`, and `wide` for AVX2 with fused
/// multiply-add, which would otherwise be emulated. choose() returns the one
/// for the processor at hand.
template <typename Body> struct Compiled {
  static void plain(Warp &warp, const Instruction &instruction) {
    Body::run(warp, instruction);
  }
#ifdef __x86_64__
  __attribute__((target("avx2,fma,bmi,bmi2,popcnt,lzcnt"))) static void
  wide(Warp &warp, const Instruction &instruction) {
    Body::run(warp, instruction);
  }
  static Handler choose() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                   __builtin_cpu_supports("bmi2")
               ? wide
               : plain;
  }
#else
  static Handler choose() { return plain; }
#endif
};

/// Reads the operand of one lane.
template <typename T> struct LaneSource {
  const T *values;
  LaneSource(Warp &warp, Slot slot) : values(warp.at<T>(slot)) {}
  T operator[](unsigned lane) const { return values[lane]; }
};
template <> struct LaneSource<bool> {
  uint32_t mask;
  LaneSource(Warp &warp, Slot slot) : mask(warp.getPredicate(slot)) {}
  bool operator[](unsigned lane) const { return mask >> lane & 1; }
};

template <auto Function, typename Signature = decltype(Function)>
struct Lanewise;

template <auto Function, typename Result, typename... Sources>
struct Lanewise<Function, Result (*)(Sources...)> {
  [[gnu::always_inline]] static inline void
  run(Warp &warp, const Instruction &instruction) {
    apply(warp, instruction, std::index_sequence_for<Sources...>());
  }

  static Form form(uint16_t operations = 0) {
    Form form;
    form.execute = Compiled<Lanewise>::choose();
    form.operands = {{OperandForm::Kind::Result, widthOf<Result>()},
                     {OperandForm::Kind::Source, widthOf<Sources>()}...};
    form.operations = operations;
    return form;
  }

private:
  template <size_t... I>
  [[gnu::always_inline]] static inline void
  apply(Warp &warp, const Instruction &instruction, std::index_sequence<I...>) {
    const Slot *operands = instruction.operands;
    std::tuple<LaneSource<Sources>...> sources{
        LaneSource<Sources>(warp, operands[I + 1])...};
    if constexpr (std::is_same_v<Result, bool>) {
      uint32_t mask = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        mask |= uint32_t(Function(std::get<I>(sources)[lane]...)) << lane;
      warp.setPredicate(operands[0], mask);
    } else {
      // Not directly into the register: it may be one of the operands.
      alignas(32) Result results[kLanes];
      for (unsigned lane = 0; lane < kLanes; ++lane)
        results[lane] = Function(std::get<I>(sources)[lane]...);
      warp.set(operands[0], results);
    }
  }
};

/// The form of an instruction that computes `Function` in each lane and counts
/// as `operations` floating-point operations.
template <auto Function> Form lanewise(uint16_t operations = 0) {
  return Lanewise<Function>::form(operations);
}

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_LANES_H
