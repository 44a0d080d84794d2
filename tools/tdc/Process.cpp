//===- Process.cpp - signals, memory, stacks ------------------------------===//

#include "Process.h"
#include "Options.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/mman.h>
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

/// A stack of its own for the handler, since the usual crash is a full stack.
static void useSignalStack() {
  constexpr size_t size = 64 << 10;
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return;
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = size;
  sigaltstack(&stack, nullptr);
}

void installCrashHandlers(const char *what) {
  program = what;
  useSignalStack();
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
  llvm::install_bad_alloc_error_handler(onOutOfMemory);
  llvm::install_fatal_error_handler(onFatalError);
  std::set_new_handler([] { onOutOfMemory(nullptr, nullptr, false); });
}

void runOnDeepStack(llvm::function_ref<void()> work) {
  constexpr unsigned stackBytes = 256u << 20;
  llvm::thread thread(std::optional<unsigned>(stackBytes), [&] {
    useSignalStack();
    work();
  });
  thread.join();
}

void exitNow(int code) {
  llvm::outs().flush();
  llvm::errs().flush();
  fflush(stdout);
  _exit(code);
}

} // namespace tdc
