//===- Process.cpp - handles crashes, lack of memory and the exit ---------===//

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

/// The limit of the time to write a bundle, which may wait for a lock that the
/// crashed thread holds.
static constexpr unsigned kMostSeconds = 10;

/// Prints with write(2), which is allowed in a signal handler.
static void say(std::initializer_list<const char *> texts) {
  for (const char *text : texts) {
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
  }
}

static void sayWhereBundleIs() {
  if (*bundle.getFolder())
    say({"  please report it where you got tdc, with the folder ",
         bundle.getFolder(), ", which has your program in it\n"});
  else
    say({"  please report it where you got tdc, with the program, the command "
         "and what `tdc version` prints\n"
         "  (no folder for them could be made here or in $TMPDIR)\n"});
}

[[noreturn]] static void endWithBug() {
  sayWhereBundleIs();
  _exit(ExitBug);
}

/// Returns on the first thread that fails, which reports the error and ends the
/// process. Other threads that fail wait for that.
static void beFirst() {
  static std::atomic<bool> isTaken{false};
  if (isTaken.exchange(true))
    for (;;)
      pause();
}

/// Removes temporary files and exits. Allocates nothing on the heap.
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

/// Reports a crash. A new thread writes the bundle: it needs a deep stack, and
/// the heap of this thread may be locked.
[[noreturn]] static void onBug(const char *what) {
  // Writing the bundle has crashed, too: end with the files written so far.
  if (isReporting)
    endWithBug();
  beFirst();
  isReporting = true;
  const char *step = work.step.load();
  llvm::sys::RunInterruptHandlers();
  say({"error: this is a bug in tdc: ", what});
  if (work.options)
    say({" in the phase ", step, " of `", work.options->file.c_str(), "`"});
  say({"\n"});
  signal(SIGALRM, [](int) { endWithBug(); });
  alarm(kMostSeconds);
  if (work.options)
    runOnDeepStack([&] {
      isReporting = true;
      bundle.write(what, step);
    });
  endWithBug();
}

static void onFatalError(void *, const char *reason, bool) {
  // A thread could not be made: there is no memory for its stack.
  if (llvm::StringRef(reason).starts_with("pthread_create"))
    onOutOfMemory(nullptr, nullptr, false);
  onBug(reason);
}

void tdc::installCrashHandlers() {
  std::set_new_handler([] { onOutOfMemory(nullptr, nullptr, false); });
  llvm::install_bad_alloc_error_handler(onOutOfMemory);
  llvm::install_fatal_error_handler(onFatalError);
  // Install LLVM's handlers, for temporary files, first: later they would
  // replace the ones below.
  llvm::sys::SetInterruptFunction(nullptr);
  static SignalStack forHandlers;
  struct sigaction action = {};
  action.sa_handler = [](int signal) { onBug(sigdescr_np(signal)); };
  // SA_NODEFER: a crash while a crash is reported calls the handler again.
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

void tdc::leaveMemoryToProgram() { std::set_new_handler(nullptr); }

void tdc::reportBug(llvm::StringRef message) {
  isReporting = true;
  bundle.write(message, work.step.load());
  sayWhereBundleIs();
  isReporting = false;
}

void tdc::exitNow(int code) {
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error(); error && code == ExitOk) {
    // A broken pipe is no error to report: the reader, for example `head`, has
    // ended.
    if (error != std::errc::broken_pipe)
      llvm::errs() << "error: cannot write to standard output: "
                   << error.message() << "\n";
    code = ExitRunTime;
  }
  llvm::errs().flush();
  fflush(stdout);
  _exit(code);
}
