//===- BuiltinArguments.h - shared by the arguments of builtins -----------===//

#ifndef TDC_LIB_FRONTEND_SEMA_BUILTINARGUMENTS_H
#define TDC_LIB_FRONTEND_SEMA_BUILTINARGUMENTS_H

#include "Checker.h"

namespace tdc::sema {

/// Values given one by one, or as one tuple or list.
Vals listOf(llvm::ArrayRef<Val> given);

/// A known number that sizes are computed from; none, after a report, if it is
/// not known or beyond 32 bits.
std::optional<int64_t> takeInt(Checker &c, const Val &given,
                               llvm::StringRef what);

/// TD222: the list has `given` numbers. Expected is one for each of `count`
/// dims, or one for all.
void reportCount(Checker &c, SourceRange range, llvm::StringRef what,
                 size_t count, size_t given);

/// `count` numbers: those of a list or tuple, or one for all; `missing` if the
/// argument was not given.
std::optional<llvm::SmallVector<int64_t>> takeInts(Checker &c, const Val *given,
                                                   int64_t missing,
                                                   size_t count,
                                                   llvm::StringRef what);

/// Adds a batch dim of size 1 to the tensor, or removes it.
Typed addBatch(Checker &c, const Typed &tensor);
Typed dropBatch(Checker &c, const Typed &tensor);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_BUILTINARGUMENTS_H
