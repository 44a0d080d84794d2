//===- XXH64.cpp - the checksum of checkpoints ----------------------------===//

#include "base/XXH64.h"
#include <cstring>

using namespace tdrt;

namespace {

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

uint64_t rotate(uint64_t value, int bits) {
  return value << bits | value >> (64 - bits);
}

template <class T> T load(const unsigned char *at) {
  T value;
  memcpy(&value, at, sizeof value);
  return value;
}

uint64_t round(uint64_t lane, uint64_t input) {
  return rotate(lane + input * kPrime2, 31) * kPrime1;
}

} // namespace

uint64_t tdrt::xxh64(const void *data, uint64_t size) {
  const unsigned char *at = static_cast<const unsigned char *>(data);
  uint64_t left = size;
  uint64_t hash = kPrime5;
  if (size >= 32) {
    uint64_t lanes[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
    for (; left >= 32; left -= 32, at += 32)
      for (int i = 0; i < 4; ++i)
        lanes[i] = round(lanes[i], load<uint64_t>(at + 8 * i));
    hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) +
           rotate(lanes[3], 18);
    for (uint64_t lane : lanes)
      hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
  }
  hash += size;
  for (; left >= 8; left -= 8, at += 8)
    hash = rotate(hash ^ round(0, load<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (left >= 4) {
    hash = rotate(hash ^ load<uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    left -= 4;
    at += 4;
  }
  for (; left > 0; --left, ++at)
    hash = rotate(hash ^ *at * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

std::string tdrt::hexText(uint64_t value) {
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, value >>= 4)
    text[i] = "0123456789abcdef"[value & 15];
  return text;
}
