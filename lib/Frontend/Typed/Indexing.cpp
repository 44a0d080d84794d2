//===- Indexing.cpp - elements that tensors of indices name ---------------===//

#include "Frontend/Typed/Indexing.h"
#include "Frontend/Typed/Constructors.h"
#include "Frontend/Typed/Elementwise.h"

namespace tdc::typed {

MaybeTyped gather(TypedBuilder &b, const Typed &input, const Typed &indices,
                  unsigned dim) {
  DType dtype = indices.type.dtype;
  if (!isInteger(dtype) || dtype == DType::U8) {
    b.fail(DiagCode::TD301,
           "indices must be i64 or i32, not " + spelling(dtype));
    b.failure.conversion = {1, "int", /*isPromotion=*/false};
    return std::nullopt;
  }
  ShapeAnswer answer = gatherShape(input.type.dims, indices.type.dims, dim);
  if (!answer)
    return b.fail(DiagCode::TD401, "shapes do not fit: indexing",
                  answer.problem);
  TensorType type{input.type.dtype, answer.dims, sharedPlace({input, indices})};
  return b.make(OpKind::Gather,
                {input.value, cast(b, indices, DType::I64).value},
                {{"dim", int64_t(dim)}}, std::move(type));
}

Typed gather(TypedBuilder &b, const Typed &input, unsigned dim,
             llvm::ArrayRef<int64_t> indices, DimsRef shape) {
  assert(indices.size() <= kLargestTable && "a table too large");
  TensorType table{DType::I64, Dims(shape), input.type.place};
  Typed index = constant(b,
                         {reinterpret_cast<const char *>(indices.data()),
                          indices.size() * sizeof(int64_t)},
                         std::move(table));
  return *gather(b, input, index, dim);
}

Typed gatherAlong(TypedBuilder &b, const Typed &input, const Typed &index,
                  unsigned dim) {
  TensorType type{input.type.dtype, index.type.dims,
                  sharedPlace({input, index})};
  return b.make(OpKind::GatherAlong, {input.value, index.value},
                {{"dim", int64_t(dim)}}, std::move(type));
}

Typed scatterAddAlong(TypedBuilder &b, const Typed &input, const Typed &index,
                      const Typed &source, unsigned dim) {
  return b.make(OpKind::ScatterAddAlong,
                {input.value, index.value, source.value},
                {{"dim", int64_t(dim)}}, input.type);
}

} // namespace tdc::typed
