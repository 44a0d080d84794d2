//===- XXH64.cpp - the checksum of checkpoints ----------------------------===//

#include "base/XXH64.h"

// The header alone: an executable needs no library for it.
#define XXH_INLINE_ALL
#define XXH_NO_XXH3
#include <xxhash.h>

uint64_t tdrt::xxh64(const void *data, uint64_t size) {
  return XXH64(data, size, /*seed=*/0);
}

std::string tdrt::hexText(uint64_t value) {
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4)
    text[i] = "0123456789abcdef"[value & 15];
  return text;
}
