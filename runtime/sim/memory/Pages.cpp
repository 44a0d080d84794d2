//===- Pages.cpp - pages of the process for simulated memory --------------===//

#include "memory/Pages.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace tdc::sim;

namespace {
/// Size of the shared copy of the pattern. Each part of this size of an
/// allocation takes one mapping: 16 GiB take 1024 of the 65530 that Linux
/// allows.
constexpr uint64_t kSharedBytes = 16 << 20;

void *orNull(void *pages) { return pages == MAP_FAILED ? nullptr : pages; }
} // namespace

void tdc::sim::fillWithPattern(std::byte *data, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes; done += sizeof kPattern)
    memcpy(data + done, &kPattern,
           std::min<uint64_t>(sizeof kPattern, bytes - done));
}

void *tdc::sim::reserveAddresses(uint64_t bytes) {
  return orNull(mmap(nullptr, bytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

void *tdc::sim::mapZeros(uint64_t bytes) {
  return orNull(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

void tdc::sim::unmap(void *pages, uint64_t bytes) { munmap(pages, bytes); }

void tdc::sim::retire(void *pages, uint64_t bytes) {
  if (mmap(pages, bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED)
    return; // The memory is kept, then, which is as safe.
}

PatternPages::~PatternPages() {
  if (shared >= 0)
    close(shared);
}

bool PatternPages::openShared() {
  if (shared >= 0)
    return true;
  int file = memfd_create("tdc-sim-pattern", MFD_CLOEXEC);
  if (file < 0)
    return false;
  void *pages = MAP_FAILED;
  if (ftruncate(file, kSharedBytes) == 0)
    pages = mmap(nullptr, kSharedBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                 file, 0);
  if (pages == MAP_FAILED) {
    close(file);
    return false;
  }
  fillWithPattern(static_cast<std::byte *>(pages), kSharedBytes);
  munmap(pages, kSharedBytes);
  shared = file;
  return true;
}

std::byte *PatternPages::map(uint64_t bytes) {
  auto *pages = static_cast<std::byte *>(mapZeros(bytes));
  if (!pages)
    return nullptr;
  uint64_t done = 0;
  if (bytes >= kSharedBytes && openShared()) {
    for (; done + kSharedBytes <= bytes; done += kSharedBytes) {
      if (mmap(pages + done, kSharedBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, shared,
               0) == MAP_FAILED) {
        unmap(pages, bytes);
        return nullptr;
      }
    }
  }
  fillWithPattern(pages + done, bytes - done);
  return pages;
}
