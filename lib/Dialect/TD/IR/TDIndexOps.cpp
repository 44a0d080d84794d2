//===- TDIndexOps.cpp - elements picked by index tensors ------------------===//

#include "OpHelpers.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// td.gather, td.scatter
//===----------------------------------------------------------------------===//

/// Whether all elements of an index tensor are elements of a random permutation
/// of `size` numbers.
static bool isOfPermutation(Value index, int64_t size) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(index)) {
      auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
      if (!kernel)
        return false;
      index = kernel.getInputs()[argument.getArgNumber()];
    } else if (isa<ReshapeOp, SliceOp>(index.getDefiningOp())) {
      index = index.getDefiningOp()->getOperand(0);
    } else {
      break;
    }
  }
  auto random = index.getDefiningOp<RandomOp>();
  return random && random.getDistribution() == Distribution::Permutation &&
         random.getType().getNumElements() == size;
}

/// The access at all dims of the domain, but with one element of operand 1 in
/// place of the dims from `dim` to before `end`.
static AccessMap accessAround(MLIRContext *context, unsigned rank, unsigned dim,
                              unsigned end) {
  SmallVector<AffineExpr> coordinates;
  for (unsigned i = 0; i < dim; ++i)
    coordinates.push_back(getAffineDimExpr(i, context));
  coordinates.push_back(getAffineSymbolExpr(0, context));
  for (unsigned i = end; i < rank; ++i)
    coordinates.push_back(getAffineDimExpr(i, context));
  return {AffineMap::get(rank, 1, coordinates, context),
          {{AccessSymbol::Element, 1}}};
}

/// The access at the dims of the domain from `dim` to before `end`, which are
/// those of an index tensor.
static AccessMap accessIndices(MLIRContext *context, unsigned rank,
                               unsigned dim, unsigned end) {
  return {AffineMap::getMultiDimIdentityMap(rank, context)
              .getSliceMap(dim, end - dim),
          {}};
}

LogicalResult GatherOp::verify() {
  RankedTensorType input = getInput().getType();
  // C1
  if (failed(verifyDimIndex(*this, getDim(), input)))
    return failure();
  // C2
  if (failed(verifyShape(*this, "result",
                         gatherShape(getSymbolicSizes(input),
                                     getSymbolicSizes(getIndices().getType()),
                                     getDim()),
                         getType())))
    return failure();
  // C3
  return verifyDType(*this, "result", input, getType());
}

AccessMap GatherOp::getAccess(unsigned operand) {
  unsigned dim = getDim(), end = dim + getIndices().getType().getRank(),
           rank = getType().getRank();
  return operand == 0 ? accessAround(getContext(), rank, dim, end)
                      : accessIndices(getContext(), rank, dim, end);
}

bool GatherOp::countsFromEnd() { return true; }

bool GatherOp::mayFail() {
  return !isOfPermutation(getIndices(),
                          getInput().getType().getDimSize(getDim()));
}

/// Verifies that bools, and only they, are combined by `any` and `all`.
static LogicalResult verifyCombine(Operation *op,
                                   std::optional<ReduceKind> combine,
                                   RankedTensorType type) {
  bool isLogical = combine == ReduceKind::Any || combine == ReduceKind::All;
  if (!combine || isLogical == type.getElementType().isInteger(1))
    return success();
  return op->emitOpError(
      "combines bools by any or all, numbers by another kind");
}

LogicalResult ScatterOp::verify() {
  RankedTensorType input = getInput().getType();
  // C1
  if (failed(verifyDimIndex(*this, getDim(), input)))
    return failure();
  // C2
  if (failed(verifyShape(*this, "updates",
                         gatherShape(getSymbolicSizes(input),
                                     getSymbolicSizes(getIndices().getType()),
                                     getDim()),
                         getUpdates().getType())))
    return failure();
  // C3
  if (failed(verifyDType(*this, "updates", input, getUpdates().getType())))
    return failure();
  // C4
  return verifyCombine(*this, getCombine(), input);
}

AccessMap ScatterOp::getAccess(unsigned) {
  unsigned dim = getDim(), end = dim + getIndices().getType().getRank();
  return accessIndices(getContext(), getUpdates().getType().getRank(), dim,
                       end);
}

SmallVector<UpdatePart> ScatterOp::getParts() {
  unsigned dim = getDim(), end = dim + getIndices().getType().getRank();
  return {
      {getUpdatesMutable().getOperandNumber(),
       accessAround(getContext(), getUpdates().getType().getRank(), dim, end),
       getCombine()}};
}

bool ScatterOp::countsFromEnd() { return true; }

bool ScatterOp::mayFail() { return true; }

//===----------------------------------------------------------------------===//
// td.gather_along, td.scatter_along
//===----------------------------------------------------------------------===//

/// Verifies that `indices` has `input`'s rank, and its sizes except along
/// `dim`.
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

AccessMap GatherAlongOp::getAccess(unsigned operand) {
  unsigned dim = getDim();
  return operand == 0
             ? accessAround(getContext(), getType().getRank(), dim, dim + 1)
             : detail::getIdentityAccess(*this);
}

bool GatherAlongOp::mayFail() { return true; }

LogicalResult ScatterAlongOp::verify() {
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
  if (failed(verifyDType(*this, "updates", input, getUpdates().getType())))
    return failure();
  // C4
  return verifyCombine(*this, getCombine(), input);
}

SmallVector<UpdatePart> ScatterAlongOp::getParts() {
  unsigned dim = getDim();
  return {{getUpdatesMutable().getOperandNumber(),
           accessAround(getContext(), getType().getRank(), dim, dim + 1),
           getCombine()}};
}

bool ScatterAlongOp::mayFail() { return true; }

/// scatter_along(fill 0, indices, updates) combine sum, with one index per row
///   -> select(iota == gather_along(iota, indices), updates, fill 0)
/// so that the gradient of a cross entropy is elementwise. Picking from the
/// positions gives the index itself, after a check of its range.
LogicalResult ScatterAlongOp::canonicalize(ScatterAlongOp op,
                                           PatternRewriter &rewriter) {
  auto zeros = op.getInput().getDefiningOp<FillOp>();
  int64_t dim = op.getDim();
  if (op.getCombine() != ReduceKind::Sum)
    return rewriter.notifyMatchFailure(op, "adds nothing");
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
