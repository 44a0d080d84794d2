//===- Denormals.h - arithmetic that treats denormals as zero -------------===//
//
// An operation on a denormal takes a hundred times as long as on another
// number. The moments of weights that stopped learning become denormals and
// stay denormals: m + 0.1 * (0 - m) rounds back to m. While compiled code runs,
// denormals are read and written as zero, as in XLA. Denormals of f16 are not:
// f16 is computed in f32, where they are normal numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_BASE_DENORMALS_H
#define TDRT_BASE_DENORMALS_H

#include <cstdint>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace tdrt {

enum class Denormals : uint8_t { Keep, Flush };

/// Sets the handling of denormals on this thread while it lives; then restores
/// the caller's mode. On other processors than x86-64 and AArch64 nothing
/// changes.
class ScopedDenormals {
public:
  explicit ScopedDenormals(Denormals denormals) : callers(getMode()) {
    setMode(denormals == Denormals::Flush ? callers | kFlush
                                          : callers & ~kFlush);
  }
  ~ScopedDenormals() { setMode(callers); }
  ScopedDenormals(const ScopedDenormals &) = delete;
  ScopedDenormals &operator=(const ScopedDenormals &) = delete;

private:
#if defined(__x86_64__)
  using Mode = uint32_t;
  static constexpr Mode kFlush = 0x8040; // FTZ: results, DAZ: operands
  static Mode getMode() { return _mm_getcsr(); }
  static void setMode(Mode mode) { _mm_setcsr(mode); }
#elif defined(__aarch64__)
  using Mode = uint64_t;
  static constexpr Mode kFlush = 1 << 24; // FZ of FPCR
  static Mode getMode() { return __builtin_aarch64_get_fpcr64(); }
  static void setMode(Mode mode) { __builtin_aarch64_set_fpcr64(mode); }
#else
  using Mode = uint32_t;
  static constexpr Mode kFlush = 0;
  static Mode getMode() { return 0; }
  static void setMode(Mode) {}
#endif

  Mode callers;
};

} // namespace tdrt

#endif // TDRT_BASE_DENORMALS_H
