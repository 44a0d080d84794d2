//===- Indexing.h - elements that tensors of indices name
//------------------===//

#ifndef TDC_FRONTEND_TYPED_INDEXING_H
#define TDC_FRONTEND_TYPED_INDEXING_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// The elements along a dim that `indices` names, whose dims take the place of
/// the dim. Indices are i64; -1 is the last element.
MaybeTyped gather(TypedBuilder &b, const Typed &input, const Typed &indices,
                  unsigned dim);
/// The same of indices that are known; at most `kLargestTable`, counted from 0.
Typed gather(TypedBuilder &b, const Typed &input, unsigned dim,
             llvm::ArrayRef<int64_t> indices, DimsRef shape);
inline constexpr int64_t kLargestTable = int64_t(1) << 24;

/// [i, j, …] of the result is [i, index[i, j, …], …] of the input, for dim 1:
/// torch.gather of a part that has `index`'s sizes but along `dim`.
Typed gatherAlong(TypedBuilder &b, const Typed &input, const Typed &index,
                  unsigned dim);
/// The input and, added where `gatherAlong` reads, the elements of `source`.
Typed scatterAddAlong(TypedBuilder &b, const Typed &input, const Typed &index,
                      const Typed &source, unsigned dim);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_INDEXING_H
