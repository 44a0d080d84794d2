//===- Patterns.h - the pattern strings of rearrange and einsum -----------===//

#ifndef TDC_LIB_FRONTEND_SEMA_PATTERNS_H
#define TDC_LIB_FRONTEND_SEMA_PATTERNS_H

#include "Checker.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tdc::sema {

/// One dim of a side of `b t (n h e) -> n b h t e`: the axes it consists of. A
/// `1` has none.
using AxisGroup = llvm::SmallVector<llvm::StringRef, 3>;

/// Parses one side of a rearrange pattern; false, with the reason, if it is
/// malformed.
bool parseSide(llvm::StringRef text, llvm::SmallVectorImpl<AxisGroup> &groups,
               std::string &problem);

/// Reports that a pattern does not fit its tensors (TD409); the error value.
Val rejectPattern(Checker &c, const Val &pattern, const Bound &args,
                  const llvm::Twine &why);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_PATTERNS_H
