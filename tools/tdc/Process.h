//===- Process.h - what tdc arranges with the operating system ------------===//

#ifndef TDC_TOOLS_TDC_PROCESS_H
#define TDC_TOOLS_TDC_PROCESS_H

#include "llvm/ADT/StringRef.h"

namespace tdc {

/// From here on a crash or lack of memory ends tdc with one clear message about
/// `work` and exit code 70; of a crash a bundle is left.
void installCrashHandlers();

/// From here on it is the program that runs out of memory, and says so.
void leaveMemoryToProgram();

/// Leaves a bundle of a bug that has been told, and says where.
void reportBug(llvm::StringRef message);

/// Ends the process without taking the compiler's data structures apart.
[[noreturn]] void exitNow(int code);

} // namespace tdc

#endif // TDC_TOOLS_TDC_PROCESS_H
