//===- Random.cpp - tensors of random numbers -----------------------------===//
//
// The same source is compiled for three vector widths, and the version for the
// processor is chosen at run time; RandomCore.h says why the bits agree. This
// file is compiled with -ffp-contract=off, and without errno and traps so that
// loops vectorise.
//
//===----------------------------------------------------------------------===//

#include "base/Dtype.h"
#include "program/Context.h"
#include "program/RandomCore.h"
#include <algorithm>

using namespace tdrt;

namespace {

/// Words that are made at a time: they and the numbers made from them fit in
/// the L1 cache.
constexpr int64_t kChunk = 16 * kWords;

/// The loops that have a version per vector width.
struct Kernels {
  void (*words)(uint32_t *words, int64_t batches, uint64_t block, uint64_t seed,
                uint64_t call);
  void (*uniform)(float *out, const uint32_t *words, int64_t n);
  void (*normal)(float *out, const uint32_t *words, int64_t n);
  void (*uniform64)(double *out, const uint32_t *upper, const uint32_t *lower,
                    int64_t n);
  void (*normal64)(double *out, const uint32_t *upper, const uint32_t *lower,
                   int64_t n);
};

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute and a part of a name.
#define TDRT_KERNELS(NAME, TARGET)                                             \
  TARGET void words##NAME(uint32_t *words, int64_t batches, uint64_t block,    \
                          uint64_t seed, uint64_t call) {                      \
    philoxWords(words, batches, block, seed, call);                            \
  }                                                                            \
  TARGET void uniform##NAME(float *__restrict out,                             \
                            const uint32_t *__restrict words, int64_t n) {     \
    for (int64_t i = 0; i < n; ++i)                                            \
      out[i] = uniformFromWord(words[i]);                                      \
  }                                                                            \
  TARGET void normal##NAME(float *__restrict out,                              \
                           const uint32_t *__restrict words, int64_t n) {      \
    for (int64_t i = 0; i < n; ++i)                                            \
      out[i] = normalFromWord(words[i]);                                       \
  }                                                                            \
  TARGET void uniform64##NAME(double *__restrict out,                          \
                              const uint32_t *__restrict upper,                \
                              const uint32_t *__restrict lower, int64_t n) {   \
    for (int64_t i = 0; i < n; ++i)                                            \
      out[i] = uniformFromWords(upper[i], lower[i]);                           \
  }                                                                            \
  TARGET void normal64##NAME(double *__restrict out,                           \
                             const uint32_t *__restrict upper,                 \
                             const uint32_t *__restrict lower, int64_t n) {    \
    for (int64_t i = 0; i < n; ++i)                                            \
      out[i] = normalFromWords(upper[i], lower[i]);                            \
  }                                                                            \
  constexpr Kernels kernels##NAME = {words##NAME, uniform##NAME, normal##NAME, \
                                     uniform64##NAME, normal64##NAME};

TDRT_KERNELS(Base, )
#ifdef __x86_64__
TDRT_KERNELS(Avx2, __attribute__((target("avx2"))))
TDRT_KERNELS(Avx512, __attribute__((target("avx512f,avx512vl,avx512dq"))))
#endif
#undef TDRT_KERNELS
// NOLINTEND(bugprone-macro-parentheses)

const Kernels &kernels() {
#ifdef __x86_64__
  static const Kernels &chosen = __builtin_cpu_supports("avx512f") &&
                                         __builtin_cpu_supports("avx512vl") &&
                                         __builtin_cpu_supports("avx512dq")
                                     ? kernelsAvx512
                                 : __builtin_cpu_supports("avx2") ? kernelsAvx2
                                                                  : kernelsBase;
  return chosen;
#else
  return kernelsBase;
#endif
}

/// The counter's top bit, which is set for the lower halves of 64-bit words.
constexpr uint64_t kLower = uint64_t(1) << 63;

/// Calls make(block, number of batches), then convert(index of the first wanted
/// word in the chunk, index of its element in the result, number of wanted
/// words), for each chunk of the elements first ... first+n-1.
template <class Make, class Convert>
void forChunks(int64_t first, int64_t n, Make make, Convert convert) {
  int64_t end = first + n;
  for (int64_t at = first - first % kWords; at < end; at += kChunk) {
    int64_t stop = std::min(at + kChunk, end);
    make(uint64_t(at) / 4, (stop - at + kWords - 1) / kWords);
    int64_t skip = std::max<int64_t>(first - at, 0);
    convert(skip, at + skip - first, stop - at - skip);
  }
}

/// Calls convert(words, index of the first element in the result, count).
template <class Convert>
void forWords(int64_t first, int64_t n, int64_t seed, int64_t call,
              Convert convert) {
  alignas(64) uint32_t words[kChunk];
  forChunks(
      first, n,
      [&](uint64_t block, int64_t batches) {
        kernels().words(words, batches, block, seed, call);
      },
      [&](int64_t skip, int64_t at, int64_t count) {
        convert(words + skip, at, count);
      });
}

/// Calls convert(upper halves, lower halves, index of the first element in the
/// result, count).
template <class Convert>
void forWordPairs(int64_t first, int64_t n, int64_t seed, int64_t call,
                  Convert convert) {
  alignas(64) uint32_t upper[kChunk], lower[kChunk];
  forChunks(
      first, n,
      [&](uint64_t block, int64_t batches) {
        kernels().words(upper, batches, block, seed, call);
        kernels().words(lower, batches, kLower | block, seed, call);
      },
      [&](int64_t skip, int64_t at, int64_t count) {
        convert(upper + skip, lower + skip, at, count);
      });
}

/// Gives single words of one call; makes a batch at a time.
class Words {
public:
  /// `base` is 0, or kLower for the lower halves.
  Words(uint64_t seed, uint64_t call, uint64_t base)
      : seed(seed), call(call), base(base) {}

  uint32_t operator[](uint64_t i) {
    if (i / kWords != batch) {
      batch = i / kWords;
      kernels().words(words, 1, base | batch * kPhiloxBatch, seed, call);
    }
    return words[i % kWords];
  }

private:
  uint64_t seed, call, base;
  uint64_t batch = UINT64_MAX;
  uint32_t words[kWords];
};

/// A number below `range` from word i; from 64 bits if the range needs them.
uint64_t below(uint64_t range, uint64_t i, Words &upper, Words &lower) {
  if (range <= uint64_t(1) << 32)
    return upper[i] * range >> 32;
  __extension__ typedef unsigned __int128 Wide;
  uint64_t word = uint64_t(upper[i]) << 32 | lower[i];
  return static_cast<uint64_t>(Wide(word) * range >> 64);
}

template <class T>
void fillBounded(T *out, int64_t first, int64_t n, int64_t seed, int64_t call,
                 int64_t low, int64_t high) {
  uint64_t range = uint64_t(high) - uint64_t(low);
  if (range <= uint64_t(1) << 32)
    return forWords(first, n, seed, call,
                    [=](const uint32_t *words, int64_t at, int64_t count) {
                      for (int64_t i = 0; i < count; ++i)
                        out[at + i] = static_cast<T>(
                            low + int64_t(words[i] * range >> 32));
                    });
  Words upper(seed, call, 0), lower(seed, call, kLower);
  for (int64_t i = 0; i < n; ++i)
    out[i] =
        static_cast<T>(uint64_t(low) + below(range, first + i, upper, lower));
}

} // namespace

int32_t tdrt_check_randint(tdrt_context *ctx, int64_t low, int64_t high,
                           int32_t dtype, int32_t site) {
  // An int holds the lower half of the numbers of u64.
  int64_t bits = dtype == TDRT_BOOL  ? 1
                 : dtype == TDRT_U64 ? 63
                 : isUnsigned(dtype) ? 8 * elementBytes(dtype)
                                     : 8 * elementBytes(dtype) - 1;
  int64_t most = INT64_MAX >> (63 - bits);
  int64_t least = isUnsigned(dtype) ? 0 : -most - 1;
  return Context::of(ctx).guarded(site, [&] {
    std::string range = "randint from " + std::to_string(low) + " to below " +
                        std::to_string(high);
    if (low >= high)
      fail(106, range + " has no numbers");
    if (low < least || high - 1 > most)
      fail(106, range + " does not fit " + dtypeName(dtype));
  });
}

void tdrt_random_uniform_f32(float *out, int64_t first, int64_t n, int64_t seed,
                             int64_t call) {
  forWords(first, n, seed, call,
           [=](const uint32_t *words, int64_t at, int64_t count) {
             kernels().uniform(out + at, words, count);
           });
}

void tdrt_random_uniform_f64(double *out, int64_t first, int64_t n,
                             int64_t seed, int64_t call) {
  forWordPairs(first, n, seed, call,
               [=](const uint32_t *upper, const uint32_t *lower, int64_t at,
                   int64_t count) {
                 kernels().uniform64(out + at, upper, lower, count);
               });
}

void tdrt_random_normal_f32(float *out, int64_t first, int64_t n, int64_t seed,
                            int64_t call) {
  forWords(first, n, seed, call,
           [=](const uint32_t *words, int64_t at, int64_t count) {
             kernels().normal(out + at, words, count);
           });
}

void tdrt_random_normal_f64(double *out, int64_t first, int64_t n, int64_t seed,
                            int64_t call) {
  forWordPairs(first, n, seed, call,
               [=](const uint32_t *upper, const uint32_t *lower, int64_t at,
                   int64_t count) {
                 kernels().normal64(out + at, upper, lower, count);
               });
}

int32_t tdrt_random_randint_i64(tdrt_context *ctx, int64_t *out, int64_t first,
                                int64_t n, int64_t seed, int64_t call,
                                int64_t low, int64_t high, int32_t site) {
  int32_t status = tdrt_check_randint(ctx, low, high, TDRT_I64, site);
  if (status == 0)
    fillBounded(out, first, n, seed, call, low, high);
  return status;
}

int32_t tdrt_random_randint_i32(tdrt_context *ctx, int32_t *out, int64_t first,
                                int64_t n, int64_t seed, int64_t call,
                                int64_t low, int64_t high, int32_t site) {
  int32_t status = tdrt_check_randint(ctx, low, high, TDRT_I32, site);
  if (status == 0)
    fillBounded(out, first, n, seed, call, low, high);
  return status;
}

void tdrt_random_permutation_i64(int64_t *out, int64_t n, int64_t seed,
                                 int64_t call) {
  for (int64_t i = 0; i < n; ++i)
    out[i] = i;
  Words upper(seed, call, 0), lower(seed, call, kLower);
  for (int64_t i = n - 1; i > 0; --i)
    std::swap(out[i], out[below(uint64_t(i) + 1, i, upper, lower)]);
}
