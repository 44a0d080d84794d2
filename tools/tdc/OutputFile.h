//===- OutputFile.h - files that are written whole or not at all ----------===//

#ifndef TDC_TOOLS_TDC_OUTPUTFILE_H
#define TDC_TOOLS_TDC_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"

namespace tdc {

/// Writes `contents` to a file, through a temporary one beside it. Says what
/// went wrong; returns ExitOk or ExitRunTime.
int writeFile(llvm::StringRef path, llvm::StringRef contents);

} // namespace tdc

#endif // TDC_TOOLS_TDC_OUTPUTFILE_H
