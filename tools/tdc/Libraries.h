//===- Libraries.h - finds the libraries that are installed with tdc ------===//

#ifndef TDC_TOOLS_TDC_LIBRARIES_H
#define TDC_TOOLS_TDC_LIBRARIES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tdc {

/// The path of a library in the folder of tdc, or in `../lib` relative to that
/// folder; "" if it is in neither.
std::string findLibrary(llvm::StringRef name);

} // namespace tdc

#endif // TDC_TOOLS_TDC_LIBRARIES_H
