//===- Movement.h - ops that move elements --------------------------------===//

#ifndef TDC_FRONTEND_TYPED_MOVEMENT_H
#define TDC_FRONTEND_TYPED_MOVEMENT_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// The same elements with sizes `dims`, for which reshapeShape() was proved.
Typed reshape(TypedBuilder &b, const Typed &input, DimsRef dims);
/// Broadcasts the input to `dims`, with which its shape agrees: sizes of 1
/// expand, new dims come first.
Typed broadcast(TypedBuilder &b, const Typed &input, DimsRef dims);
/// The same for the update of a part of a tensor with shape `part`; fails if it
/// does not broadcast to it.
MaybeTyped broadcastToPart(TypedBuilder &b, const Typed &update, DimsRef part);
/// `permutation` must be one: permuteShape() is defined for it.
Typed permute(TypedBuilder &b, const Typed &input,
              llvm::ArrayRef<int64_t> permutation);
/// `size` elements along a dim, from `start` with the stride `step`. They must
/// be in range.
Typed slice(TypedBuilder &b, const Typed &input, unsigned dim,
            const TypedInt &start, const Size &size, int64_t step = 1);
/// The input with `update` written where `slice` reads.
Typed updateSlice(TypedBuilder &b, const Typed &input, const Typed &update,
                  unsigned dim, const TypedInt &start, int64_t step = 1);
Typed flip(TypedBuilder &b, const Typed &input, llvm::ArrayRef<unsigned> dims);
/// The tensor `count` times, one after the other, along a dim.
MaybeTyped repeat(TypedBuilder &b, const Typed &input, unsigned dim,
                  const Size &count);
/// Each element `count` times along a dim.
MaybeTyped repeatElements(TypedBuilder &b, const Typed &input, unsigned dim,
                          const Size &count);
/// The elements along a dim rotated by `shift`: those moved past the end come
/// first.
MaybeTyped roll(TypedBuilder &b, const Typed &input, unsigned dim,
                int64_t shift);
/// `slice`, with a check that it is in range.
MaybeTyped narrow(TypedBuilder &b, const Typed &input, unsigned dim,
                  const Size &start, const Size &length);
/// The elements [i, i + offset] of two dims, along a new last dim.
MaybeTyped diagonal(TypedBuilder &b, const Typed &input, int64_t offset,
                    unsigned dim1, unsigned dim2);
/// Inputs one after the other along a dim: torch.cat.
MaybeTyped concat(TypedBuilder &b, llvm::ArrayRef<Typed> inputs, unsigned dim);
/// A tensor of `number` that contains the elements of `input`: element i of a
/// dim is at low + i * step.
Typed inset(TypedBuilder &b, double number, TensorType type, const Typed &input,
            llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> step);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_MOVEMENT_H
