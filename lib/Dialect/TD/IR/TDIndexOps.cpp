//===- TDIndexOps.cpp - elements picked by index tensors ------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// td.gather, td.scatter_add
//===----------------------------------------------------------------------===//

/// `input`'s shape with `dim` replaced by the shape of `indices`.
static SmallVector<int64_t> gatherShape(RankedTensorType input,
                                        RankedTensorType indices, int64_t dim) {
  SmallVector<int64_t> shape(input.getShape().take_front(dim));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, input.getShape().drop_front(dim + 1));
  return shape;
}

LogicalResult GatherOp::verify() {
  RankedTensorType input = getInput().getType();
  // C1
  if (failed(verifyDimIndex(*this, getDim(), input)))
    return failure();
  // C2
  if (failed(verifyDims(*this, "result",
                        gatherShape(input, getIndices().getType(), getDim()),
                        getType().getShape())))
    return failure();
  // C3
  return verifyDType(*this, "result", input, getType());
}

LogicalResult ScatterAddOp::verify() {
  RankedTensorType input = getInput().getType();
  // C1
  if (failed(verifyDimIndex(*this, getDim(), input)))
    return failure();
  // C2
  if (failed(verifyDims(*this, "updates",
                        gatherShape(input, getIndices().getType(), getDim()),
                        getUpdates().getType().getShape())))
    return failure();
  // C3
  return verifyDType(*this, "updates", input, getUpdates().getType());
}

//===----------------------------------------------------------------------===//
// td.gather_along, td.scatter_add_along
//===----------------------------------------------------------------------===//

/// `indices` has `input`'s rank and its sizes but along `dim`.
static LogicalResult verifyAlong(Operation *op, RankedTensorType input,
                                 RankedTensorType indices, int64_t dim) {
  SmallVector<int64_t> expected(input.getShape());
  if (indices.getRank() == input.getRank())
    expected[dim] = indices.getDimSize(dim);
  return verifyDims(op, "indices", expected, indices.getShape());
}

LogicalResult GatherAlongOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType indices = getIndices().getType();
  // C1
  if (failed(verifyDimIndex(*this, getDim(), input)))
    return failure();
  // C2
  if (failed(verifyAlong(*this, input, indices, getDim())))
    return failure();
  // C3
  if (failed(verifyDims(*this, "result", indices.getShape(),
                        getType().getShape())))
    return failure();
  return verifyDType(*this, "result", input, getType());
}

LogicalResult ScatterAddAlongOp::verify() {
  RankedTensorType input = getInput().getType();
  RankedTensorType indices = getIndices().getType();
  // C1
  if (failed(verifyDimIndex(*this, getDim(), input)))
    return failure();
  // C2
  if (failed(verifyAlong(*this, input, indices, getDim())) ||
      failed(verifyDims(*this, "updates", indices.getShape(),
                        getUpdates().getType().getShape())))
    return failure();
  // C3
  return verifyDType(*this, "updates", input, getUpdates().getType());
}

/// scatter_add_along(fill 0, indices, updates) with one index per row
///   -> select(iota == gather_along(iota, indices), updates, fill 0)
/// so that the gradient of a cross entropy is elementwise. What is picked from
/// the positions is the index itself, checked.
LogicalResult ScatterAddAlongOp::canonicalize(ScatterAddAlongOp op,
                                              PatternRewriter &rewriter) {
  auto zeros = op.getInput().getDefiningOp<FillOp>();
  int64_t dim = op.getDim();
  if (!zeros || !isUniform(zeros, 0))
    return rewriter.notifyMatchFailure(op, "does not add to a td.fill of 0");
  if (op.getIndices().getType().getDimSize(dim) != 1)
    return rewriter.notifyMatchFailure(op, "more than one index per row");

  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  ValueRange sizes = zeros.getSizes();
  auto indexType = RankedTensorType::get(type.getShape(), rewriter.getI64Type(),
                                         type.getEncoding());
  auto broadcast = [&](Value value, RankedTensorType to) -> Value {
    return rewriter.createOrFold<BroadcastOp>(loc, to, value, sizes);
  };

  // Positions along `dim`, shaped [D, 1, ..., 1].
  int64_t size = type.getDimSize(dim);
  SmallVector<Value, 1> ownSize;
  if (ShapedType::isDynamic(size))
    ownSize.push_back(findSize(zeros, dim));
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getI64IntegerAttr(value));
  };
  Value positions = IotaOp::create(
      rewriter, loc,
      RankedTensorType::get(size, rewriter.getI64Type(), type.getEncoding()),
      constant(0), constant(1), ownSize);
  SmallVector<int64_t> column(type.getRank() - dim, 1);
  column.front() = size;
  positions = rewriter.createOrFold<ReshapeOp>(
      loc,
      RankedTensorType::get(column, rewriter.getI64Type(), type.getEncoding()),
      positions, ownSize);

  positions = broadcast(positions, indexType);
  Value picked = GatherAlongOp::create(rewriter, loc, op.getIndices().getType(),
                                       positions, op.getIndices(), dim);
  Value hit = CompareOp::create(rewriter, loc, type.clone(rewriter.getI1Type()),
                                ComparePredicate::EQ, positions,
                                broadcast(picked, indexType));
  rewriter.replaceOpWithNewOp<SelectOp>(
      op, hit, broadcast(op.getUpdates(), type), zeros);
  return success();
}
