//===- Process.cpp - signals, memory, stacks ------------------------------===//

#include "Process.h"
#include "Compilation/DeepStack.h"
#include "Options.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <unistd.h>

namespace tdc {

static const char *program = "";

/// Only what is allowed in a signal handler: write(2) and _exit(2).
static void say(const char *text) {
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

[[noreturn]] static void endWith(const char *reason) {
  say("error: ");
  say(reason);
  say(" (`");
  say(program);
  say("`)\n");
  _exit(ExitBug);
}

static void onCrash(int) {
  endWith("this is a bug in tdc: it crashed while it worked on a program");
}

static void onOutOfMemory(void *, const char *, bool) {
  endWith("out of memory while compiling");
}

static void onFatalError(void *, const char *reason, bool) { endWith(reason); }

void installCrashHandlers(const char *what) {
  program = what;
  static SignalStack forHandlers;
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
  llvm::install_bad_alloc_error_handler(onOutOfMemory);
  llvm::install_fatal_error_handler(onFatalError);
  std::set_new_handler([] { onOutOfMemory(nullptr, nullptr, false); });
}

void exitNow(int code) {
  llvm::outs().flush();
  llvm::errs().flush();
  fflush(stdout);
  _exit(code);
}

} // namespace tdc
