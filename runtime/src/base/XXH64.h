//===- XXH64.h - the checksum of checkpoints ------------------------------===//
//
// XXH64 of Yann Collet's xxHash with seed 0: 64 bits, several GB/s, every bit
// of the input counts. It detects damage; it does not protect against
// deliberate changes.
//
//===----------------------------------------------------------------------===//

#ifndef TDRT_BASE_XXH64_H
#define TDRT_BASE_XXH64_H

#include <cstdint>
#include <string>

namespace tdrt {

uint64_t xxh64(const void *data, uint64_t size);

/// 16 lower-case hexadecimal digits.
std::string hexText(uint64_t value);

} // namespace tdrt

#endif // TDRT_BASE_XXH64_H
