//===- Interruptible.cpp - ^C while tdc runs ------------------------------===//

#include "Interruptible.h"
#include <csignal>
#include <nanobind/nanobind.h>
#include <pthread.h>
#include <unistd.h>

namespace nb = nanobind;

namespace tdsl {

// Set by the main thread and read only by its signal handler.
static tdc_module *const volatile *running;
static struct sigaction before;

static thread_local bool isMainThread = gettid() == getpid();

// The thread that forks becomes the main thread of the child.
[[maybe_unused]] static const int whenForked =
    pthread_atfork(nullptr, nullptr, [] { isMainThread = true; });

/// Whether Python raises KeyboardInterrupt at ^C. The module `signal` makes
/// enums of the numbers of signals and handlers, for more than the rest of a
/// call.
static bool raisesAtInterrupt() {
  static const auto *signals = // never freed: Python ends before statics
      new nb::module_(nb::module_::import_("_signal"));
  static const auto *raising =
      new nb::object(signals->attr("default_int_handler"));
  static const auto *getHandler = new nb::object(signals->attr("getsignal"));
  return (*getHandler)(SIGINT).is(*raising);
}

Interruptible::Interruptible(tdc_module *const &module) {
  if (!isMainThread || !raisesAtInterrupt())
    return;
  sigaction(SIGINT, nullptr, &before);
  if (before.sa_flags & SA_SIGINFO || before.sa_handler == SIG_DFL ||
      before.sa_handler == SIG_IGN)
    return;
  running = &module;
  struct sigaction action = before;
  action.sa_handler = [](int signal) {
    before.sa_handler(signal);
    if (tdc_module *module = *running)
      tdc_interrupt(module);
  };
  sigaction(SIGINT, &action, nullptr);
  isInstalled = true;
}

Interruptible::~Interruptible() {
  if (isInstalled)
    sigaction(SIGINT, &before, nullptr);
}

} // namespace tdsl
