//===- Reductions.h - reductions and scans along dims ---------------------===//

#ifndef TDC_FRONTEND_TYPED_REDUCTIONS_H
#define TDC_FRONTEND_TYPED_REDUCTIONS_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// Reduces the input along `dims`, which are removed or keep the size 1. With
/// `first` the gradient of an extreme goes to the first of equal elements.
Typed reduce(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
             llvm::ArrayRef<unsigned> dims, bool keepDims = false,
             bool first = false);
Typed logSumExp(TypedBuilder &b, const Typed &input,
                llvm::ArrayRef<unsigned> dims, bool keepDims);
/// The index along a dim of the first largest or smallest element, as i64.
Typed argReduce(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
                unsigned dim, bool keepDims);
/// Requires that there are elements along `dims`, as an extreme of none does
/// not exist: TD401 if it is known that there are none, else a run-time check.
bool requireElements(TypedBuilder &b, const Typed &input,
                     llvm::ArrayRef<unsigned> dims);

/// A scan along a dim: each element combined with all before it. Integers and
/// bool are combined in i64.
Typed scan(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
           unsigned dim);
Typed softmax(TypedBuilder &b, const Typed &input, unsigned dim,
              bool logarithm);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_REDUCTIONS_H
