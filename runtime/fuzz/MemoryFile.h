//===- MemoryFile.h - the fuzzer's bytes as a file ------------------------===//

#ifndef TDRT_FUZZ_MEMORYFILE_H
#define TDRT_FUZZ_MEMORYFILE_H

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

/// Replaces the contents of this process's memory file; returns its path.
inline const char *writeMemoryFile(const uint8_t *data, size_t size) {
  static const int fd = memfd_create("file", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  // Writes before truncating: pages that both contents need stay allocated.
  if (pwrite(fd, data, size, 0) != static_cast<ssize_t>(size) ||
      ftruncate(fd, static_cast<off_t>(size)) != 0)
    abort();
  return path.c_str();
}

/// A number below `count` that depends on all bytes. It selects one of several
/// things to do with the bytes in a run; doing all of them would make the run
/// that many times slower.
inline int32_t chooseBy(const uint8_t *data, size_t size, int32_t count) {
  return static_cast<int32_t>(std::accumulate(data, data + size, 0u) %
                              static_cast<uint32_t>(count));
}

#endif // TDRT_FUZZ_MEMORYFILE_H
