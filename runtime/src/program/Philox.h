//===- Philox.h - the counter-based generator -----------------------------===//
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as
// easy as 1, 2, 3" (SC 2011): ten rounds of two 32 x 32 -> 64 bit products,
// from a 128-bit counter and a 64-bit key to four words.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_PROGRAM_PHILOX_H
#define TDRT_PROGRAM_PHILOX_H

#include <cstdint>

namespace tdrt {

/// Number of counters that are computed together, so that a compiler can keep
/// them in vector registers.
constexpr int kPhiloxBatch = 16;

/// Computes Philox4x32-10 of kPhiloxBatch counters, in place: word l of counter
/// j is the low half of c[l][j]. The high halves keep remains of the products:
/// the multiplication of the vector units reads only low halves, so they need
/// not be cleared.
__attribute__((always_inline)) inline void
philoxBatch(uint64_t (&c)[4][kPhiloxBatch], uint32_t k0, uint32_t k1) {
#pragma GCC unroll 1
  for (int round = 0; round < 10; ++round) {
    for (int j = 0; j < kPhiloxBatch; ++j) {
      uint64_t p0 = uint64_t(0xD2511F53) * uint32_t(c[0][j]);
      uint64_t p1 = uint64_t(0xCD9E8D57) * uint32_t(c[2][j]);
      c[0][j] = p1 >> 32 ^ c[1][j] ^ k0;
      c[1][j] = p1;
      c[2][j] = p0 >> 32 ^ c[3][j] ^ k1;
      c[3][j] = p0;
    }
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
}

/// Words per batch.
constexpr int64_t kWords = 4 * kPhiloxBatch;

/// Writes `batches` * kWords words of a call, from word 4 * block on.
__attribute__((always_inline)) inline void
philoxWords(uint32_t *words, int64_t batches, uint64_t block, uint64_t seed,
            uint64_t call) {
  for (; batches > 0; --batches, block += kPhiloxBatch, words += kWords) {
    uint64_t c[4][kPhiloxBatch];
    for (int j = 0; j < kPhiloxBatch; ++j) {
      uint64_t counter = block + j;
      c[0][j] = call;
      c[1][j] = call >> 32;
      c[2][j] = counter;
      c[3][j] = counter >> 32;
    }
    philoxBatch(c, uint32_t(seed), uint32_t(seed >> 32));
    for (int j = 0; j < kPhiloxBatch; ++j)
      for (int lane = 0; lane < 4; ++lane)
        words[4 * j + lane] = uint32_t(c[lane][j]);
  }
}

} // namespace tdrt

#endif // TDRT_PROGRAM_PHILOX_H
