//===- Failpoints.cpp - allocations and system calls that fail on demand --===//

#include "support/Failpoints.h"
#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <map>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tdrt_test;

namespace {

struct State {
  Failpoint failpoint;
  bool armed = false;
  int64_t seen = 0, failed = 0;
  bool interrupting = false, interrupted = false;
  size_t most = 0;
  Recording *recording = nullptr;
  int64_t number = -1; ///< the next known random number; -1: the system's own
  bool watching = false;
  int64_t live = 0, peak = 0;
};
thread_local State state;

/// Names of open files, while they are recorded.
thread_local std::map<int, std::string> *names = nullptr;

bool failNow(Calls calls) {
  if (!state.armed || state.failpoint.calls != calls)
    return false;
  int64_t after = state.seen++ - state.failpoint.succeeding;
  bool fails = state.failpoint.lasting ? after >= 0 : after == 0;
  state.failed += fails;
  return fails;
}

/// Whether a system call must fail now; sets errno.
bool failCall(bool mayBeInterrupted = false) {
  if (mayBeInterrupted && state.interrupting) {
    state.interrupted = !state.interrupted;
    errno = EINTR;
    if (state.interrupted)
      return true;
  }
  if (!failNow(Calls::System))
    return false;
  errno = state.failpoint.error;
  return true;
}

size_t cut(size_t size) {
  return state.most ? std::min(size, state.most) : size;
}

void *counted(void *block) {
  if (state.watching && block) {
    state.live += malloc_usable_size(block);
    state.peak = std::max(state.peak, state.live);
  }
  return block;
}

/// Keeps a step; calls made while keeping it are not recorded.
template <class Keep> void record(Keep keep) {
  if (Recording *recording = state.recording) {
    state.recording = nullptr;
    keep(*recording);
    state.recording = recording;
  }
}

} // namespace

void tdrt_test::arm(const Failpoint &failpoint) {
  state.failpoint = failpoint;
  state.seen = state.failed = 0;
  state.armed = true;
}

int64_t tdrt_test::disarm() {
  state.armed = false;
  return state.failed;
}

Interrupted::Interrupted(size_t most) {
  state.interrupting = true;
  state.interrupted = false;
  state.most = most;
}
Interrupted::~Interrupted() {
  state.interrupting = false;
  state.most = 0;
}

Recording::Recording() {
  names = new std::map<int, std::string>;
  state.recording = this;
}
Recording::~Recording() {
  state.recording = nullptr;
  delete names;
  names = nullptr;
}

KnownNumbers::KnownNumbers() { state.number = 0; }
KnownNumbers::~KnownNumbers() { state.number = -1; }

void tdrt_test::watchMemory() {
  state.live = state.peak = 0;
  state.watching = true;
}
int64_t tdrt_test::peakOfMemory() {
  state.watching = false;
  return state.peak;
}

//===----------------------------------------------------------------------===//
// Replacements of the calls, inserted by the linker
//===----------------------------------------------------------------------===//

// The linker prescribes the names.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
void __real_free(void *);
void *__real_mmap(void *, size_t, int, int, int, off_t);
int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);
int __real_open(const char *, int, ...);
int __real_close(int);
int __real_fcntl(int, int, ...);
int __real_stat(const char *, struct stat *);
int __real_fstat(int, struct stat *);
ssize_t __real_readlink(const char *, char *, size_t);
ssize_t __real_read(int, void *, size_t);
ssize_t __real_pread(int, void *, size_t, off_t);
ssize_t __real_write(int, const void *, size_t);
int __real_fsync(int);
int __real_fchmod(int, mode_t);
int __real_rename(const char *, const char *);
ssize_t __real_getrandom(void *, size_t, unsigned);

void *__wrap_malloc(size_t size) {
  return failNow(Calls::Allocations) ? nullptr : counted(__real_malloc(size));
}
void *__wrap_calloc(size_t count, size_t size) {
  return failNow(Calls::Allocations) ? nullptr
                                     : counted(__real_calloc(count, size));
}
void *__wrap_realloc(void *block, size_t size) {
  return failNow(Calls::Allocations) ? nullptr : __real_realloc(block, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return failNow(Calls::Allocations)
             ? nullptr
             : counted(__real_aligned_alloc(alignment, size));
}
void __wrap_free(void *block) {
  if (state.watching && block)
    state.live -= malloc_usable_size(block);
  __real_free(block);
}
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd,
                  off_t offset) {
  bool isMemory = flags & MAP_ANONYMOUS;
  if (isMemory ? failNow(Calls::Allocations) : failCall()) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mmap(at, size, protection, flags, fd, offset);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                          void *(*body)(void *), void *argument) {
  return failCall() ? EAGAIN
                    : __real_pthread_create(thread, how, body, argument);
}

int __wrap_open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (failCall(true))
    return -1;
  int fd = __real_open(path, flags, mode);
  record([&](Recording &recording) {
    if (fd < 0)
      return;
    (*names)[fd] = path;
    if (flags & O_CREAT) {
      recording.steps.push_back({Step::Create, path, ""});
      recording.createdMode = mode;
    }
    if (flags & O_TRUNC)
      recording.steps.push_back({Step::Truncate, path, ""});
  });
  return fd;
}
/// The file is closed in any case, as on Linux.
int __wrap_close(int fd) {
  bool fails = failCall();
  int error = errno;
  int result = __real_close(fd);
  if (!fails)
    return result;
  errno = error;
  return -1;
}
/// fcntl may duplicate a descriptor.
int __wrap_fcntl(int fd, int command, ...) {
  va_list more;
  va_start(more, command);
  int argument = va_arg(more, int);
  va_end(more);
  return failCall() ? -1 : __real_fcntl(fd, command, argument);
}
int __wrap_stat(const char *path, struct stat *info) {
  return failCall() ? -1 : __real_stat(path, info);
}
int __wrap_fstat(int fd, struct stat *info) {
  return failCall() ? -1 : __real_fstat(fd, info);
}
ssize_t __wrap_readlink(const char *path, char *to, size_t size) {
  return failCall() ? -1 : __real_readlink(path, to, size);
}
ssize_t __wrap_read(int fd, void *to, size_t size) {
  return failCall(true) ? -1 : __real_read(fd, to, cut(size));
}
ssize_t __wrap_pread(int fd, void *to, size_t size, off_t offset) {
  return failCall(true) ? -1 : __real_pread(fd, to, cut(size), offset);
}
ssize_t __wrap_write(int fd, const void *from, size_t size) {
  if (failCall(true))
    return -1;
  ssize_t n = __real_write(fd, from, cut(size));
  record([&](Recording &recording) {
    if (n > 0 && names->count(fd))
      recording.steps.push_back(
          {Step::Write, (*names)[fd],
           std::string(static_cast<const char *>(from), n)});
  });
  return n;
}
int __wrap_fsync(int fd) {
  if (failCall(true))
    return -1;
  record([&](Recording &recording) {
    struct stat info;
    bool isFolder = __real_fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
    recording.steps.push_back(
        {isFolder ? Step::SyncFolder : Step::Sync, (*names)[fd], ""});
  });
  return __real_fsync(fd);
}
int __wrap_fchmod(int fd, mode_t mode) {
  return failCall() ? -1 : __real_fchmod(fd, mode);
}
int __wrap_rename(const char *from, const char *to) {
  if (failCall())
    return -1;
  record([&](Recording &recording) {
    recording.steps.push_back({Step::Rename, from, to});
  });
  return __real_rename(from, to);
}
ssize_t __wrap_getrandom(void *to, size_t size, unsigned flags) {
  if (failCall(true))
    return -1;
  if (state.number < 0)
    return __real_getrandom(to, size, flags);
  memcpy(to, &state.number, sizeof state.number);
  ++state.number;
  return static_cast<ssize_t>(size);
}

} // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

// ThreadSanitizer defines operator new itself, and a program may have only one.
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define TDRT_TSAN
#endif
#endif
#ifndef TDRT_TSAN
void *operator new(size_t size) {
  void *memory =
      failNow(Calls::Allocations) ? nullptr : counted(__real_malloc(size));
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return failNow(Calls::Allocations) ? nullptr : counted(__real_malloc(size));
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
#endif
