//===- Constructors.cpp - tensors made of no other tensor -----------------===//

#include "Frontend/Typed/Constructors.h"

namespace tdc::typed {

Typed fill(TypedBuilder &b, double number, TensorType type) {
  Value scalar = isFloat(type.dtype) ? b.emit().constantFloat(number)
                 : type.dtype == DType::Bool
                     ? b.emit().constantBool(number != 0)
                     : b.emit().constantInt(static_cast<int64_t>(number));
  return fill(b, scalar, std::move(type));
}

Typed fill(TypedBuilder &b, Value scalar, TensorType type) {
  return b.make(OpKind::Fill, scalar, {}, std::move(type));
}

Typed iota(TypedBuilder &b, Value start, Value step, TensorType type) {
  return b.make(OpKind::Iota, {start, step}, {}, std::move(type));
}

Typed random(TypedBuilder &b, td::Distribution distribution,
             llvm::ArrayRef<Value> bounds, TensorType type,
             std::optional<RandomCall> call) {
  if (!call)
    call = b.emit().nextRandom();
  Value value = b.emit().random(distribution, *call, bounds,
                                b.runTimeSizes(type.dims), b.shapeOf(type));
  return {value, std::move(type)};
}

Typed constant(TypedBuilder &b, llvm::ArrayRef<char> rowMajorBytes,
               TensorType type) {
  return {b.emit().tensorConstant(rowMajorBytes, b.shapeOf(type)),
          std::move(type)};
}

} // namespace tdc::typed
