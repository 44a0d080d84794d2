//===- Process.cpp - crashes, lack of memory, the end ---------------------===//

#include "Process.h"
#include "Compilation/DeepStack.h"
#include "CrashBundle.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <new>
#include <unistd.h>

using namespace tdc;

static CrashBundle bundle;

/// Whether this thread has crashed, or writes the bundle of a crash.
static thread_local bool isReporting = false;

/// A bundle that takes longer waits for what the crash has left locked.
static constexpr unsigned kMostSeconds = 10;

/// Only what is allowed in a signal handler: write(2).
static void say(std::initializer_list<const char *> texts) {
  for (const char *text : texts) {
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
  }
}

static void sayWhereBundleIs() {
  if (*bundle.getFolder())
    say({"  please report it, with the folder ", bundle.getFolder(),
         ", which has your program in it\n"});
  else
    say({"  please report it; no folder for what a report needs could be made "
         "here or in $TMPDIR\n"});
}

[[noreturn]] static void endWithBug() {
  sayWhereBundleIs();
  _exit(ExitBug);
}

/// Several threads may fail at once: the first one tells it and ends the
/// process, the others wait for that.
static void beFirst() {
  static std::atomic<bool> isTaken{false};
  if (isTaken.exchange(true))
    for (;;)
      pause();
}

/// Removes temporary files; asks nothing of the heap.
[[noreturn]] static void onOutOfMemory(void *, const char *, bool) {
  if (isReporting)
    endWithBug();
  beFirst();
  llvm::sys::RunInterruptHandlers();
  say({"tdc: out of memory"});
  if (work.options)
    say({" while compiling ", work.options->file.c_str(), " (phase ",
         work.step.load(), ")"});
  say({"\n"});
  _exit(ExitBug);
}

/// The bundle is made by a thread of its own: it needs a deep stack, and the
/// heap of this thread may be locked.
[[noreturn]] static void onBug(const char *what) {
  // The bundle crashes as well: what there is of it must do.
  if (isReporting)
    endWithBug();
  beFirst();
  isReporting = true;
  llvm::sys::RunInterruptHandlers();
  say({"error: this is a bug in tdc: ", what});
  if (work.options)
    say({" in the phase ", work.step.load(), " of `",
         work.options->file.c_str(), "`"});
  say({"\n"});
  signal(SIGALRM, [](int) { endWithBug(); });
  alarm(kMostSeconds);
  if (work.options)
    runOnDeepStack([&] {
      isReporting = true;
      bundle.write(what);
    });
  endWithBug();
}

static void onFatalError(void *, const char *reason, bool) {
  // The stack of a thread is memory, too.
  if (llvm::StringRef(reason).starts_with("pthread_create"))
    onOutOfMemory(nullptr, nullptr, false);
  onBug(reason);
}

// Some of MLIR does not look at what malloc answers. This one stands before the
// C library's, for all that is in the process.
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

void tdc::installCrashHandlers() {
  std::set_new_handler([] { onOutOfMemory(nullptr, nullptr, false); });
  llvm::install_bad_alloc_error_handler(onOutOfMemory);
  llvm::install_fatal_error_handler(onFatalError);
  // LLVM's own, for temporary files, would replace ours later.
  llvm::sys::SetInterruptFunction(nullptr);
  static SignalStack forHandlers;
  struct sigaction action = {};
  action.sa_handler = [](int signal) { onBug(sigdescr_np(signal)); };
  // What crashes while it reports a crash comes here as well.
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

void tdc::leaveMemoryToProgram() { std::set_new_handler(nullptr); }

void tdc::reportBug(llvm::StringRef message) {
  isReporting = true;
  bundle.write(message);
  sayWhereBundleIs();
  isReporting = false;
}

void tdc::exitNow(int code) {
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error(); error && code == ExitOk) {
    // Who reads no further, as `head`, wants to hear no more about it.
    if (error != std::errc::broken_pipe)
      llvm::errs() << "error: cannot write to standard output: "
                   << error.message() << "\n";
    code = ExitRunTime;
  }
  llvm::errs().flush();
  fflush(stdout);
  _exit(code);
}
