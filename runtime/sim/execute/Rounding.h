//===- Rounding.h - rounding in the directions of PTX ---------------------===//

#ifndef TDC_SIM_EXECUTE_ROUNDING_H
#define TDC_SIM_EXECUTE_ROUNDING_H

#include <cfenv>
#include <cstdint>
#include <string>
#include <utility>

namespace tdc::sim {

/// PTX ISA 9.4.2: .rn to the nearest, ties to even; .rz to zero; .rm down; .rp
/// up. Away is .rna: to the nearest, ties away from zero.
enum class Rounding : uint8_t { Nearest, Zero, Down, Up, Away };

inline const char *nameOf(Rounding rounding) {
  constexpr const char *kNames[] = {".rn", ".rz", ".rm", ".rp", ".rna"};
  return kNames[unsigned(rounding)];
}

/// Computes F with the processor's rounding mode set to R. Volatile and not
/// inlined, so that nothing is computed before the mode is set or after it is
/// reset.
template <auto F, Rounding R, typename T, typename... More>
[[gnu::noinline]] T inDirection(T first, More... more) {
  return [](volatile T a, volatile More... b) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                              FE_UPWARD};
    fesetround(kModes[unsigned(R)]);
    volatile T result = F(a, b...);
    fesetround(FE_TONEAREST);
    return T(result);
  }(first, more...);
}

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_ROUNDING_H
