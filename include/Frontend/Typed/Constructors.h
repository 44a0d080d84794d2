//===- Constructors.h - tensors made of no other tensor -------------------===//

#ifndef TDC_FRONTEND_TYPED_CONSTRUCTORS_H
#define TDC_FRONTEND_TYPED_CONSTRUCTORS_H

#include "Frontend/Typed/TypedBuilder.h"

namespace tdc::typed {

/// A tensor with `number` in every element.
Typed fill(TypedBuilder &b, double number, TensorType type);
/// The same with a host scalar: a float for floats, an int for integers, a
/// bool.
Typed fill(TypedBuilder &b, Value scalar, TensorType type);

/// [n]: `start`, `start + step`, …; the host scalars are as for `fill`.
Typed iota(TypedBuilder &b, Value start, Value step, TensorType type);

/// Random numbers, from this call of a random stream, or else from the next one
/// of the program's. `bounds` is low and high for integers, else empty.
Typed random(TypedBuilder &b, td::Distribution distribution,
             llvm::ArrayRef<Value> bounds, TensorType type,
             std::optional<RandomCall> call = std::nullopt);

/// A tensor of the bytes of a host array, in row-major order.
Typed constant(TypedBuilder &b, llvm::ArrayRef<char> rowMajorBytes,
               TensorType type);

} // namespace tdc::typed

#endif // TDC_FRONTEND_TYPED_CONSTRUCTORS_H
