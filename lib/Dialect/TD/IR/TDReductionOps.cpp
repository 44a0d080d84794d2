//===- TDReductionOps.cpp - reductions, products, scans, softmax ----------===//

#include "OpHelpers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// td.reduce, td.arg_reduce
//===----------------------------------------------------------------------===//

static LogicalResult verifyReducedDims(Operation *op, ArrayRef<int64_t> dims,
                                       RankedTensorType input) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (failed(verifyDimIndex(op, dim, input)))
      return failure();
    if (i > 0 && dims[i - 1] >= dim)
      return op->emitOpError("expected ascending dims, got ")
             << spellDims(dims);
  }
  return success();
}

/// Whether elements along the dims can be numbered row by row: all dims but the
/// first have static sizes.
static bool haveOneOrder(ArrayRef<int64_t> dims, RankedTensorType input) {
  return !dims.empty() && llvm::none_of(dims.drop_front(), [&](int64_t dim) {
    return input.isDynamicDim(dim);
  });
}

/// The dims, each as a dim of the only operand.
static SmallVector<OperandDim, 2> ofInput(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector<2>(
      dims, [](int64_t dim) { return OperandDim{0, unsigned(dim)}; });
}

/// Verifies that the result has the shape of the input without `dims`.
static LogicalResult verifyReduced(Operation *op, RankedTensorType input,
                                   ArrayRef<int64_t> dims,
                                   RankedTensorType result) {
  SmallVector<unsigned> reduced(dims.begin(), dims.end());
  return verifyShape(
      op, "result",
      reduceShape(getSymbolicSizes(input), reduced, /*keepDims=*/false),
      result);
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = getInput().getType();
  // C1
  if (failed(verifyReducedDims(*this, getDims(), input)))
    return failure();
  // C2
  bool logical = getKind() == ReduceKind::Any || getKind() == ReduceKind::All;
  if (logical != input.getElementType().isInteger(1))
    return emitOpError("expected ")
           << (logical ? "bool" : "numbers") << " for '"
           << stringifyReduceKind(getKind()) << "', got " << input;
  // C3
  if (failed(verifyReduced(*this, input, getDims(), getType())))
    return failure();
  if (failed(verifyDType(*this, "result", input, getType())))
    return failure();
  // C4
  bool isExtreme = getKind() == ReduceKind::Max || getKind() == ReduceKind::Min;
  if (getFirst() && (!isExtreme || !haveOneOrder(getDims(), input)))
    return emitOpError("expected max or min for 'first', and static sizes of "
                       "all dims but the first");
  return success();
}

/// The access of an operand that is reduced along the dims `reduced`.
static AccessMap accessReduced(RankedTensorType input,
                               ArrayRef<int64_t> reduced) {
  MLIRContext *context = input.getContext();
  unsigned rank = input.getRank(), kept = 0, term = rank - reduced.size();
  SmallVector<AffineExpr> coordinates;
  for (unsigned dim = 0; dim < rank; ++dim)
    coordinates.push_back(getAffineDimExpr(
        llvm::is_contained(reduced, dim) ? term++ : kept++, context));
  return {AffineMap::get(rank, 0, coordinates, context), {}};
}

AccessMap ReduceOp::getAccess(unsigned) {
  return accessReduced(getInput().getType(), getDims());
}

SmallVector<OperandDim, 2> ReduceOp::getReducedDims() {
  return ofInput(getDims());
}

ReduceKind ReduceOp::getCombination() { return getKind(); }

std::string ReduceOp::getSpelling() {
  return stringifyReduceKind(getKind()).str();
}

/// A reduction of single elements is a reshape.
LogicalResult ReduceOp::canonicalize(ReduceOp op, PatternRewriter &rewriter) {
  RankedTensorType input = op.getInput().getType();
  if (llvm::any_of(op.getDims(),
                   [&](int64_t dim) { return input.getDimSize(dim) != 1; }))
    return rewriter.notifyMatchFailure(op, "combines more than one element");
  SmallVector<Value> sizes;
  int64_t resultDim = 0;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    if (llvm::is_contained(op.getDims(), dim) ||
        !op.getType().isDynamicDim(resultDim++))
      continue;
    FailureOr<Value> size = findOrMakeSize(rewriter, op, op.getInput(), dim);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput(),
                                         sizes);
  return success();
}

LogicalResult ArgReduceOp::verify() {
  RankedTensorType input = getInput().getType();
  ArrayRef<int64_t> dims = getDims();
  // C1
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min)
    return emitOpError("expected 'max' or 'min', got '")
           << stringifyReduceKind(getKind()) << "'";
  // C2
  if (failed(verifyReducedDims(*this, dims, input)))
    return failure();
  if (!haveOneOrder(dims, input))
    return emitOpError("expected static sizes of all dims but the first, got ")
           << input;
  // C3
  if (failed(verifyReduced(*this, input, dims, getType())))
    return failure();
  // C4
  for (int64_t dim : dims)
    if (input.getDimSize(dim) == 0)
      return emitOpError("expected a dim that is not empty, got dim ")
             << dim << " of " << input;
  return success();
}

AccessMap ArgReduceOp::getAccess(unsigned) {
  return accessReduced(getInput().getType(), getDims());
}

SmallVector<OperandDim, 2> ArgReduceOp::getReducedDims() {
  return ofInput(getDims());
}

ReduceKind ArgReduceOp::getCombination() { return getKind(); }

bool ArgReduceOp::givesIndex() { return true; }

//===----------------------------------------------------------------------===//
// td.matmul
//===----------------------------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  int64_t rank = lhs.getRank();
  // C1
  if (rank < 2 || rhs.getRank() != rank)
    return emitOpError("expected operands of one rank >= 2, got ")
           << lhs << " and " << rhs;
  // C2
  ArrayRef<int64_t> leading = lhs.getShape().drop_back(2);
  if (!dimsAgree(leading, rhs.getShape().drop_back(2)))
    return emitOpError("expected equal leading dims, got ")
           << spellDims(leading) << " and "
           << spellDims(rhs.getShape().drop_back(2));
  // C3
  if (!dimsAgree(lhs.getShape()[rank - 1], rhs.getShape()[rank - 2]))
    return emitOpError("expected the last dim of ")
           << spellDims(lhs.getShape()) << " to be the last but one of "
           << spellDims(rhs.getShape());
  // C4
  if (failed(verifyDType(*this, "rhs", lhs, rhs)) ||
      failed(verifyDType(*this, "result", lhs, getType())))
    return failure();
  // C5
  return verifyShape(*this, "result",
                     matmulShape(getSymbolicSizes(lhs), getSymbolicSizes(rhs)),
                     getType());
}

/// From (…, m, n, k) to (…, m, k) and (…, k, n).
AccessMap MatmulOp::getAccess(unsigned operand) {
  unsigned rank = getType().getRank();
  AffineMap all = AffineMap::getMultiDimIdentityMap(rank + 1, getContext());
  if (operand == 0)
    return {all.dropResult(rank - 1), {}};
  SmallVector<AffineExpr> coordinates(all.getResults().take_front(rank));
  coordinates[rank - 2] = all.getResult(rank);
  return {AffineMap::get(rank + 1, 0, coordinates, getContext()), {}};
}

SmallVector<OperandDim, 2> MatmulOp::getReducedDims() {
  return {{0, unsigned(getType().getRank() - 1)}};
}

ReduceKind MatmulOp::getCombination() { return ReduceKind::Sum; }

/// With k = 1 there is no sum: the product is an outer product, which fuses.
LogicalResult MatmulOp::canonicalize(MatmulOp op, PatternRewriter &rewriter) {
  RankedTensorType type = op.getType();
  int64_t rank = type.getRank();
  if (op.getLhs().getType().getDimSize(rank - 1) != 1 ||
      op.getRhs().getType().getDimSize(rank - 2) != 1)
    return rewriter.notifyMatchFailure(op, "k is not 1");
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    Value from = dim == rank - 1 ? op.getRhs() : op.getLhs();
    FailureOr<Value> size = findOrMakeSize(rewriter, op, from, dim);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  auto broadcast = [&](Value operand) {
    return rewriter.createOrFold<BroadcastOp>(op.getLoc(), type, operand,
                                              sizes);
  };
  rewriter.replaceOpWithNewOp<MulOp>(op, broadcast(op.getLhs()),
                                     broadcast(op.getRhs()));
  return success();
}

//===----------------------------------------------------------------------===//
// td.scan
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  // C1
  if (failed(verifyDimIndex(*this, getDim(), getType())))
    return failure();
  // C2
  if (getKind() != ReduceKind::Sum && getKind() != ReduceKind::Prod)
    return emitOpError("expected 'sum' or 'prod', got '")
           << stringifyReduceKind(getKind()) << "'";
  return success();
}

std::string ScanOp::getSpelling() {
  return ("cum" + stringifyReduceKind(getKind())).str();
}

/// Folds the scan of single elements.
OpFoldResult ScanOp::fold(FoldAdaptor) {
  return getType().getDimSize(getDim()) == 1 ? getInput() : Value();
}

//===----------------------------------------------------------------------===//
// td.logsumexp, td.softmax, td.log_softmax
//===----------------------------------------------------------------------===//

LogicalResult LogSumExpOp::verify() {
  RankedTensorType input = getInput().getType();
  // C1
  if (failed(verifyReducedDims(*this, getDims(), input)))
    return failure();
  // C2
  if (failed(verifyReduced(*this, input, getDims(), getType())))
    return failure();
  return verifyDType(*this, "result", input, getType());
}

LogicalResult SoftmaxOp::verify() {
  // C1
  return verifyDimIndex(*this, getDim(), getType());
}

LogicalResult LogSoftmaxOp::verify() {
  // C1
  return verifyDimIndex(*this, getDim(), getType());
}
