//===- Process.h - what tdc arranges with the operating system ------------===//

#ifndef TDC_TOOLS_TDC_PROCESS_H
#define TDC_TOOLS_TDC_PROCESS_H

#include "llvm/ADT/StringRef.h"

namespace tdc {

/// From here on a crash or lack of memory ends tdc with one clear line and exit
/// code 70. `what` is named in it, and must stay valid.
void installCrashHandlers(const char *what);

/// Ends the process without taking the compiler's data structures apart.
[[noreturn]] void exitNow(int code);

} // namespace tdc

#endif // TDC_TOOLS_TDC_PROCESS_H
