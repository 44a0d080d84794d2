//===- Programs.h - the programs that a command line names ----------------===//

#ifndef TDC_TOOLS_TDC_PROGRAMS_H
#define TDC_TOOLS_TDC_PROGRAMS_H

#include "Options.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace tdc {

class Terminal;

/// The .tdsl files of a folder and of the folders in it, in the order of their
/// paths, without those whose names begin with a dot; for any other name the
/// name itself. Fails if a folder cannot be read or has no program.
llvm::Expected<std::vector<std::string>> findPrograms(llvm::StringRef name);

/// Calls `visit` for each program of `common.files`, with options in which it
/// is `file`; a crash meanwhile is one of that program. Prints why a name has
/// no programs. Returns the largest exit code.
int forEachProgram(const Options &common, Terminal &terminal,
                   llvm::function_ref<int(Options &options)> visit);

/// The text of standard input, which is the program from now on: the report of
/// a crash has it. Null, and an error is printed, if it cannot be read.
std::unique_ptr<llvm::MemoryBuffer> readStandardInput(Terminal &terminal);

} // namespace tdc

#endif // TDC_TOOLS_TDC_PROGRAMS_H
