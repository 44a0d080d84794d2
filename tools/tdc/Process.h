//===- Process.h - crashes, lack of memory and the exit of tdc ------------===//

#ifndef TDC_TOOLS_TDC_PROCESS_H
#define TDC_TOOLS_TDC_PROCESS_H

#include "llvm/ADT/StringRef.h"

namespace tdc {

/// Installs handlers: from here on, a crash or lack of memory ends tdc with one
/// message about `work` and exit code 70. A crash also leaves a bundle.
void installCrashHandlers();

/// Removes the handler for lack of memory: from here on, the running program
/// reports that.
void leaveMemoryToProgram();

/// Writes a bundle for a bug that was already reported, and prints its folder.
void reportBug(llvm::StringRef message);

/// Flushes the output and ends the process without destroying the compiler's
/// data structures.
[[noreturn]] void exitNow(int code);

} // namespace tdc

#endif // TDC_TOOLS_TDC_PROCESS_H
