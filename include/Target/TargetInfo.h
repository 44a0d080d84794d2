//===- TargetInfo.h - properties that code depends on ---------------------===//
//
// Kernels are formed, laid out in memory and written for a processor that the
// compilation names, and for unknown GPUs: a program finds its GPUs only when
// it runs. So the constants are the same for all GPUs, and sums of a program
// have the same bits on all of them.
//
//===----------------------------------------------------------------------===//

#ifndef TDC_TARGET_TARGETINFO_H
#define TDC_TARGET_TARGETINFO_H

#include <cstdint>

namespace tdc {

/// The processor, see HostTarget::getInfo. The default is baseline x86-64, also
/// that of the options of passes. Layouts and the cpu's kernels depend on the
/// vectors, LowerToLLVM on the rest and on the length of vectors. For GPU
/// kernels only the `converts…` fields and `multipliesAndAdds` are set; with
/// vectors of the default length, their code has no instructions of AVX-512.
struct TargetInfo {
  int64_t vectorBits = 128;       ///< of one vector register
  int64_t vectorRegisters = 16;   ///< number of vector registers
  bool convertsF16 = false;       ///< converts between f16 and f32
  bool convertsBF16 = false;      ///< converts f32 to bf16; the reverse is a
                                  ///< shift
  bool scalesByPowers = false;    ///< multiplies vectors by powers of two
  bool multipliesAndAdds = false; ///< x * y + z with one rounding
  /// Adds the products of two pairs of bf16 numbers to each f32 of a vector.
  bool multipliesBF16Pairs = false;

  /// Number of 32-bit elements in a vector.
  int64_t getLanes() const { return vectorBits / 32; }
};

namespace cpu {

/// The data caches of the x86-64 processors that have the smallest, in bytes.
inline constexpr int64_t kL1Bytes = 32 << 10, kL2Bytes = 1 << 20;
inline constexpr int64_t kLineBytes = 64;
/// An L3 cache that few processors exceed for a group of cores, in bytes: a
/// larger matrix is read from memory.
inline constexpr int64_t kL3Bytes = 32 << 20;
/// The most bytes of a panel (see td::getPanelRows): it shares the L2 cache
/// with the other factor.
inline constexpr int64_t kPanelBytes = kL2Bytes / 2;
/// The most bytes that stages pass on in a block (td::Stages): what else they
/// read shares the L2 cache with it. Kernels that pass on less are not merged.
inline constexpr int64_t kStageBytes = kL2Bytes / 2;

} // namespace cpu

namespace gpu {

// Limits of CUDA, which every GPU has --------------------------------------//

/// Threads of a warp.
inline constexpr int64_t kWarpSize = 32;
/// Most threads of a block.
inline constexpr int64_t kMostThreads = 1024;
/// Widest memory access of a thread, in bytes.
inline constexpr int64_t kWidestAccess = 16;
/// Shared memory that every block may use without opting in, in bytes.
inline constexpr int64_t kSharedBytes = 48 << 10;

// Estimates ----------------------------------------------------------------//

// Amounts of work that keep a GPU of about a hundred multiprocessors busy:
// independent threads, blocks that share a row, tiles of a product, and short
// blocks of which each multiprocessor runs several.
inline constexpr int64_t kBusyThreads = 1 << 14;
inline constexpr int64_t kBusyRows = 128;
inline constexpr int64_t kBusyTiles = 96;
inline constexpr int64_t kBusyBlocks = 1024;
/// The most elements that one block reduces to one result in several stages,
/// while the rest of the GPU is idle.
inline constexpr int64_t kSmallTensor = 1 << 13;
/// The terms of a row from which fewer than kBusyRows rows leave most of the
/// GPU idle, so that each stage stays a kernel, whose reductions are cut into
/// sections.
inline constexpr int64_t kSectionedRow = 1 << 18;

} // namespace gpu
} // namespace tdc

#endif // TDC_TARGET_TARGETINFO_H
