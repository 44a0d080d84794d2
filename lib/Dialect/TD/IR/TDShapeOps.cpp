//===- TDShapeOps.cpp - elements moved without arithmetic -----------------===//

#include "OpHelpers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

/// move(fill(v)) -> fill(v): every element is the same. `sizes` are those of
/// the result.
static LogicalResult foldFill(Operation *op, PatternRewriter &rewriter,
                              ValueRange sizes) {
  auto fill = op->getOperand(0).getDefiningOp<FillOp>();
  if (!fill)
    return rewriter.notifyMatchFailure(op, "the operand is no td.fill");
  rewriter.replaceOpWithNewOp<FillOp>(op, op->getResultTypes().front(),
                                      fill.getValue(), sizes);
  return success();
}

/// The product of the static dims.
static int64_t staticElements(RankedTensorType type) {
  int64_t product = 1;
  for (int64_t dim : type.getShape())
    if (!ShapedType::isDynamic(dim))
      product *= dim;
  return product;
}

//===----------------------------------------------------------------------===//
// td.broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = getInput().getType().getShape();
  ArrayRef<int64_t> to = getType().getShape();
  // C1
  bool aligned =
      from.size() <= to.size() &&
      llvm::all_of(llvm::zip(from, to.take_back(from.size())), [](auto pair) {
        auto [a, b] = pair;
        return a == 1 || dimsAgree(a, b);
      });
  if (!aligned)
    return emitOpError("expected every operand dim, from the right, to be 1 or "
                       "the result's, got ")
           << spellDims(from) << " to " << spellDims(to);
  // C2
  if (failed(verifySizes(*this, getType(), getSizes())))
    return failure();
  // C3
  return verifyDType(*this, "result", getInput().getType(), getType());
}

AccessMap BroadcastOp::getAccess(unsigned) {
  RankedTensorType from = getInput().getType();
  unsigned rank = getType().getRank(), added = rank - from.getRank();
  SmallVector<AffineExpr> coordinates;
  for (auto [dim, size] : llvm::enumerate(from.getShape()))
    coordinates.push_back(size == 1
                              ? getAffineConstantExpr(0, getContext())
                              : getAffineDimExpr(added + dim, getContext()));
  return {AffineMap::get(rank, 0, coordinates, getContext()), {}};
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<BroadcastOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op,
                                        PatternRewriter &rewriter) {
  return foldFill(op, rewriter, op.getSizes());
}

//===----------------------------------------------------------------------===//
// td.reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  // C1: with `?` on one side, the product of the static sizes there must divide
  // the number of elements of the other side.
  int64_t a = staticElements(from), b = staticElements(to);
  bool fits = from.hasStaticShape() && to.hasStaticShape() ? a == b
              : from.hasStaticShape() ? (b == 0 ? a == 0 : a % b == 0)
              : to.hasStaticShape()   ? (a == 0 ? b == 0 : b % a == 0)
                                      : true;
  if (!fits)
    return emitOpError("expected equal numbers of elements, got ")
           << spellDims(from.getShape()) << " and " << spellDims(to.getShape());
  // C2
  if (failed(verifySizes(*this, to, getSizes())))
    return failure();
  // C3
  return verifyDType(*this, "result", from, to);
}

/// Whether a reshape only adds or drops dims of size 1.
bool ReshapeOp::isPulled() {
  auto nonUnit = [](RankedTensorType type) {
    SmallVector<int64_t> dims;
    llvm::copy_if(type.getShape(), std::back_inserter(dims),
                  [](int64_t dim) { return dim != 1; });
    return dims;
  };
  auto from = nonUnit(getInput().getType()), to = nonUnit(getType());
  if (from.size() != to.size())
    return false;
  // A run-time size is known to be the size in the result only if no other size
  // is unknown.
  unsigned unknown = 0;
  for (auto [size, other] : llvm::zip_equal(from, to)) {
    if (!dimsAgree(size, other))
      return false;
    unknown += ShapedType::isDynamic(size) || ShapedType::isDynamic(other);
  }
  return unknown <= 1;
}

AccessMap ReshapeOp::getAccess(unsigned) {
  SmallVector<AffineExpr> others, coordinates;
  for (auto [dim, size] : llvm::enumerate(getType().getShape()))
    if (size != 1)
      others.push_back(getAffineDimExpr(dim, getContext()));
  unsigned next = 0;
  for (int64_t size : getInput().getType().getShape())
    coordinates.push_back(size == 1 ? getAffineConstantExpr(0, getContext())
                                    : others[next++]);
  return {AffineMap::get(getType().getRank(), 0, coordinates, getContext()),
          {}};
}

Value ReshapeOp::getViewed() { return getInput(); }

/// Whether a reshape to its operand's own type changes nothing: one `?` follows
/// from the number of elements; if there are several, they must be known to be
/// the operand's.
static bool isIdentity(ReshapeOp op) {
  RankedTensorType type = op.getType();
  if (op.getInput().getType() != type)
    return false;
  if (type.getNumDynamicDims() <= 1 && staticElements(type) != 0)
    return true;
  unsigned next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) &&
        !isSizeOf(op.getSizes()[next++], op.getInput(), dim))
      return false;
  return true;
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (isIdentity(*this))
    return getInput();
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  return foldFill(op, rewriter, op.getSizes());
}

//===----------------------------------------------------------------------===//
// td.permute
//===----------------------------------------------------------------------===//

LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> from = getInput().getType().getShape();
  // C1
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, from.size())))
    return emitOpError("expected a permutation of the ")
           << from.size() << " dims of the operand, got "
           << spellDims(getPermutation());
  // C2
  if (failed(verifyShape(*this, "result",
                         permuteShape(getSymbolicSizes(getInput().getType()),
                                      getPermutation()),
                         getType())))
    return failure();
  // C3
  return verifyDType(*this, "result", getInput().getType(), getType());
}

AccessMap PermuteOp::getAccess(unsigned) {
  return {inversePermutation(
              AffineMap::getPermutationMap(getPermutation(), getContext())),
          {}};
}

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType() && llvm::is_sorted(getPermutation()))
    return getInput();
  if (auto inner = getInput().getDefiningOp<PermuteOp>()) {
    SmallVector<int64_t> permutation;
    for (int64_t dim : getPermutation())
      permutation.push_back(inner.getPermutation()[dim]);
    setPermutation(permutation);
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

/// permute(fill) -> fill, and a permutation that moves dims of size 1 only is a
/// reshape, which costs nothing.
LogicalResult PermuteOp::canonicalize(PermuteOp op, PatternRewriter &rewriter) {
  ArrayRef<int64_t> dims = op.getInput().getType().getShape();
  bool isFill = op.getInput().getDefiningOp<FillOp>() != nullptr;
  SmallVector<int64_t> kept;
  for (int64_t dim : op.getPermutation())
    if (dims[dim] != 1)
      kept.push_back(dim);
  if (!isFill && !llvm::is_sorted(kept))
    return rewriter.notifyMatchFailure(op, "moves dims of other sizes than 1");

  SmallVector<Value> sizes;
  for (auto [i, dim] : llvm::enumerate(op.getPermutation())) {
    if (!op.getType().isDynamicDim(i))
      continue;
    FailureOr<Value> size = findOrMakeSize(rewriter, op, op.getInput(), dim);
    if (failed(size))
      return failure();
    sizes.push_back(*size);
  }
  if (isFill)
    return foldFill(op, rewriter, sizes);
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput(),
                                         sizes);
  return success();
}

//===----------------------------------------------------------------------===//
// td.slice, td.update_slice
//===----------------------------------------------------------------------===//

static LogicalResult verifyStep(Operation *op, int64_t dim, int64_t step,
                                RankedTensorType type) {
  if (failed(verifyDimIndex(op, dim, type)))
    return failure();
  if (step < 1)
    return op->emitOpError("expected a step >= 1, got ") << step;
  return success();
}

/// `type`'s shape with another size along `dim`.
static SmallVector<int64_t> withDim(RankedTensorType type, int64_t dim,
                                    int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return shape;
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  int64_t dim = getDim();
  // C1
  if (failed(verifyStep(*this, dim, getStep(), from)))
    return failure();
  // C2
  int64_t size = to.getRank() == from.getRank() ? to.getDimSize(dim)
                                                : ShapedType::kDynamic;
  if (failed(
          verifyDims(*this, "result", withDim(from, dim, size), to.getShape())))
    return failure();
  // C3
  if (failed(verifySizes(*this, to, getSizes())))
    return failure();
  // C4
  if (failed(verifyDType(*this, "result", from, to)))
    return failure();
  // C5
  int64_t length = (size - 1) * int64_t(getStep()) + 1;
  if (size > 0 && !from.isDynamicDim(dim) && length > from.getDimSize(dim))
    return emitOpError("expected at most ")
           << from.getDimSize(dim) << " elements, got a slice over " << length;
  return success();
}

/// From coordinates of the slice to those of the whole; the start is operand
/// `start`.
static AccessMap accessSlice(RankedTensorType type, unsigned start, int64_t dim,
                             int64_t step) {
  MLIRContext *context = type.getContext();
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> coordinates;
  for (unsigned i = 0; i < rank; ++i)
    coordinates.push_back(getAffineDimExpr(i, context));
  coordinates[dim] = coordinates[dim] * step + getAffineSymbolExpr(0, context);
  return {AffineMap::get(rank, 1, coordinates, context),
          {{AccessSymbol::Scalar, start}}};
}

AccessMap SliceOp::getAccess(unsigned) {
  return accessSlice(getType(), getStartMutable().getOperandNumber(), getDim(),
                     getStep());
}

/// Folds the slice of everything.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getInput().getType() != getType() || getStep() != 1 ||
      !matchPattern(getStart(), m_Zero()))
    return {};
  if (!getType().isDynamicDim(getDim()))
    return getInput();
  int64_t index = llvm::count_if(getType().getShape().take_front(getDim()),
                                 ShapedType::isDynamic);
  return isSizeOf(getSizes()[index], getInput(), getDim()) ? getInput()
                                                           : Value();
}

namespace {
/// Consecutive elements along a dim, at a position in range that is known.
struct Run {
  uint64_t dim;
  int64_t start, size;

  /// The elements that the op reads or replaces, of which `part` has as many.
  template <typename Slice>
  static std::optional<Run> get(Slice op, RankedTensorType part) {
    std::optional<int64_t> start = getConstantIntValue(op.getStart());
    int64_t whole = op.getInput().getType().getDimSize(op.getDim()),
            size = part.getDimSize(op.getDim());
    if (!start || *start < 0 || op.getStep() != 1 ||
        ShapedType::isDynamic(size) || ShapedType::isDynamic(whole) ||
        *start > whole - size)
      return std::nullopt;
    return Run{op.getDim(), *start, size};
  }
  static std::optional<Run> get(UpdateSliceOp op) {
    return get(op, op.getUpdate().getType());
  }
  int64_t getEnd() const { return start + size; }
};
} // namespace

/// Whether the parts of a tensor are worth a kernel each. Of a small one, each
/// part is written to its place by the kernel that computes it.
static bool isLarge(RankedTensorType type) {
  constexpr int64_t kFewestElements = 1 << 16;
  return type.hasStaticShape() && type.getNumElements() >= kFewestElements;
}

/// A slice next to one that was replaced is that of the tensor before.
LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  if (succeeded(foldFill(op, rewriter, op.getSizes())))
    return success();
  auto replaced = op.getInput().getDefiningOp<UpdateSliceOp>();
  std::optional<Run> other = replaced ? Run::get(replaced) : std::nullopt,
                     own = Run::get(op, op.getType());
  if (!other || !own || own->dim != other->dim ||
      !isLarge(replaced.getType()) ||
      (own->start < other->getEnd() && other->start < own->getEnd()))
    return rewriter.notifyMatchFailure(op, "reads what was replaced");
  rewriter.modifyOpInPlace(
      op, [&] { op.getInputMutable().assign(replaced.getInput()); });
  return success();
}

LogicalResult DiagonalOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  // C1
  if (from.getRank() < 2)
    return emitOpError("expected at least two dims, got ") << from;
  // C2
  SmallVector<int64_t> shape(from.getShape().drop_back());
  shape.back() = to.getRank() == from.getRank() - 1 ? to.getShape().back()
                                                    : ShapedType::kDynamic;
  if (failed(verifyDims(*this, "result", shape, to.getShape())))
    return failure();
  // C3
  if (failed(verifySizes(*this, to, getSizes())))
    return failure();
  // C4
  if (failed(verifyDType(*this, "result", from, to)))
    return failure();
  // C5
  for (int64_t size : from.getShape().take_back(2))
    if (!ShapedType::isDynamic(size) && to.getShape().back() > size)
      return emitOpError("expected at most ")
             << size << " elements, got " << to.getShape().back();
  return success();
}

/// Both coordinates have a symbol: a dim alone would mean that the dim is read
/// in full.
AccessMap DiagonalOp::getAccess(unsigned) {
  MLIRContext *context = getContext();
  unsigned rank = getType().getRank();
  SmallVector<AffineExpr> coordinates;
  for (unsigned i = 0; i < rank; ++i)
    coordinates.push_back(getAffineDimExpr(i, context));
  AffineExpr along = coordinates.pop_back_val();
  coordinates.push_back(along + getAffineSymbolExpr(0, context));
  coordinates.push_back(along + getAffineSymbolExpr(1, context));
  return {AffineMap::get(rank, 2, coordinates, context),
          {{AccessSymbol::Scalar, getRowMutable().getOperandNumber()},
           {AccessSymbol::Scalar, getColumnMutable().getOperandNumber()}}};
}

LogicalResult UpdateSliceOp::verify() {
  RankedTensorType whole = getInput().getType();
  RankedTensorType update = getUpdate().getType();
  int64_t dim = getDim();
  // C1
  if (failed(verifyStep(*this, dim, getStep(), whole)))
    return failure();
  // C2
  int64_t size = update.getRank() == whole.getRank() ? update.getDimSize(dim)
                                                     : ShapedType::kDynamic;
  if (failed(verifyDims(*this, "update", withDim(whole, dim, size),
                        update.getShape())))
    return failure();
  return verifyDType(*this, "update", whole, update);
}

/// An update of a slice that replaces the slice, as x[i, j] = y: it sets the
/// elements into the whole tensor, of which nothing is copied.
static LogicalResult setIntoWhole(UpdateSliceOp op, PatternRewriter &rewriter) {
  Operation *inner = op.getUpdate().getDefiningOp();
  if (!inner || !inner->hasOneUse() || !isa<UpdateSliceOp, InsetOp>(inner))
    return failure();
  unsigned rank = unsigned(op.getType().getRank());
  uint64_t dim = op.getDim();
  auto slice = inner->getOperand(0).getDefiningOp<SliceOp>();
  if (!slice || slice.getInput() != op.getInput() || slice.getDim() != dim ||
      slice.getStart() != op.getStart() || slice.getStep() != op.getStep())
    return failure();
  Value update = inner->getOperand(1);
  int64_t size = slice.getType().getDimSize(dim);
  if (ShapedType::isDynamic(size) ||
      cast<RankedTensorType>(update.getType()).getDimSize(dim) != size)
    return failure();
  SmallVector<Value> low;
  SmallVector<int64_t> step;
  if (auto inset = dyn_cast<InsetOp>(inner)) {
    if (!matchPattern(inset.getLow()[dim], m_Zero()) ||
        inset.getStep()[dim] != 1)
      return failure();
    llvm::append_range(low, inset.getLow());
    llvm::append_range(step, inset.getStep());
  } else {
    auto part = cast<UpdateSliceOp>(inner);
    if (part.getDim() == op.getDim())
      return failure();
    low.assign(rank, arith::ConstantIntOp::create(rewriter, op.getLoc(), 0,
                                                  /*width=*/64));
    step.assign(rank, 1);
    low[part.getDim()] = part.getStart();
    step[part.getDim()] = part.getStep();
  }
  low[dim] = op.getStart();
  step[dim] = op.getStep();
  rewriter.replaceOpWithNewOp<InsetOp>(op, op.getType(), op.getInput(), update,
                                       low, step);
  return success();
}

/// Slices that replace a whole tensor, one after the other, are its parts: the
/// gradient of a tensor that is read in slices, as queries, keys and values.
LogicalResult UpdateSliceOp::canonicalize(UpdateSliceOp op,
                                          PatternRewriter &rewriter) {
  // A small slice may be one of a large tensor.
  bool isSmall = op.getType().hasStaticShape() && !isLarge(op.getType()) &&
                 !op.getInput().getDefiningOp<SliceOp>();
  if (!isSmall && succeeded(setIntoWhole(op, rewriter)))
    return success();
  if (!isLarge(op.getType()))
    return rewriter.notifyMatchFailure(op, "small");
  SmallVector<std::pair<Run, Value>> parts;
  int64_t missing = op.getType().getDimSize(op.getDim());
  for (UpdateSliceOp part = op; part && missing > 0;
       part = part.getInput().getDefiningOp<UpdateSliceOp>()) {
    std::optional<Run> run = Run::get(part);
    if (!run || run->dim != op.getDim() || (part != op && !part->hasOneUse()))
      break;
    parts.push_back({*run, part.getUpdate()});
    missing -= run->size;
  }
  llvm::sort(parts, [](const auto &a, const auto &b) {
    return std::make_pair(a.first.start, a.first.size) <
           std::make_pair(b.first.start, b.first.size);
  });
  int64_t end = 0;
  SmallVector<Value> inOrder;
  for (const auto &[run, value] : parts) {
    if (run.start != end)
      return rewriter.notifyMatchFailure(op, "parts overlap");
    end = run.getEnd();
    inOrder.push_back(value);
  }
  if (missing != 0 || parts.empty())
    return rewriter.notifyMatchFailure(op, "elements of the base remain");
  rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), inOrder, op.getDim());
  return success();
}

SmallVector<UpdatePart> UpdateSliceOp::getParts() {
  return {{getUpdateMutable().getOperandNumber(),
           accessSlice(getType(), getStartMutable().getOperandNumber(),
                       getDim(), getStep())}};
}

//===----------------------------------------------------------------------===//
// td.concat
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  // C1
  if (getInputs().empty())
    return emitOpError("expected one input or more");
  auto first = cast<RankedTensorType>(getInputs().front().getType());
  int64_t dim = getDim();
  if (failed(verifyDimIndex(*this, dim, first)))
    return failure();
  SmallVector<Dims> sizes;
  for (Value input : getInputs()) {
    auto type = cast<RankedTensorType>(input.getType());
    // C2
    if (type.getRank() != first.getRank())
      return emitOpError("expected inputs of rank ")
             << first.getRank() << ", got " << type;
    if (failed(verifyDType(*this, "input", first, type)))
      return failure();
    // C3
    if (failed(verifyDims(*this, "input",
                          withDim(first, dim, type.getDimSize(dim)),
                          type.getShape())))
      return failure();
    sizes.push_back(getSymbolicSizes(type));
  }
  // C4
  SmallVector<DimsRef> shapes(sizes.begin(), sizes.end());
  if (failed(verifyShape(*this, "result", concatShape(shapes, dim), getType())))
    return failure();
  return verifyDType(*this, "result", first, getType());
}

Value ConcatOp::getBase() { return {}; }

/// Each input is shifted by the sizes of the inputs before it.
SmallVector<UpdatePart> ConcatOp::getParts() {
  unsigned rank = getType().getRank(), dim = getDim();
  SmallVector<UpdatePart> parts;
  SmallVector<AccessSymbol, 1> sizes;
  int64_t before = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    SmallVector<AffineExpr> coordinates;
    for (unsigned own = 0; own < rank; ++own)
      coordinates.push_back(getAffineDimExpr(own, getContext()));
    for (unsigned symbol = 0; symbol < sizes.size(); ++symbol)
      coordinates[dim] =
          coordinates[dim] + getAffineSymbolExpr(symbol, getContext());
    coordinates[dim] = coordinates[dim] + before;
    parts.push_back(
        {unsigned(i),
         {AffineMap::get(rank, sizes.size(), coordinates, getContext()),
          sizes}});
    auto type = cast<RankedTensorType>(input.getType());
    if (type.isDynamicDim(dim))
      sizes.push_back({AccessSymbol::Size, unsigned(i), dim});
    else
      before += type.getDimSize(dim);
  }
  return parts;
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 && getInputs().front().getType() == getType()
             ? getInputs().front()
             : Value();
}
