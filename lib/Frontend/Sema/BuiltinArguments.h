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

/// A `dtype=`; none, after a report, if it is no dtype.
std::optional<DType> takeDType(Checker &c, const Val &given);

/// The arguments with an `input` of one dim in place of one without dims, if
/// they have dims that PyTorch allows for such a tensor: 0 and -1.
std::optional<Bound> asRow(Checker &c, const Bound &args);
/// The result for such arguments without its dim.
Val dropRow(Checker &c, const Val &result);

/// A builtin that takes a tensor without dims as PyTorch does.
template <BuiltinHandler handler> Val ofAnyRank(Checker &c, const Bound &args) {
  std::optional<Bound> row = asRow(c, args);
  return row ? dropRow(c, handler(c, *row)) : handler(c, args);
}

/// The result of a builtin with a `dtype=`, in which it computes.
Val computeInDType(Checker &c, const Bound &args, BuiltinHandler handler);

template <BuiltinHandler handler> Val inDType(Checker &c, const Bound &args) {
  return computeInDType(c, args, handler);
}

/// Adds a batch dim of size 1 to the tensor, or removes it.
Typed addBatch(Checker &c, const Typed &tensor);
Typed dropBatch(Checker &c, const Typed &tensor);

} // namespace tdc::sema

#endif // TDC_LIB_FRONTEND_SEMA_BUILTINARGUMENTS_H
