//===- Interruptible.cpp - ^C while tdc runs ------------------------------===//
//
// The handler is installed by the first call and stays, because three system
// calls would be a third of a small call. Between calls it does what Python's
// does.
//
//===----------------------------------------------------------------------===//

#include "Interruptible.h"
#include <chrono>
#include <csignal>
#include <nanobind/nanobind.h>
#include <pthread.h>
#include <unistd.h>

namespace nb = nanobind;
using Clock = std::chrono::steady_clock;

namespace tdsl {

// Set by the main thread and read only by its signal handler.
static tdc_module *const volatile *running;
static struct sigaction before;

static thread_local bool isMainThread = gettid() == getpid();

// The thread that forks becomes the main thread of the child.
[[maybe_unused]] static const int whenForked =
    pthread_atfork(nullptr, nullptr, [] {
      isMainThread = true;
      running = nullptr; // what another thread has called is not here
    });

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

static void handle(int signal) {
  before.sa_handler(signal);
  if (!running)
    return;
  if (tdc_module *module = *running)
    tdc_interrupt(module);
}

/// Installs the handler, unless it is there: `signal.signal` of Python puts its
/// own in its place, as `asyncio.run` does at its end.
static void install() {
  struct sigaction now;
  sigaction(SIGINT, nullptr, &now);
  if (now.sa_flags & SA_SIGINFO || now.sa_handler == SIG_DFL ||
      now.sa_handler == SIG_IGN || now.sa_handler == handle)
    return;
  before = now;
  now.sa_handler = handle;
  sigaction(SIGINT, &now, nullptr);
}

Interruptible::Interruptible(tdc_module *const &module) {
  if (!isMainThread || !raisesAtInterrupt())
    return;
  // A loop of small calls asks once in a while. After a handler that came and
  // went since, ^C waits for the end of this call.
  static Clock::time_point next;
  if (Clock::time_point now = Clock::now(); now >= next) {
    install();
    next = now + std::chrono::milliseconds(1);
  }
  outer = running;
  running = &module;
  isSet = true;
}

Interruptible::~Interruptible() {
  if (isSet)
    running = outer;
}

} // namespace tdsl
