//===- Execute.h - running a kernel on a simulated device -----------------===//

#ifndef TDC_SIM_EXECUTE_EXECUTE_H
#define TDC_SIM_EXECUTE_EXECUTE_H

#include "ptx/Module.h"
#include <functional>
#include <random>

namespace tdc::sim {

struct Dim3 {
  unsigned x, y, z;
};

struct Launch {
  const Kernel &kernel;
  int device;
  Dim3 grid, block;
  uint32_t dynamicSharedBytes;
  const std::byte *parameters; ///< laid out as Parameter::offset says
  bool notesAccesses = false;  ///< whether Work::accesses is wanted
};

/// Counters of a kernel's execution, for reports and the model of time.
struct Work {
  uint64_t instructions = 0; ///< of threads
  uint64_t operations = 0;   ///< floating-point; a fused multiply-add is two
  uint64_t matrixOperations = 0; ///< those of them that tensor cores execute
  /// Traffic of global memory: 32 for each sector that an instruction of a warp
  /// accesses.
  uint64_t bytesRead = 0, bytesWritten = 0;
  /// Of shared memory. A bank conflict is a wavefront that would not be needed
  /// if the words were in different banks (Traffic.h).
  uint64_t wavefronts = 0, conflicts = 0;
  /// The words of global memory that the kernel accessed.
  std::vector<ByteAccess> accesses;

  /// Adds the counts of another launch.
  Work &operator+=(const Work &other);
};

struct Surroundings {
  Memory &memory;
  /// Chooses the next block and the next warp: another seed, another order.
  std::mt19937_64 &random;
  /// Whether kernels of one device may touch the memory of another.
  std::function<bool(int device, int peer)> hasPeerAccess;
  /// How many instructions a warp may execute before it is reported as endless:
  /// about half a minute.
  uint64_t instructionLimit = uint64_t(1) << 31;
};

/// Runs all blocks to their end. Throws Fault with the code that the real
/// driver would give (CUDA_ERROR_ILLEGAL_ADDRESS, _MISALIGNED_ADDRESS,
/// _LAUNCH_FAILED) and a message that names the kernel, the PTX line, the
/// source line where .loc gives one, block and thread, and what was wrong.
Work execute(const Launch &launch, Surroundings &surroundings);

} // namespace tdc::sim

#endif // TDC_SIM_EXECUTE_EXECUTE_H
