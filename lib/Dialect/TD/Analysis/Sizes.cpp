//===- Sizes.cpp - run-time sizes of tensors ------------------------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tdc::td {

Value getSize(OpBuilder &builder, Location loc, Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return arith::ConstantIntOp::create(builder, loc, type.getDimSize(dim), 64);

  if (Value size = findSize(tensor, dim))
    return size;

  auto of = [&](Value other, unsigned otherDim) {
    return getSize(builder, loc, other, otherDim);
  };
  auto asDim = [&]() -> Value {
    return DimOp::create(builder, loc, builder.getI64Type(), tensor,
                         builder.getI64IntegerAttr(dim));
  };
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return asDim();
  if (op->hasTrait<ElementwiseOp>() ||
      isa<LogSoftmaxOp, ScatterAddAlongOp, ScatterAddOp, SoftmaxOp, ToDeviceOp,
          UpdateSliceOp>(op))
    return of(op->getOperand(0), dim);

  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](PermuteOp permute) {
        return of(permute.getInput(), permute.getPermutation()[dim]);
      })
      .Case([&](MatmulOp matmul) {
        return of(dim + 1 == type.getRank() ? matmul.getRhs() : matmul.getLhs(),
                  dim);
      })
      .Case([&](ReduceOp reduce) {
        unsigned from = 0;
        for (unsigned kept = 0;; ++from)
          if (!llvm::is_contained(reduce.getDims(), from) && kept++ == dim)
            break;
        return of(reduce.getInput(), from);
      })
      .Case([&](ArgReduceOp reduce) {
        return of(reduce.getInput(), dim < reduce.getDim() ? dim : dim + 1);
      })
      .Case([&](GatherOp gather) {
        unsigned count =
            cast<RankedTensorType>(gather.getIndices().getType()).getRank();
        unsigned at = gather.getDim();
        if (dim < at)
          return of(gather.getInput(), dim);
        if (dim < at + count)
          return of(gather.getIndices(), dim - at);
        return of(gather.getInput(), dim - count + 1);
      })
      .Case([&](GatherAlongOp gather) { return of(gather.getIndices(), dim); })
      .Case([&](ConcatOp concat) {
        if (dim != concat.getDim())
          return of(concat.getInputs().front(), dim);
        Value sum;
        for (Value input : concat.getInputs()) {
          Value size = of(input, dim);
          sum = sum ? arith::AddIOp::create(builder, loc, sum, size) : size;
        }
        return sum;
      })
      .Default([&](Operation *) { return asDim(); });
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

} // namespace tdc::td
