//===- arc4random.c - one libc symbol that older systems lack -------------===//
//
// LLVM's archives and libstdc++ call arc4random, which came with glibc 2.36; no
// other symbol in tdc is that new. With this definition the release needs only
// glibc 2.35 and so runs on Ubuntu 22.04 as well.
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t value;
  if (getrandom(&value, sizeof(value), 0) != sizeof(value))
    abort();
  return value;
}
