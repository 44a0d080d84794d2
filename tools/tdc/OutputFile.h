//===- OutputFile.h - writes files completely or not ----------------------===//

#ifndef TDC_TOOLS_TDC_OUTPUTFILE_H
#define TDC_TOOLS_TDC_OUTPUTFILE_H

#include "tdc_files.h"
#include "llvm/ADT/StringRef.h"
#include <system_error>

namespace llvm {
class raw_fd_ostream;
} // namespace llvm

namespace tdc {

struct Options;

/// Reports what is wrong with a file, with the runtime's code. Returns
/// ExitRunTime, or ExitOk if nothing is.
int reportFault(const Options &options, llvm::StringRef path,
                const tdrt::FileFault &fault);

/// Writes `contents` to a file as the runtime does (tdc_files.h). Reports an
/// error; returns ExitOk or ExitRunTime.
int writeFile(const Options &options, llvm::StringRef path,
              llvm::StringRef contents);

/// Writes all of `contents`. Returns the error of the stream, for example of a
/// full disk, and clears it: a stream that still has an error when it is
/// destroyed ends the process.
std::error_code writeAll(llvm::raw_fd_ostream &os, llvm::StringRef contents);

} // namespace tdc

#endif // TDC_TOOLS_TDC_OUTPUTFILE_H
