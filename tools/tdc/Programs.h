//===- Programs.h - the programs that a command line names ----------------===//

#ifndef TDC_TOOLS_TDC_PROGRAMS_H
#define TDC_TOOLS_TDC_PROGRAMS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tdc {

/// The .tdsl files of a folder and of the folders in it, in the order of their
/// paths, without those whose names begin with a dot; for any other name the
/// name itself. Fails if a folder cannot be read or has no program.
llvm::Expected<std::vector<std::string>> findPrograms(llvm::StringRef name);

} // namespace tdc

#endif // TDC_TOOLS_TDC_PROGRAMS_H
