//===- Depfile.h - a rule of make for a program ---------------------------===//

#ifndef TDC_TOOLS_TDC_DEPFILE_H
#define TDC_TOOLS_TDC_DEPFILE_H

#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>

namespace tdc {

/// Returns a rule by which make builds `target` again when one of `files`
/// changes. Files that do not exist are left out: make cannot build them.
std::string getRule(llvm::StringRef target, const std::set<std::string> &files);

} // namespace tdc

#endif // TDC_TOOLS_TDC_DEPFILE_H
