//===- HostMemory.cpp - blocks of the heap, the arena of the cpu ----------===//

#include "base/Failure.h"
#include "base/File.h"
#include "base/MappedFile.h"
#include "base/Memory.h"
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace tdrt;

namespace {
/// From this many bytes on, zeroed pages of the system are cheaper than memset.
constexpr int64_t kMapArena = 256 << 10;
constexpr int64_t kHugePage = 2 << 20;
} // namespace

HostMemory::~HostMemory() {
  clear();
  if (arenaMapped)
    munmap(arena, arenaMapped);
  else
    free(arena);
}

char *HostMemory::allocateArena(int64_t bytes) {
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

// A block's header is in the 64 bytes before its data.

Memory::Block *HostMemory::obtain(int64_t capacity) {
  static_assert(sizeof(Block) <= kAlign, "a block's header is too large");
  return static_cast<Block *>(aligned_alloc(kAlign, kAlign + capacity));
}

/// The header of a block that is a view. It overwrites the end of the file's
/// own header, in a page that becomes private to this process by the write.
struct HostMemory::MappedBlock : Block {
  MappedFile file;
};

void *HostMemory::map(const InputFile &file, const char *path,
                      uint64_t offset) {
  static_assert(sizeof(MappedBlock) <= kAlign, "a block's header is too large");
  if (offset < kAlign || offset % kAlign != 0)
    return nullptr;
  MappedFile mapped = mapFile(file, path, kSlack);
  if (!mapped.base)
    return nullptr;
  auto *block = reinterpret_cast<MappedBlock *>(find(mapped.base + offset));
  block->file = mapped;
  block->capacity = 0;
  block->sizeClass = kClasses;
  return handOut(block, /*asked=*/0, currentList());
}

void HostMemory::discard(Block *block) noexcept {
  if (block->sizeClass == kClasses)
    unmapFile(static_cast<MappedBlock *>(block)->file);
  else
    free(block);
}

void *HostMemory::getData(Block *block) {
  return reinterpret_cast<char *>(block) + kAlign;
}

Memory::Block *HostMemory::find(void *data) {
  return reinterpret_cast<Block *>(static_cast<char *>(data) - kAlign);
}

void HostMemory::refuse(int64_t bytes) {
  fail(201, "out of memory: " + byteText(bytes) + " asked for, " +
                byteText(inUse()) + " in use by this program");
}
