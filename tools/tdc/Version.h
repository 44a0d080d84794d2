//===- Version.h - the version of tdc -------------------------------------===//

#ifndef TDC_TOOLS_TDC_VERSION_H
#define TDC_TOOLS_TDC_VERSION_H

#include <string>

namespace tdc {

/// "0.1.0 (5a8285e2)": the version, and the commit if it is known.
std::string getVersion();

} // namespace tdc

#endif // TDC_TOOLS_TDC_VERSION_H
