//===- Libraries.h - what is installed with tdc ---------------------------===//

#ifndef TDC_TOOLS_TDC_LIBRARIES_H
#define TDC_TOOLS_TDC_LIBRARIES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tdc {

/// The path of a library that stands beside tdc, or in the lib folder beside
/// tdc's. Empty if it is in neither.
std::string findLibrary(llvm::StringRef name);

} // namespace tdc

#endif // TDC_TOOLS_TDC_LIBRARIES_H
