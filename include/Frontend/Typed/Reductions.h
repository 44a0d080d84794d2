//===- Reductions.h - elements along dims combined
//-------------------------===//

#ifndef TDC_FRONTEND_TYPED_REDUCTIONS_H
#define TDC_FRONTEND_TYPED_REDUCTIONS_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// The input without `dims`, or with size 1 there. With `first` the gradient of
/// an extreme goes to the first of equal elements.
Typed reduce(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
             llvm::ArrayRef<unsigned> dims, bool keepDims = false,
             bool first = false);
Typed logSumExp(TypedBuilder &b, const Typed &input,
                llvm::ArrayRef<unsigned> dims, bool keepDims);
/// The place along a dim of the first largest or smallest element, in i64.
Typed argReduce(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
                unsigned dim, bool keepDims);
/// An extreme of no elements does not exist: TD401 where that is known, else a
/// check when the program runs.
bool requireElements(TypedBuilder &b, const Typed &input,
                     llvm::ArrayRef<unsigned> dims);

/// The elements along a dim combined up to each of them; of integers and bool
/// in i64.
Typed scan(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
           unsigned dim);
Typed softmax(TypedBuilder &b, const Typed &input, unsigned dim,
              bool logarithm);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_REDUCTIONS_H
