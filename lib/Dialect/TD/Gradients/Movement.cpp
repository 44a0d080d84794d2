//===- Movement.cpp - gradient rules of ops that move elements ------------===//
//
// Movement is linear: each rule is the op's transpose. Casts and transfers are
// linear, too: the gradient gets the dtype and place of the operand.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"

using namespace mlir;

namespace tdc::td {

SmallVector<Value> BroadcastOp::buildVJP(OpBuilder &builder,
                                         ArrayRef<Value> cotangents) {
  // A dim was repeated if it is new or had the literal size 1; sizes known
  // only at run time are never stretched.
  TensorBuilder b(builder, getLoc());
  RankedTensorType from = tensorType(getInput()), to = tensorType(getResult());
  int64_t added = to.getRank() - from.getRank();
  SmallVector<int64_t> repeated;
  for (int64_t index = 0; index < to.getRank(); ++index)
    if (index < added ||
        (from.getDimSize(index - added) == 1 && to.getDimSize(index) != 1))
      repeated.push_back(index);
  Value gradient = cotangents[0];
  if (!repeated.empty())
    gradient = b.reduce(ReduceKind::Sum, gradient, repeated);
  return {b.reshapeLike(gradient, getInput())};
}

SmallVector<Value> ReshapeOp::buildVJP(OpBuilder &builder,
                                       ArrayRef<Value> cotangents) {
  // Also where the types are equal: a `?` of one may differ from the other's.
  TensorBuilder b(builder, getLoc());
  return {b.make<ReshapeOp>(getInput().getType(), cotangents[0],
                            b.sizesOf(getInput()))};
}

SmallVector<Value> PermuteOp::buildVJP(OpBuilder &builder,
                                       ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    inverse[from] = to;
  return {b.permute(cotangents[0], inverse)};
}

SmallVector<Value> SliceOp::buildVJP(OpBuilder &builder,
                                     ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  SmallVector<Value> gradients(getNumOperands());
  gradients[0] = b.make<UpdateSliceOp>(b.zeros(getInput()), cotangents[0],
                                       getStart(), getDim(), getStep());
  return gradients;
}

SmallVector<Value> DiagonalOp::buildVJP(OpBuilder &builder,
                                        ArrayRef<Value> cotangents) {
  // Each row of the operand has one element of the diagonal, or none.
  TensorBuilder b(builder, getLoc());
  Value x = getInput();
  RankedTensorType type = getInput().getType();
  int64_t columns = type.getRank() - 1, rows = columns - 1;
  SmallVector<Value> gradients(getNumOperands()), sizes;
  for (int64_t dim = 0; dim < columns; ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(b.dim(x, dim));
  Value zeros =
      b.full(0.0, withShape(type, type.getShape().drop_back()), sizes);
  SmallVector<Value> lows(columns, b.constantInt(0));
  lows.back() = getRow();
  Value ofRows = b.make<InsetOp>(zeros.getType(), zeros, cotangents[0], lows,
                                 SmallVector<int64_t>(columns, 1));
  Value number = b.numbersAlong(x, columns);
  Value offset = b.make<FillOp>(number.getType(),
                                b.make<arith::SubIOp>(getColumn(), getRow()),
                                b.sizesOf(x));
  Value isOnDiagonal = b.compare(
      ComparePredicate::EQ, b.add(b.numbersAlong(x, rows), offset), number);
  gradients[0] =
      b.select(isOnDiagonal, b.expand(ofRows, x, columns), b.zeros(x));
  return gradients;
}

SmallVector<Value> UpdateSliceOp::buildVJP(OpBuilder &builder,
                                           ArrayRef<Value> cotangents) {
  // The replaced elements get nothing, the update gets everything.
  TensorBuilder b(builder, getLoc());
  Value rest = b.make<UpdateSliceOp>(cotangents[0], b.zeros(getUpdate()),
                                     getStart(), getDim(), getStep());
  Value part =
      b.sliceLike(cotangents[0], getUpdate(), getStart(), getDim(), getStep());
  return {rest, part, Value()};
}

Value UpdateSliceOp::addTo(OpBuilder &builder, Value sum) {
  TensorBuilder b(builder, getLoc());
  Value part = b.sliceLike(sum, getUpdate(), getStart(), getDim(), getStep());
  return b.make<UpdateSliceOp>(sum, b.add(part, getUpdate()), getStart(),
                               getDim(), getStep());
}

SmallVector<Value> ConcatOp::buildVJP(OpBuilder &builder,
                                      ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  int64_t dim = getDim();
  SmallVector<Value> gradients;
  Value start = b.constantInt(0);
  for (auto [index, input] : llvm::enumerate(getInputs())) {
    gradients.push_back(b.sliceLike(cotangents[0], input, start, dim, 1));
    if (index + 1 < getInputs().size())
      start = b.make<arith::AddIOp>(start, b.dim(input, dim));
  }
  return gradients;
}

SmallVector<Value> CastOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents) {
  if (!isFloatTensor(getInput()))
    return {Value()};
  TensorBuilder b(builder, getLoc());
  return {b.cast(cotangents[0], tensorType(getInput()).getElementType())};
}

SmallVector<Value> RoundGradientOp::buildVJP(OpBuilder &builder,
                                             ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  return {b.cast(b.cast(cotangents[0], getElement()),
                 tensorType(getInput()).getElementType())};
}

SmallVector<Value> SumPartsOp::buildVJP(OpBuilder &,
                                        ArrayRef<Value> cotangents) {
  return {cotangents[0]};
}

/// The role of the copy back of a cotangent.
static CopyRole getRoleOfVJP(CopyRole role) {
  switch (role) {
  case CopyRole::Rows:
    return CopyRole::Rows;
  case CopyRole::Replica:
    return CopyRole::Gradient;
  case CopyRole::Gradient:
    return CopyRole::Replica;
  }
  llvm_unreachable("unknown role of a copy");
}

SmallVector<Value> ToDeviceOp::buildVJP(OpBuilder &builder,
                                        ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  auto back = ToDeviceOp::create(builder, getLoc(), getInput().getType(),
                                 cotangents[0]);
  if (std::optional<CopyRole> role = getRole()) {
    back.setImplied(true);
    back.setKept(getKept());
    back.setRole(getRoleOfVJP(*role));
  }
  return {back};
}

} // namespace tdc::td
