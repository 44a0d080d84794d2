//===- TargetInfo.h - what code is shaped for -----------------------------===//
//
// Kernels are formed, laid out in memory and written for a processor that the
// compilation names, and for GPUs that it does not know: the program meets them
// when it runs. So a GPU's numbers are those of any that CUDA has, and sums of
// a program have the same bits on all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TARGET_TARGETINFO_H
#define TDC_TARGET_TARGETINFO_H

#include <cstdint>

namespace tdc {

/// The processor; by default one that every x86-64 is.
struct TargetInfo {
  int64_t vectorBits = 128;     ///< of one vector register
  int64_t vectorRegisters = 16; ///< how many there are
  bool convertsF16 = false;     ///< between f16 and f32
  bool convertsBF16 = false;    ///< f32 to bf16; the other way is a shift

  /// Elements of 32 bits in a vector.
  int64_t getLanes() const { return vectorBits / 32; }
};

/// A GPU.
namespace gpu {

/// Threads that run in step.
inline constexpr int64_t kWarpSize = 32;
/// Threads of a block at most.
inline constexpr int64_t kMostThreads = 1024;
/// The widest access to memory that a thread has, in bytes.
inline constexpr int64_t kWidestAccess = 16;
/// Bytes of shared memory that every block may have without asking.
inline constexpr int64_t kSharedBytes = 48 << 10;

// What keeps a GPU of about a hundred multiprocessors busy: that many threads
// on their own, blocks that share a row, tiles of a product, and short blocks
// of which each multiprocessor runs several.
inline constexpr int64_t kBusyThreads = 1 << 14;
inline constexpr int64_t kBusyRows = 128;
inline constexpr int64_t kBusyTiles = 96;
inline constexpr int64_t kBusyBlocks = 1024;

} // namespace gpu
} // namespace tdc

#endif // TDC_TARGET_TARGETINFO_H
