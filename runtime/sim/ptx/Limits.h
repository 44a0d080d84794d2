//===- Limits.h - limits of a kernel on a multiprocessor ------------------===//
//
// The same for sm_80 and sm_90: CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability"; for parameters PTX ISA 5.1.6.1.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_SIM_PTX_LIMITS_H
#define TDC_SIM_PTX_LIMITS_H

#include <algorithm>
#include <cstdint>

namespace tdc::sim {

inline constexpr unsigned kMaxThreads = 1024; ///< of a block
/// Shared memory of a block without opting in, and the limit of static shared
/// memory.
inline constexpr unsigned kSharedBytes = 48 << 10;
inline constexpr unsigned kLocalBytes = 512 << 10; ///< of a thread
inline constexpr unsigned kParameterBytes = 32764;
/// Before .version 8.1 of PTX.
inline constexpr unsigned kParameterBytesBefore81 = 4352;
/// 32-bit registers of a multiprocessor, and the most for one thread. Each
/// quarter of the multiprocessor has a quarter of them; the warps of a block
/// are distributed over the quarters. A warp is allocated registers in units
/// (NVIDIA's cuda_occupancy.h).
inline constexpr unsigned kRegisters = 65536, kMostRegisters = 255,
                          kRegisterUnit = 256, kQuarters = 4;

/// Threads of a block that certainly fit, if the assembler gives each thread at
/// most `registers`.
inline unsigned getMaxThreads(unsigned registers) {
  constexpr unsigned kWarp = 32;
  unsigned ofWarp =
      (std::min(registers, kMostRegisters) * kWarp + kRegisterUnit - 1) /
      kRegisterUnit * kRegisterUnit;
  unsigned warps = kRegisters / kQuarters / ofWarp * kQuarters;
  return std::min(warps * kWarp, kMaxThreads);
}

} // namespace tdc::sim

#endif // TDC_SIM_PTX_LIMITS_H
