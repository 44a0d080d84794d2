//===- Interruptible.h - ^C while tdc runs --------------------------------===//

#ifndef TDSL_INTERRUPTIBLE_H
#define TDSL_INTERRUPTIBLE_H

#include "tdc/tdc.h"

namespace tdsl {

/// While it lives, ^C interrupts what runs in `module`. Only on the main
/// thread, which is the one that Python interrupts, and only if Python is to
/// raise KeyboardInterrupt: a program with a handler of its own goes on.
class Interruptible {
public:
  /// `module` may be set later, and must live as long. With the GIL.
  explicit Interruptible(tdc_module *const &module);
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;

private:
  bool isInstalled = false;
};

} // namespace tdsl

#endif // TDSL_INTERRUPTIBLE_H
