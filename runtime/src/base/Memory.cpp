//===- Memory.cpp - caching allocator -------------------------------------===//

#include "base/Memory.h"
#include "base/Failure.h"
#include <algorithm>

using namespace tdrt;

namespace {
/// Bytes that may be kept for reuse in excess of the most ever in use.
constexpr int64_t kSpare = 2 << 20;

/// Returns the size class of `bytes` and rounds it up to the class's size.
/// There are four classes per power of two, so at most a fifth of a block is
/// lost.
unsigned roundToClass(int64_t &bytes) {
  uint64_t units = (bytes + Memory::kAlign - 1) / Memory::kAlign; // at least 1
  unsigned log = 63 - __builtin_clzll(units);
  if (log >= 2) {
    uint64_t step = uint64_t(1) << (log - 2);
    units = (units + step - 1) / step * step;
    log = 63 - __builtin_clzll(units);
  }
  bytes = static_cast<int64_t>(units) * Memory::kAlign;
  unsigned quarter = log >= 2 ? (units >> (log - 2)) & 3 : units & 3;
  return log * 4 + quarter;
}
} // namespace

void Memory::count(int64_t bytes) {
  live += bytes;
  most = std::max(most, live);
  highest = std::max(highest, live);
}

void *Memory::allocateIn(Block *&list, int64_t bytes) {
  if (bytes < 0 || bytes > INT64_MAX / 2)
    fail(202, "a tensor of this size cannot be addressed");
  int64_t capacity = bytes + kSlack;
  unsigned sizeClass = roundToClass(capacity);
  Block *block = cache[sizeClass];
  if (block) {
    cache[sizeClass] = block->next;
    cached -= block->capacity;
  } else {
    block = obtain(capacity);
    if (!block) {
      dropCache();
      block = obtain(capacity);
    }
    if (!block)
      refuse(bytes);
    block->capacity = capacity;
    block->sizeClass = sizeClass;
  }
  return handOut(block, bytes, list);
}

void *Memory::handOut(Block *block, int64_t asked, Block *&list) {
  block->asked = asked;
  block->link = &list;
  block->next = list;
  if (list)
    list->link = &block->next;
  list = block;
  count(asked);
  return getData(block);
}

void Memory::release(void *data) {
  if (!data)
    return;
  Block *block = find(data);
  *block->link = block->next;
  if (block->next)
    block->next->link = block->link;
  live -= block->asked;
  // A program with changing sizes must not hold more memory than it ever
  // needed.
  if (block->sizeClass == kClasses ||
      cached + block->capacity > most + kSpare) {
    discard(block);
    return;
  }
  cached += block->capacity;
  block->next = cache[block->sizeClass];
  cache[block->sizeClass] = block;
}

void Memory::releaseCall() {
  while (ofCall)
    release(getData(ofCall));
}

void Memory::beginCall() {
  releaseCall();
  inCall = true;
}

void Memory::endCall(bool failed) {
  inCall = false;
  if (failed)
    releaseCall();
}

void Memory::discardAll(Block *&list) {
  while (list) {
    Block *next = list->next;
    discard(list);
    list = next;
  }
}

void Memory::dropCache() {
  for (Block *&list : cache)
    discardAll(list);
  cached = 0;
}

void Memory::clear() {
  dropCache();
  discardAll(used);
  discardAll(ofCall);
}
