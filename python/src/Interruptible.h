//===- Interruptible.h - ^C while tdc runs --------------------------------===//

#ifndef TDSL_INTERRUPTIBLE_H
#define TDSL_INTERRUPTIBLE_H

#include "tdc/tdc.h"

namespace tdsl {

/// While it lives, ^C interrupts the code that runs in `module`. It works only
/// on the main thread, which is the one that Python interrupts, and only if
/// Python's handler raises KeyboardInterrupt: a program with another handler is
/// not interrupted.
class Interruptible {
public:
  /// `module` may be set later, and the reference must stay valid. The caller
  /// holds the GIL.
  explicit Interruptible(tdc_module *const &module);
  ~Interruptible();
  Interruptible(const Interruptible &) = delete;

private:
  bool isSet = false;
  tdc_module *const volatile *outer = nullptr; ///< what ran before it
};

} // namespace tdsl

#endif // TDSL_INTERRUPTIBLE_H
