//===- SafeFix.h - the fixes that tdc fix applies -------------------------===//

#ifndef TDC_TOOLS_TDC_SAFEFIX_H
#define TDC_TOOLS_TDC_SAFEFIX_H

#include "Frontend/Diagnostics.h"

namespace tdc {

/// The fix of a report that `tdc fix` applies: the only one, if it is safe;
/// else null.
const FixIt *getSafeFix(const Diagnostic &report);

} // namespace tdc

#endif // TDC_TOOLS_TDC_SAFEFIX_H
