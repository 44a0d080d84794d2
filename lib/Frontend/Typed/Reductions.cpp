//===- Reductions.cpp - elements along dims combined ----------------------===//

#include "Frontend/Typed/Reductions.h"
#include "Frontend/Typed/Elementwise.h"
#include "Frontend/Typed/Movement.h"

namespace tdc::typed {

/// An op that removes dims; `attributes` are its other attributes.
static Typed removeDims(TypedBuilder &b, OpKind kind,
                        llvm::ArrayRef<OpAttribute> attributes,
                        const Typed &input, llvm::ArrayRef<unsigned> dims,
                        DType dtype, bool keepDims) {
  const Dims &all = input.type.dims;
  TensorType type{dtype, reduceShape(all, dims, false).dims, input.type.place};
  llvm::SmallVector<int64_t, 4> numbers(dims.begin(), dims.end());
  llvm::sort(numbers);
  llvm::SmallVector<OpAttribute, 3> own(attributes);
  own.push_back({"dims", llvm::ArrayRef<int64_t>(numbers)});
  Typed result = b.make(kind, input.value, own, std::move(type));
  return keepDims ? reshape(b, result, reduceShape(all, dims, true).dims)
                  : result;
}

Typed reduce(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
             llvm::ArrayRef<unsigned> dims, bool keepDims, bool first) {
  return dims.empty()
             ? input
             : removeDims(b, OpKind::Reduce, {{"kind", kind}, {"first", first}},
                          input, dims, input.type.dtype, keepDims);
}

Typed logSumExp(TypedBuilder &b, const Typed &input,
                llvm::ArrayRef<unsigned> dims, bool keepDims) {
  return removeDims(b, OpKind::LogSumExp, {}, input, dims, input.type.dtype,
                    keepDims);
}

Typed argReduce(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
                unsigned dim, bool keepDims) {
  return removeDims(b, OpKind::ArgReduce, {{"kind", kind}}, input, dim,
                    DType::I64, keepDims);
}

bool requireElements(TypedBuilder &b, const Typed &input,
                     llvm::ArrayRef<unsigned> dims) {
  const char *problem = "an empty dim has no largest or smallest element";
  for (unsigned dim : dims) {
    const Size &size = input.type.dims[dim];
    std::string where = "dim " + std::to_string(dim);
    if (b.require(size - Size(1),
                  llvm::Twine(problem) + ": " + where + " is empty"))
      continue;
    b.fail(DiagCode::TD401, problem,
           where + " of " + typeText(input.type) + " is empty");
    return false;
  }
  return true;
}

Typed scan(TypedBuilder &b, td::ReduceKind kind, const Typed &input,
           unsigned dim) {
  Typed wide = isFloat(input.type.dtype) ? input : cast(b, input, DType::I64);
  return b.make(OpKind::Scan, wide.value,
                {{"kind", kind}, {"dim", int64_t(dim)}}, wide.type);
}

Typed softmax(TypedBuilder &b, const Typed &input, unsigned dim,
              bool logarithm) {
  return b.make(logarithm ? OpKind::LogSoftmax : OpKind::Softmax, input.value,
                {{"dim", int64_t(dim)}}, input.type);
}

} // namespace tdc::typed
