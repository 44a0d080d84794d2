//===- Process.h - a program as a process ---------------------------------===//

#ifndef TDRT_PROCESS_PROCESS_H
#define TDRT_PROCESS_PROCESS_H

#include "base/Descriptor.h"
#include "base/Processors.h"
#include "base/Threads.h"
#include "program/Context.h"
#include "tdc_exit_codes.h"
#include <csignal>
#include <cstdlib>
#include <unistd.h>

namespace tdrt {

/// Ignores SIGPIPE while it lives: writing into a pipe without a reader fails
/// with EPIPE, and the process continues, so it can finish its work and close
/// its files.
class PipeGuard {
public:
  PipeGuard() {
    struct sigaction action = {};
    action.sa_handler = SIG_IGN;
    sigemptyset(&action.sa_mask);
    sigaction(SIGPIPE, &action, &before);
  }
  ~PipeGuard() { sigaction(SIGPIPE, &before, nullptr); }

private:
  struct sigaction before;
};

/// Makes ^C interrupt the running program while it lives. A second ^C stops the
/// process at once.
class InterruptGuard {
public:
  explicit InterruptGuard(tdrt_context *ctx) {
    running = ctx;
    struct sigaction action = {};
    action.sa_handler = [](int) {
      if (tdrt_context *ctx = running)
        tdrt_interrupt(ctx);
    };
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGINT, &action, &before);
    // Stays ignored: nohup and shells without job control set it so.
    if (before.sa_handler == SIG_IGN)
      sigaction(SIGINT, &before, nullptr);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &before, nullptr);
    running = nullptr;
  }

private:
  static inline std::atomic<tdrt_context *> running{nullptr};
  struct sigaction before;
};

/// Opens a program, calls run(ctx) to do its work, and reports errors.
/// `moreHelp` follows the help of the program. Returns the exit code. A
/// template, so that a program without exported functions carries no code for
/// them.
template <class Run>
int runProcess(const tdrt_program *program, int argc, const char *const *argv,
               const char *moreHelp, Run run) {
  PipeGuard pipes;
  if (const char *threads = getenv("TDC_THREADS");
      threads && parseThreads(threads) == 0) {
    tellError({602, "TDC_THREADS is a number from 1 to 1024", nullptr, nullptr,
               TDRT_ERROR},
              "error[TR602]: TDC_THREADS is a number from 1 to 1024\n");
    return tdc::ExitUsage;
  }
  useAllProcessors();
  tdrt_context *ctx;
  bool readerGone = false;
  int32_t status = openProgram(*program, argc, argv, /*isProcess=*/true, &ctx);
  if (status == TDRT_HELP) {
    writeText(STDOUT_FILENO, tdrt_error_text(ctx));
    writeText(STDOUT_FILENO, moreHelp);
  } else if (status != 0) {
    tellError(ctx);
  } else {
    {
      InterruptGuard guard(ctx);
      ProgressTimer timer(ctx);
      status = run(ctx);
    }
    // A reader that stops early, as `head` does, is no error to report.
    readerGone = status == 752 && Context::of(ctx).output.readerGone();
    if (status != 0 && !readerGone)
      tellError(ctx);
    int32_t reported = tdrt_report_stats(ctx);
    status = status ? status : reported;
  }
  tdrt_close(ctx);
  return readerGone ? tdc::ExitReaderGone : tdrt_exit_code(status);
}

} // namespace tdrt

#endif // TDRT_PROCESS_PROCESS_H
