//===- Indexing.h - elements picked by index tensors ----------------------===//

#ifndef TDC_FRONTEND_TYPED_INDEXING_H
#define TDC_FRONTEND_TYPED_INDEXING_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// The elements at `indices` along a dim; the dims of `indices` replace the
/// dim. Indices are i64; -1 is the last element.
MaybeTyped gather(TypedBuilder &b, const Typed &input, const Typed &indices,
                  unsigned dim);
/// The same with known indices, at most `kLargestTable`, counted from 0.
Typed gather(TypedBuilder &b, const Typed &input, unsigned dim,
             llvm::ArrayRef<int64_t> indices, DimsRef shape);
inline constexpr int64_t kLargestTable = int64_t(1) << 24;

/// torch.gather: for dim 1, [i, j, …] of the result is [i, index[i, j, …], …]
/// of the input. The other sizes of `index` are at most those of the input.
/// Indices are i64. `what` is the call, for messages.
MaybeTyped gatherAlong(TypedBuilder &b, const Typed &input, const Typed &index,
                       unsigned dim, llvm::StringRef what);
/// The input plus the elements of `source`, each added where `gatherAlong`
/// reads. The sizes of `index` are at most those of `source`.
MaybeTyped scatterAddAlong(TypedBuilder &b, const Typed &input,
                           const Typed &index, const Typed &source,
                           unsigned dim, llvm::StringRef what);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_INDEXING_H
