//===- OutputFile.h - files that are written whole or not at all ----------===//

#ifndef TDC_TOOLS_TDC_OUTPUTFILE_H
#define TDC_TOOLS_TDC_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include <system_error>

namespace llvm {
class raw_fd_ostream;
} // namespace llvm

namespace tdc {

/// Writes `contents` to a file as the runtime does (tdc_files.h). Says what
/// went wrong; returns ExitOk or ExitRunTime.
int writeFile(llvm::StringRef path, llvm::StringRef contents);

/// Writes all of `contents`. A stream whose error nobody takes, as a full disk
/// is one, ends the process when it is destroyed.
std::error_code writeAll(llvm::raw_fd_ostream &os, llvm::StringRef contents);

} // namespace tdc

#endif // TDC_TOOLS_TDC_OUTPUTFILE_H
