//===- Memory.cpp - arena, caching allocator ------------------------------===//

#include "Memory.h"
#include "Failure.h"
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace tdrt;

namespace {
constexpr int64_t kAlign = 64;
/// Generated code may load one vector past the end of a buffer.
constexpr int64_t kSlack = 64;
/// From here on zeroed pages of the system are cheaper than memset.
constexpr int64_t kMapArena = 256 << 10;
constexpr int64_t kHugePage = 2 << 20;

/// Blocks come in four sizes per power of two, so that at most a fifth is lost.
/// Returns the class of `bytes` and rounds it up to the class's size.
unsigned roundToClass(int64_t &bytes) {
  uint64_t units = (bytes + kAlign - 1) / kAlign; // at least 1
  unsigned log = 63 - __builtin_clzll(units);
  if (log >= 2) {
    uint64_t step = uint64_t(1) << (log - 2);
    units = (units + step - 1) / step * step;
    log = 63 - __builtin_clzll(units);
  }
  bytes = static_cast<int64_t>(units) * kAlign;
  unsigned quarter = log >= 2 ? (units >> (log - 2)) & 3 : units & 3;
  return log * 4 + quarter;
}
} // namespace

/// Stands in the 64 bytes before the data.
struct Memory::Block {
  Block *next;
  Block **link; ///< what points to this one; not for blocks in `cache`
  int64_t asked;
  int64_t capacity; ///< bytes of data, slack included
  unsigned sizeClass;

  void *data() { return reinterpret_cast<char *>(this) + kAlign; }
  static Block *of(void *data) {
    return reinterpret_cast<Block *>(static_cast<char *>(data) - kAlign);
  }
};

Memory::~Memory() {
  dropCache();
  freeAll(used);
  freeAll(ofCall);
  if (arenaMapped)
    munmap(arena, arenaMapped);
  else
    free(arena);
}

void Memory::count(int64_t bytes) {
  live += bytes;
  if (live > most)
    most = live;
}

char *Memory::allocateArena(int64_t bytes) {
  static_assert(sizeof(Block) <= kAlign, "a block's header is too large");
  if (bytes < 0 || bytes > INT64_MAX - kHugePage)
    fail(202, "a program's memory of " + std::to_string(bytes) +
                  " bytes is too large");
  int64_t size = (bytes + kSlack + kAlign - 1) / kAlign * kAlign;
  if (size < kMapArena) {
    arena = static_cast<char *>(aligned_alloc(kAlign, size));
    if (arena)
      memset(arena, 0, size);
  } else {
    void *map = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map != MAP_FAILED) {
      arena = static_cast<char *>(map);
      arenaMapped = size;
      // A hint: fewer page faults and TLB misses for large models.
      if (size >= 2 * kHugePage)
        madvise(map, size, MADV_HUGEPAGE);
    }
  }
  if (!arena)
    fail(201, "out of memory: the program needs " + byteText(bytes) +
                  " for its state and its intermediate values");
  count(bytes);
  return arena;
}

void *Memory::allocate(int64_t bytes) {
  if (bytes < 0 || bytes > INT64_MAX / 2)
    fail(202, "a tensor of this size cannot be addressed");
  int64_t capacity = bytes + kSlack;
  unsigned sizeClass = roundToClass(capacity);
  Block *block = cache[sizeClass];
  if (block) {
    cache[sizeClass] = block->next;
    cached -= block->capacity;
  } else {
    auto fresh = [&] {
      return static_cast<Block *>(aligned_alloc(kAlign, kAlign + capacity));
    };
    block = fresh();
    if (!block) {
      dropCache();
      block = fresh();
    }
    if (!block)
      fail(201, "out of memory: " + byteText(bytes) + " asked for, " +
                    byteText(live) + " in use by this program");
    block->capacity = capacity;
    block->sizeClass = sizeClass;
  }
  block->asked = bytes;
  Block *&list = inCall ? ofCall : used;
  block->link = &list;
  block->next = list;
  if (list)
    list->link = &block->next;
  list = block;
  count(bytes);
  return block->data();
}

void Memory::release(void *data) {
  if (!data)
    return;
  Block *block = Block::of(data);
  *block->link = block->next;
  if (block->next)
    block->next->link = block->link;
  live -= block->asked;
  // A program whose sizes keep changing must not hold more than it ever needed.
  if (cached + block->capacity > most + kHugePage) {
    free(block);
    return;
  }
  cached += block->capacity;
  block->next = cache[block->sizeClass];
  cache[block->sizeClass] = block;
}

void Memory::beginCall() {
  while (ofCall)
    release(ofCall->data());
  inCall = true;
}

void Memory::freeAll(Block *list) {
  while (list) {
    Block *next = list->next;
    free(list);
    list = next;
  }
}

void Memory::dropCache() {
  for (Block *&list : cache) {
    freeAll(list);
    list = nullptr;
  }
  cached = 0;
}
