//===- Sizes.cpp - sizes of tensors, at run time and estimated ------------===//

#include "Dialect/TD/Analysis/Sizes.h"

using namespace mlir;

namespace tdc::td {

Value getSize(OpBuilder &builder, Location loc, Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIntOp::create(builder, loc, type.getDimSize(dim), 64);

  if (Value size = findSize(tensor, dim))
    return size;

  if (TensorDim equal = findEqualDim(tensor, dim); equal.tensor)
    return getSize(builder, loc, equal.tensor, equal.dim);
  auto update = tensor.getDefiningOp<UpdateOp>();
  if (!update)
    return DimOp::create(builder, loc, builder.getI64Type(), tensor,
                         builder.getI64IntegerAttr(dim));
  // The parts are concatenated along this dim.
  Value sum;
  for (const UpdatePart &part : update.getParts()) {
    Value size = getSize(builder, loc, update->getOperand(part.operand), dim);
    sum = sum ? arith::AddIOp::create(builder, loc, sum, size) : size;
  }
  return sum;
}

SmallVector<Value> getRunTimeSizes(OpBuilder &builder, Location loc,
                                   Value tensor) {
  SmallVector<Value> sizes;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(getSize(builder, loc, tensor, dim));
  return sizes;
}

bool haveEqualSize(TensorDim a, TensorDim b) {
  // The operand that holds the size, or else the dim that it comes from.
  using Source = std::pair<Value, TensorDim>;
  auto trace = [](TensorDim at) -> Source {
    while (true) {
      if (Value size = findSize(at.tensor, at.dim))
        return {size, {}};
      TensorDim equal = findEqualDim(at.tensor, at.dim);
      if (!equal.tensor)
        return {Value(), at};
      at = equal;
    }
  };
  int64_t known = cast<RankedTensorType>(a.tensor.getType()).getDimSize(a.dim);
  if (known != cast<RankedTensorType>(b.tensor.getType()).getDimSize(b.dim))
    return false;
  if (!ShapedType::isDynamic(known))
    return true;
  auto [sizeA, fromA] = trace(a);
  auto [sizeB, fromB] = trace(b);
  return sizeA == sizeB && fromA.tensor == fromB.tensor &&
         fromA.dim == fromB.dim;
}

int64_t findDivisor(int64_t size, int64_t most) {
  while (size % most != 0)
    --most;
  return most;
}

int64_t estimateElements(RankedTensorType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    elements *= std::max<int64_t>(estimateSize(size), 1);
  return elements;
}

int64_t estimateTerms(ReductionOp reduction) {
  int64_t terms = 1;
  for (OperandDim dim : reduction.getReducedDims())
    terms *= estimateSize(
        cast<RankedTensorType>(reduction->getOperand(dim.operand).getType())
            .getDimSize(dim.dim));
  return terms;
}

int64_t estimateBytes(RankedTensorType type) {
  return estimateElements(type) * byteSize(getDType(type.getElementType()));
}

} // namespace tdc::td
