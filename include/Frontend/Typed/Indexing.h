//===- Indexing.h - elements picked by index tensors ----------------------===//

#ifndef TDC_FRONTEND_TYPED_INDEXING_H
#define TDC_FRONTEND_TYPED_INDEXING_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// How elements of the dtype are combined: a sum of bools is whether any is
/// true, their product whether all are.
td::ReduceKind combinationOf(td::ReduceKind kind, DType dtype);
/// The indices in i64; fails for a dtype that no indices have.
MaybeTyped toIndices(TypedBuilder &b, const Typed &indices);
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
/// The input with the elements of `source` written where `gatherAlong` reads,
/// or combined with the elements there; of several for one element the last one
/// stays. The sizes of `index` are at most those of `source`.
MaybeTyped scatterAlong(TypedBuilder &b, const Typed &input, const Typed &index,
                        const Typed &source, unsigned dim,
                        std::optional<td::ReduceKind> combine,
                        llvm::StringRef what);

/// An index tensor and the dim along which it picks.
struct Pick {
  unsigned dim;
  Typed indices;
};

/// `x[…]` with index tensors for some dims, in order, which are broadcast to
/// one shape. That shape replaces the dims if they are adjacent; else it comes
/// first. -1 is the last element.
MaybeTyped gatherAt(TypedBuilder &b, const Typed &input,
                    llvm::ArrayRef<Pick> picks);
/// The input with `updates`, broadcast to the shape of `gatherAt`, written
/// where it reads, or combined with the elements there.
MaybeTyped scatterAt(TypedBuilder &b, const Typed &input,
                     llvm::ArrayRef<Pick> picks, const Typed &updates,
                     std::optional<td::ReduceKind> combine);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_INDEXING_H
