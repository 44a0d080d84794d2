//===- FailingAllocation.cpp - operator new that fails when it is told to -===//

#include "FailingAllocation.h"
#include <cstdlib>
#include <new>

thread_local int64_t tdrt_test::allocationsLeft = -1;

static bool failNow() {
  if (tdrt_test::allocationsLeft < 0)
    return false;
  return tdrt_test::allocationsLeft-- == 0;
}

void *operator new(size_t size) {
  void *memory = failNow() ? nullptr : malloc(size);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return failNow() ? nullptr : malloc(size);
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
