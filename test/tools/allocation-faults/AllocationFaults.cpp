//===- AllocationFaults.cpp - a fault at the k-th allocation --------------===//
//
// A library that LD_PRELOAD loads before the C library of a program, so that
// the program needs no code for tests. ALLOCATION_FAULT names the fault.
// Allocations are counted from the start of `main`.
//
//   fail:K       allocation K fails
//   fail-from:K  allocation K and all later ones fail
//   crash:K      SIGSEGV at allocation K
//   abort:K      abort() at allocation K
//   overflow:K   the stack overflows at allocation K
//   sleep:K      allocation K takes two seconds
//   count:FILE   no fault; writes the number of allocations to a file
//
// Processes that the program starts have no faults.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

enum class Fault { None, Fail, FailFrom, Crash, Abort, Overflow, Sleep };

std::atomic<Fault> fault{Fault::None};
std::atomic<long> allocations{0};
long faultyOne = -1;
char countFile[4096];

int overflow(volatile char *above) {
  volatile char page[4096];
  page[0] = *above;
  return *above ? 1 : overflow(page) + page[0];
}

/// Counts an allocation and returns whether it succeeds.
bool succeeds() {
  long number = ++allocations;
  Fault what = fault;
  if (number != faultyOne && !(what == Fault::FailFrom && number > faultyOne))
    return true;
  switch (what) {
  case Fault::None:
    return true;
  case Fault::Fail:
  case Fault::FailFrom:
    errno = ENOMEM;
    return false;
  case Fault::Crash:
    raise(SIGSEGV);
    return true;
  case Fault::Abort:
    abort();
  case Fault::Overflow: {
    char start = 0;
    return overflow(&start) == 0;
  }
  case Fault::Sleep:
    // The signal of a timer ends a sleep early.
    for (unsigned left = 2; left;)
      left = sleep(left);
    return true;
  }
  return true;
}

bool readNumber(const char *text, const char *name, Fault what) {
  size_t length = strlen(name);
  if (strncmp(text, name, length) != 0 || text[length] != ':')
    return false;
  faultyOne = strtol(text + length + 1, nullptr, 10);
  fault = what;
  return true;
}

int (*realMain)(int, char **, char **);

int faultyMain(int argc, char **argv, char **environment) {
  const char *text = getenv("ALLOCATION_FAULT");
  unsetenv("LD_PRELOAD");
  allocations = 0;
  if (strncmp(text, "count:", 6) == 0)
    snprintf(countFile, sizeof countFile, "%s", text + 6);
  else if (!readNumber(text, "fail", Fault::Fail) &&
           !readNumber(text, "fail-from", Fault::FailFrom) &&
           !readNumber(text, "crash", Fault::Crash) &&
           !readNumber(text, "abort", Fault::Abort) &&
           !readNumber(text, "overflow", Fault::Overflow) &&
           !readNumber(text, "sleep", Fault::Sleep))
    abort();
  return realMain(argc, argv, environment);
}

template <typename F> F *next(const char *name) {
  return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name));
}

} // namespace

// The functions have the names of the C library.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#pragma GCC visibility push(default)
extern "C" {

void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

// tdc defines malloc itself; its malloc calls this function.
void *__libc_malloc(size_t size) {
  static auto *real = next<void *(size_t)>("__libc_malloc");
  return succeeds() ? real(size) : nullptr;
}

void *calloc(size_t count, size_t size) {
  return succeeds() ? __libc_calloc(count, size) : nullptr;
}

void *realloc(void *block, size_t size) {
  return succeeds() ? __libc_realloc(block, size) : nullptr;
}

void *aligned_alloc(size_t alignment, size_t size) {
  return succeeds() ? __libc_memalign(alignment, size) : nullptr;
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = succeeds() ? __libc_memalign(alignment, size) : nullptr;
  return *block ? 0 : ENOMEM;
}

void *mmap(void *address, size_t size, int protection, int flags, int file,
           off_t offset) {
  static auto *real = next<decltype(mmap)>("mmap");
  if ((flags & MAP_ANONYMOUS) && !succeeds())
    return MAP_FAILED;
  return real(address, size, protection, flags, file, offset);
}

void _exit(int code) {
  if (*countFile)
    if (FILE *out = fopen(countFile, "w")) {
      fprintf(out, "%ld\n", allocations.load());
      fclose(out);
    }
  next<void(int)>("_exit")(code);
  abort();
}

int __libc_start_main(int (*mainOfProgram)(int, char **, char **), int argc,
                      char **argv, void (*initialize)(), void (*finish)(),
                      void (*finishLoader)(), void *stackEnd) {
  realMain = mainOfProgram;
  return next<decltype(__libc_start_main)>("__libc_start_main")(
      faultyMain, argc, argv, initialize, finish, finishLoader, stackEnd);
}

} // extern "C"
#pragma GCC visibility pop
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
