//===- SafeFixes.h - fixes that are made without asking -------------------===//

#ifndef TDC_FRONTEND_SAFEFIXES_H
#define TDC_FRONTEND_SAFEFIXES_H

#include "Frontend/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tdc {

/// The fix of a report that is made without asking: the only one, if it is
/// safe; else null.
const FixIt *getSafeFix(const Diagnostic &report);

bool isSyntaxError(const Diagnostic &report);

/// A safe fix, and what it fixes.
struct SafeFix {
  const Diagnostic *report;
  const FixIt *fix;
};

/// The safe fixes of `file` that can be made together: of several that touch
/// each other only the first. After a syntax error, names and types are not
/// certain: only syntax errors are fixed then, and names declared. Fixes of
/// the reports in `left` are not made. `reports` are all of a program, in the
/// order of files and positions.
std::vector<SafeFix> collectSafeFixes(
    llvm::ArrayRef<const Diagnostic *> reports, FileId file,
    llvm::function_ref<bool(const Diagnostic &)> left = [](const Diagnostic &) {
      return false;
    });

} // namespace tdc

#endif // TDC_FRONTEND_SAFEFIXES_H
