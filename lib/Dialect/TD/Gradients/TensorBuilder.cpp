//===- TensorBuilder.cpp - td ops for gradient code -----------------------===//
//
// The run-time sizes of gradient tensors are td.dim ops on a forward value of
// the same shape; td-simplify merges repeated ones.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tdc::td {

RankedTensorType withShape(RankedTensorType type, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}

RankedTensorType tensorType(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}

bool isFloatTensor(Value value) {
  auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
  return type && llvm::isa<FloatType>(type.getElementType());
}

Value TensorBuilder::constantInt(int64_t value) {
  return make<arith::ConstantOp>(builder.getI64IntegerAttr(value));
}

SmallVector<Value> TensorBuilder::sizesOf(Value tensor) {
  SmallVector<Value> sizes;
  RankedTensorType type = tensorType(tensor);
  for (int64_t index = 0; index < type.getRank(); ++index)
    if (type.isDynamicDim(index))
      sizes.push_back(dim(tensor, index));
  return sizes;
}

Value TensorBuilder::dim(Value tensor, int64_t index) {
  RankedTensorType type = tensorType(tensor);
  if (!type.isDynamicDim(index))
    return constantInt(type.getDimSize(index));
  return make<DimOp>(builder.getI64Type(), tensor,
                     builder.getI64IntegerAttr(index));
}

Value TensorBuilder::full(double value, Value like) {
  return full(value, tensorType(like), sizesOf(like));
}

Value TensorBuilder::full(double value, RankedTensorType type,
                          ValueRange sizes) {
  Value scalar = make<arith::ConstantOp>(builder.getF64FloatAttr(value));
  return make<FillOp>(type, scalar, sizes);
}

Value TensorBuilder::compare(ComparePredicate predicate, Value a, Value b) {
  RankedTensorType type = tensorType(a);
  auto mask = RankedTensorType::get(type.getShape(), builder.getI1Type(),
                                    type.getEncoding());
  return make<CompareOp>(mask, predicate, a, b);
}

Value TensorBuilder::cast(Value tensor, Type elementType) {
  RankedTensorType type = tensorType(tensor);
  if (type.getElementType() == elementType)
    return tensor;
  return make<CastOp>(
      RankedTensorType::get(type.getShape(), elementType, type.getEncoding()),
      tensor);
}

Value TensorBuilder::reduce(ReduceKind kind, Value tensor,
                            ArrayRef<int64_t> dims) {
  RankedTensorType type = tensorType(tensor);
  SmallVector<int64_t> kept;
  for (auto [index, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(index)))
      kept.push_back(size);
  return make<ReduceOp>(withShape(type, kept), kind, tensor, dims);
}

Value TensorBuilder::expand(Value reduced, Value like, ArrayRef<int64_t> dims) {
  RankedTensorType likeType = tensorType(like);
  auto target = RankedTensorType::get(likeType.getShape(),
                                      tensorType(reduced).getElementType(),
                                      likeType.getEncoding());
  // Leading dims need no reshape: td.broadcast aligns at the right.
  bool leading = true;
  for (auto [index, dim] : llvm::enumerate(dims))
    leading &= dim == static_cast<int64_t>(index);
  if (!leading) {
    SmallVector<int64_t> shape(likeType.getShape());
    SmallVector<Value> sizes;
    for (int64_t dim : dims)
      shape[dim] = 1;
    for (auto [index, size] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(size))
        sizes.push_back(dim(like, index));
    reduced = make<ReshapeOp>(withShape(target, shape), reduced, sizes);
  }
  if (reduced.getType() == target)
    return reduced;
  return make<BroadcastOp>(target, reduced, sizesOf(like));
}

Value TensorBuilder::reshapeLike(Value tensor, Value like) {
  if (tensor.getType() == like.getType())
    return tensor;
  return make<ReshapeOp>(like.getType(), tensor, sizesOf(like));
}

Value TensorBuilder::permute(Value tensor, ArrayRef<int64_t> permutation) {
  RankedTensorType type = tensorType(tensor);
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return make<PermuteOp>(withShape(type, shape), tensor, permutation);
}

Value TensorBuilder::transpose(Value matrix) {
  auto order =
      llvm::to_vector(llvm::seq<int64_t>(tensorType(matrix).getRank()));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permute(matrix, order);
}

Value TensorBuilder::numbersAlong(Value like, ArrayRef<int64_t> dims) {
  RankedTensorType type = tensorType(like);
  Type i64 = builder.getI64Type();
  Value sum;
  int64_t stride = 1;
  for (int64_t index : llvm::reverse(dims)) {
    int64_t size = type.getDimSize(index);
    auto row = RankedTensorType::get({size}, i64, type.getEncoding());
    SmallVector<Value, 1> sizes;
    if (ShapedType::isDynamic(size))
      sizes.push_back(dim(like, index));
    Value numbers =
        make<IotaOp>(row, constantInt(0), constantInt(stride), sizes);
    SmallVector<int64_t> others;
    for (int64_t other = 0; other < type.getRank(); ++other)
      if (other != index)
        others.push_back(other);
    Value all = expand(numbers, like, others);
    sum = sum ? add(sum, all) : all;
    stride *= size;
  }
  return sum;
}

Value TensorBuilder::flip(Value tensor, int64_t index) {
  RankedTensorType type = tensorType(tensor);
  MLIRContext *context = type.getContext();
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> coordinates;
  for (unsigned i = 0; i < rank; ++i)
    coordinates.push_back(getAffineDimExpr(i, context));
  coordinates[index] = getAffineSymbolExpr(0, context) - coordinates[index];
  Value last = type.isDynamicDim(index)
                   ? make<arith::SubIOp>(dim(tensor, index), constantInt(1))
                   : constantInt(type.getDimSize(index) - 1);
  return make<WindowOp>(type, tensor, last,
                        AffineMap::get(rank, 1, coordinates, context),
                        sizesOf(tensor));
}

Value TensorBuilder::sliceLike(Value tensor, Value like, Value start,
                               int64_t dim, int64_t step) {
  return make<SliceOp>(like.getType(), tensor, start, dim, step, sizesOf(like));
}

} // namespace tdc::td
