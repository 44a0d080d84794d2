//===- MappedFile.cpp - views of files in memory --------------------------===//

#include "base/MappedFile.h"
#include "base/ErrorReport.h"
#include "base/File.h"
#include "tdc_exit_codes.h"
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace tdrt;

namespace {

/// One view, for the signal handler, which may run at any time: the other
/// members are set before `base` is.
struct View {
  std::atomic<char *> base{nullptr};
  size_t bytes = 0;
  char path[256];
};

/// If there are more views than this, further files are read instead.
View views[64];
int count = 0;
struct sigaction before;
std::mutex mutex; ///< of the variables above; the handler does not lock it

/// Handles a page of a view that cannot be read: ends the process, because
/// compiled code cannot recover from a failed load. Other faults go to the
/// handler before this one. The interrupted code reads the memory of a tensor,
/// so it holds no lock that the report needs.
void onFault(int, siginfo_t *info, void *) {
  char *at = static_cast<char *>(info->si_addr);
  for (View &view : views) {
    char *base = view.base;
    if (!base || at < base || at >= base + view.bytes)
      continue;
    char text[sizeof view.path + 100];
    char *message = stpcpy(text, "error[TR704]: ");
    char *end = stpcpy(stpcpy(stpcpy(message, "`"), view.path),
                       "`: the file became shorter while it was read, or the "
                       "disk failed");
    std::string title(message, end);
    stpcpy(end, "\n");
    tellError({704, title.c_str(), nullptr, nullptr, TDRT_ERROR}, text);
    _exit(tdc::ExitRunTime);
  }
  sigaction(SIGBUS, &before, nullptr);
}

View *watch(const char *path) {
  for (View &view : views)
    if (!view.base) {
      strncpy(view.path, path, sizeof view.path - 1);
      return &view;
    }
  return nullptr;
}

} // namespace

MappedFile tdrt::mapFile(const InputFile &file, const char *path,
                         size_t slack) {
  std::lock_guard<std::mutex> lock(mutex);
  View *view = watch(path);
  size_t page = sysconf(_SC_PAGESIZE);
  size_t bytes = (file.size() + slack + page - 1) / page * page;
  if (!view || bytes < file.size())
    return {};
  // Zeroed pages first: the slack may lie past the file's last page. No memory
  // is reserved, because most pages are never written.
  int flags = MAP_PRIVATE | MAP_NORESERVE;
  void *base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    flags | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return {};
  if (mmap(base, file.size(), PROT_READ | PROT_WRITE, flags | MAP_FIXED,
           file.getDescriptor(), 0) == MAP_FAILED) {
    munmap(base, bytes);
    return {};
  }
  view->bytes = bytes;
  view->base = static_cast<char *>(base);
  if (count++ == 0) {
    struct sigaction action = {};
    action.sa_sigaction = onFault;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, &before);
  }
  return {static_cast<char *>(base), bytes};
}

void tdrt::unmapFile(MappedFile mapped) {
  std::lock_guard<std::mutex> lock(mutex);
  for (View &view : views)
    if (view.base == mapped.base) {
      view.base = nullptr;
      if (--count == 0)
        sigaction(SIGBUS, &before, nullptr);
      break;
    }
  munmap(mapped.base, mapped.bytes);
}
