//===- Malloc.cpp - malloc that reports the end of the memory -------------===//
//
// Parts of MLIR do not check the result of malloc. This definition replaces
// that of the C library in the process of the command, and calls the new
// handler on failure. libtdc.so has none: the process that loads it may have an
// allocator of its own.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <new>

extern "C" {
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
void *__libc_malloc(size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size) {
  void *block = __libc_malloc(size);
  if (!block && std::get_new_handler())
    std::get_new_handler()();
  return block;
}
}
