//===- Progress.cpp - the progress of a long run, on a terminal -----------===//

#include "program/Progress.h"
#include "base/Descriptor.h"
#include "base/ErrorReport.h"
#include "tdc_text.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <string>
#include <sys/time.h>
#include <unistd.h>

using namespace tdrt;

std::atomic<bool> tdrt::progressDue{false};

namespace {

/// Runs shorter than this show no progress.
constexpr timeval kFirst = {1, 0};
constexpr timeval kInterval = {0, 500000};

/// The context for the signal's handler.
std::atomic<tdrt_context *> running{nullptr};

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) +
         1e-9 * static_cast<double>(time.tv_nsec);
}

/// Iterations that the outer loop has done, with the part of the present one.
double getDone(const tdrt_context &context) {
  const auto &[outer, inner] = context.loops;
  double part = inner.total > 0 ? static_cast<double>(inner.done) /
                                      static_cast<double>(inner.total)
                                : 0;
  return static_cast<double>(outer.done) + part;
}

/// "train.tdsl" of "examples/train.tdsl".
std::string getFileName(const char *path) {
  const char *slash = strrchr(path, '/');
  return tdc::printable(slash ? slash + 1 : path);
}

/// "8 s", "3 min", "2 h".
int formatTime(char *text, size_t size, double seconds) {
  if (seconds < 100)
    return snprintf(text, size, "%.0f s", seconds);
  if (seconds < 6000)
    return snprintf(text, size, "%.0f min", seconds / 60);
  return snprintf(text, size, "%.0f h", seconds / 3600);
}

void write(const char *text) noexcept { writeText(STDERR_FILENO, text); }

} // namespace

void Progress::show(const tdrt_context &context,
                    const tdrt_site *sites) noexcept {
  const auto &[outer, inner] = context.loops;
  if (outer.total == 0)
    return;
  double done = getDone(context), time = now();
  bool isFirst =
      site != outer.site || total != outer.total || outer.done < doneLast;
  doneLast = outer.done;
  if (isFirst) {
    site = outer.site;
    total = outer.total;
    since = time;
    doneThen = done;
  }
  char step[64] = "", left[64] = "", line[400];
  if (inner.total > 0)
    snprintf(step, sizeof step, ", %" PRId64 "/%" PRId64, inner.done,
             inner.total);
  if (done > doneThen) {
    char duration[32];
    double perIteration = (time - since) / (done - doneThen);
    formatTime(duration, sizeof duration,
               perIteration * (static_cast<double>(total) - done));
    snprintf(left, sizeof left, ", %s left", duration);
  }
  try {
    snprintf(line, sizeof line, "\r\033[K%s:%d: %" PRId64 "/%" PRId64 "%s%s",
             getFileName(sites[site].file).c_str(), sites[site].line,
             outer.done, total, step, left);
  } catch (const std::bad_alloc &) {
    return; // A run without progress is better than none.
  }
  write(line);
  isShown = true;
}

void Progress::hide() noexcept {
  if (isShown)
    write("\r\033[K");
  isShown = false;
}

ProgressTimer::ProgressTimer(tdrt_context *ctx) {
  const char *terminal = getenv("TERM");
  isOn = !isQuiet && isatty(STDERR_FILENO) == 1 && terminal &&
         strcmp(terminal, "dumb") != 0;
  if (!isOn)
    return;
  running = ctx;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    progressDue = true;
    if (tdrt_context *ctx = running)
      __atomic_store_n(&ctx->attention, 1, __ATOMIC_SEQ_CST);
  };
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, &before);
  itimerval timer = {kInterval, kFirst};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

ProgressTimer::~ProgressTimer() {
  if (!isOn)
    return;
  itimerval none = {};
  setitimer(ITIMER_REAL, &none, nullptr);
  sigaction(SIGALRM, &before, nullptr);
  running = nullptr;
  progressDue = false;
}
