//===- TDAffineOps.cpp - elements at sums of coordinates ------------------===//

#include "OpHelpers.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tdc;
using namespace tdc::td;

//===----------------------------------------------------------------------===//
// Rules of maps
//===----------------------------------------------------------------------===//

/// How an operand is read.
namespace {
struct Reading {
  StringRef what; ///< its map: "the map"
  ArrayRef<AffineMap> maps;
  unsigned index; ///< of its map among them
  RankedTensorType operand;
  ArrayRef<int64_t> extents; ///< of the dims of the map, or kDynamic
  unsigned rank;             ///< dims of the result
};
} // namespace

template <typename Affine> static std::string spell(Affine affine) {
  std::string text;
  llvm::raw_string_ostream(text) << affine;
  return text;
}

/// Whether the coordinate leaves the range of a dim of this size; false if that
/// depends on a run-time number.
static bool leavesRange(ArrayRef<int64_t> factors, ArrayRef<int64_t> extents,
                        int64_t size) {
  int64_t least = factors.back(), most = least;
  for (auto [factor, extent] : llvm::zip(factors, extents)) {
    if (factor == 0)
      continue;
    if (ShapedType::isDynamic(extent))
      return false;
    (factor < 0 ? least : most) += factor * (extent - 1);
  }
  bool hasOffset = llvm::any_of(factors.drop_front(extents.size()).drop_back(),
                                [](int64_t factor) { return factor != 0; });
  return !hasOffset &&
         (least < 0 || (!ShapedType::isDynamic(size) && most >= size));
}

static LogicalResult verifyReading(Operation *op, const Reading &reading) {
  AffineMap map = reading.maps[reading.index];
  ArrayRef<int64_t> shape = reading.operand.getShape();
  bool isEmpty = llvm::is_contained(reading.extents, 0);
  llvm::SmallBitVector alone(map.getNumDims());
  for (auto [i, coordinate] : llvm::enumerate(map.getResults())) {
    std::optional<SmallVector<int64_t>> factors = getFactors(map, i);
    if (!factors)
      return op->emitOpError("expected sums of multiples in ")
             << reading.what << ", got " << spell(coordinate);
    if (auto dim = dyn_cast<AffineDimExpr>(coordinate)) {
      unsigned position = dim.getPosition();
      if (!dimsAgree(reading.extents[position], shape[i]))
        return op->emitOpError("expected the size of ")
               << spell(coordinate) << " in dim " << i << " of "
               << reading.operand << ", of which it is the coordinate, got "
               << spellDims(reading.extents[position]);
      if (alone[position])
        return op->emitOpError("expected ")
               << spell(coordinate) << " to be one coordinate of "
               << reading.what;
      alone.set(position);
      continue;
    }
    if (!findOwnDim(reading.maps, reading.index, i, reading.rank))
      return op->emitOpError("expected a dim of the result in ")
             << spell(coordinate) << " of " << reading.what
             << " that no other coordinate has";
    if (!isEmpty && leavesRange(*factors, reading.extents, shape[i]))
      return op->emitOpError("reads out of range in dim ")
             << i << " of " << reading.operand << ", at " << spell(coordinate);
  }
  return success();
}

/// The access of an operand by `map`, which has the symbols `offsets`. Constant
/// offsets become numbers of the map, except a 0 that would leave a dim alone:
/// a dim alone means that the dim is read in full.
static AccessMap accessBy(AffineMap map, OperandRange offsets) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> numbers;
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    std::optional<int64_t> known = getConstantIntValue(offset);
    numbers.push_back(known ? getAffineConstantExpr(*known, context)
                            : getAffineSymbolExpr(i, context));
  }
  llvm::SmallBitVector isKept(offsets.size());
  for (AffineExpr coordinate : map.getResults()) {
    bool isAlone =
        isa<AffineDimExpr>(coordinate.replaceDimsAndSymbols({}, numbers));
    for (unsigned i = 0; i < offsets.size(); ++i)
      isKept[i] = isKept[i] || !isa<AffineConstantExpr>(numbers[i]) ||
                  (isAlone && coordinate.isFunctionOfSymbol(i));
  }
  AccessMap access;
  for (unsigned i : isKept.set_bits()) {
    numbers[i] = getAffineSymbolExpr(access.symbols.size(), context);
    access.symbols.push_back(
        {AccessSymbol::Scalar, offsets.getBeginOperandIndex() + i});
  }
  access.map = map.replaceDimsAndSymbols({}, numbers, map.getNumDims(),
                                         access.symbols.size());
  return access;
}

//===----------------------------------------------------------------------===//
// td.window
//===----------------------------------------------------------------------===//

LogicalResult WindowOp::verify() {
  RankedTensorType from = getInput().getType(), to = getType();
  AffineMap map = getMap();
  // C1
  if (map.getNumDims() != to.getRank() ||
      map.getNumResults() != from.getRank() ||
      map.getNumSymbols() != getOffsets().size())
    return emitOpError("expected a map from ")
           << to.getRank() << " dims and " << getOffsets().size()
           << " symbols to " << from.getRank() << " coordinates, got "
           << spell(map);
  // C2, C3
  if (failed(verifyReading(*this, {"the map", map, 0, from, to.getShape(),
                                   unsigned(to.getRank())})))
    return failure();
  // C4
  if (failed(verifySizes(*this, to, getSizes())))
    return failure();
  // C5
  return verifyDType(*this, "result", from, to);
}

AccessMap WindowOp::getAccess(unsigned) {
  return accessBy(getMap(), getOffsets());
}

OpFoldResult WindowOp::fold(FoldAdaptor) {
  return getMap().isIdentity() && getInput().getType() == getType() ? getInput()
                                                                    : Value();
}

/// Whether no element of the operand is read twice: each dim of the result is
/// in a coordinate of its own.
static bool readsOnce(AffineMap map) {
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr coordinate : map.getResults()) {
    unsigned dims = 0;
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
      if (coordinate.isFunctionOfDim(dim)) {
        seen.set(dim);
        ++dims;
      }
    if (dims != 1)
      return false;
  }
  return seen.all();
}

/// A part of a contraction is a contraction: the border of a gradient is cut
/// off before it is computed.
LogicalResult WindowOp::canonicalize(WindowOp op, PatternRewriter &rewriter) {
  auto contract = op.getInput().getDefiningOp<ContractOp>();
  if (!contract || !contract->hasOneUse() || !readsOnce(op.getMap()))
    return rewriter.notifyMatchFailure(op, "not a part of one contraction");
  MLIRContext *context = op.getContext();
  AffineMap map = op.getMap(), lhs = contract.getLhsMap();
  unsigned own = contract.getOffsets().size(), rank = map.getNumDims();
  unsigned more = lhs.getNumDims() - map.getNumResults();
  // The offsets of the contraction come first.
  SmallVector<AffineExpr> dims, symbols;
  for (unsigned i = 0; i < map.getNumSymbols(); ++i)
    symbols.push_back(getAffineSymbolExpr(own + i, context));
  for (AffineExpr coordinate : map.getResults())
    dims.push_back(coordinate.replaceDimsAndSymbols({}, symbols));
  for (unsigned i = 0; i < more; ++i)
    dims.push_back(getAffineDimExpr(rank + i, context));
  auto compose = [&](AffineMap inner) {
    return inner.replaceDimsAndSymbols(dims, {}, rank + more,
                                       own + map.getNumSymbols());
  };
  // Each coordinate that is no dim alone must still have a dim of its own.
  AffineMap maps[] = {compose(lhs), compose(contract.getRhsMap())};
  for (unsigned index : {0, 1}) {
    maps[index] = simplifyAffineMap(maps[index]);
    auto type = cast<RankedTensorType>(contract.getOperand(index).getType());
    for (auto [i, coordinate] : llvm::enumerate(maps[index].getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(coordinate);
      bool isCut =
          dim && dim.getPosition() < rank &&
          op.getType().getDimSize(dim.getPosition()) != type.getDimSize(i);
      if (isCut || (!dim && !findOwnDim(maps, index, i, rank)))
        return rewriter.notifyMatchFailure(op, "cuts off what both have");
    }
  }
  SmallVector<Value> offsets(contract.getOffsets());
  llvm::append_range(offsets, op.getOffsets());
  rewriter.replaceOpWithNewOp<ContractOp>(op, op.getType(), contract.getLhs(),
                                          contract.getRhs(), offsets, maps[0],
                                          maps[1], op.getSizes());
  return success();
}

//===----------------------------------------------------------------------===//
// td.inset
//===----------------------------------------------------------------------===//

LogicalResult InsetOp::verify() {
  RankedTensorType whole = getType(), update = getUpdate().getType();
  unsigned rank = whole.getRank();
  // C1
  if (getLow().size() != rank || getStep().size() != rank ||
      llvm::any_of(getStep(), [](int64_t step) { return step < 1; }))
    return emitOpError("expected a low and a step >= 1 for each of ")
           << rank << " dims";
  // C2
  if (update.getRank() != rank)
    return emitOpError("expected an update of rank ")
           << rank << ", got " << update;
  if (failed(verifyDType(*this, "update", whole, update)))
    return failure();
  // C3
  if (llvm::is_contained(update.getShape(), 0))
    return success();
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t own = update.getDimSize(dim), size = whole.getDimSize(dim);
    std::optional<int64_t> low = getConstantIntValue(getLow()[dim]);
    if (!low)
      continue;
    int64_t most = *low + (own - 1) * getStep()[dim];
    if (*low < 0 || (!ShapedType::isDynamic(own) &&
                     !ShapedType::isDynamic(size) && most >= size))
      return emitOpError("writes out of range in dim ")
             << dim << ": from " << *low << " on, each " << getStep()[dim]
             << ", " << spellDims(own) << " in " << spellDims(size);
  }
  return success();
}

SmallVector<UpdatePart> InsetOp::getParts() {
  unsigned rank = getType().getRank();
  SmallVector<AffineExpr> position;
  for (unsigned dim = 0; dim < rank; ++dim)
    position.push_back(getAffineDimExpr(dim, getContext()) * getStep()[dim] +
                       getAffineSymbolExpr(dim, getContext()));
  AffineMap map = AffineMap::get(rank, rank, position, getContext());
  return {{getUpdateMutable().getOperandNumber(), accessBy(map, getLow())}};
}

//===----------------------------------------------------------------------===//
// td.contract
//===----------------------------------------------------------------------===//

/// The operand dims that have dim `dim` of the maps as their coordinate.
static SmallVector<OperandDim> findOperandDims(ContractOp op, unsigned dim) {
  SmallVector<OperandDim> found;
  AffineMap maps[] = {op.getLhsMap(), op.getRhsMap()};
  for (unsigned operand : {0, 1})
    for (auto [i, coordinate] : llvm::enumerate(maps[operand].getResults()))
      if (coordinate == getAffineDimExpr(dim, op.getContext()))
        found.push_back({operand, unsigned(i)});
  return found;
}

LogicalResult ContractOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(),
                   to = getType();
  AffineMap lhsMap = getLhsMap(), rhsMap = getRhsMap();
  unsigned rank = to.getRank(), dims = lhsMap.getNumDims();
  // C1
  if (dims < rank || rhsMap.getNumDims() != dims ||
      lhsMap.getNumSymbols() != getOffsets().size() ||
      rhsMap.getNumSymbols() != getOffsets().size() ||
      lhsMap.getNumResults() != lhs.getRank() ||
      rhsMap.getNumResults() != rhs.getRank())
    return emitOpError("expected maps from the ")
           << rank << " dims of the result and those that are summed over to "
           << lhs.getRank() << " and " << rhs.getRank() << " coordinates, got "
           << spell(lhsMap) << " and " << spell(rhsMap);
  // C3
  SmallVector<int64_t> extents(to.getShape());
  for (unsigned dim = rank; dim < dims; ++dim) {
    SmallVector<OperandDim> found = findOperandDims(*this, dim);
    if (found.empty())
      return emitOpError("expected a dim of an operand that is summed over ")
             << spell(getAffineDimExpr(dim, getContext())) << " alone";
    extents.push_back(
        cast<RankedTensorType>(getOperand(found.front().operand).getType())
            .getDimSize(found.front().dim));
  }
  if (dims == rank)
    return emitOpError("expected a dim to sum over");
  // C2, C4
  AffineMap maps[] = {lhsMap, rhsMap};
  if (failed(verifyReading(*this, {"lhs_map", maps, 0, lhs, extents, rank})) ||
      failed(verifyReading(*this, {"rhs_map", maps, 1, rhs, extents, rank})))
    return failure();
  // C5
  if (failed(verifySizes(*this, to, getSizes())))
    return failure();
  // C6
  if (failed(verifyDType(*this, "rhs", lhs, rhs)))
    return failure();
  return verifyDType(*this, "result", lhs, to);
}

AccessMap ContractOp::getAccess(unsigned operand) {
  return accessBy(operand == 0 ? getLhsMap() : getRhsMap(), getOffsets());
}

SmallVector<OperandDim, 2> ContractOp::getReducedDims() {
  SmallVector<OperandDim, 2> reduced;
  for (unsigned dim = getType().getRank(); dim < getLhsMap().getNumDims();
       ++dim)
    reduced.push_back(findOperandDims(*this, dim).front());
  return reduced;
}

ReduceKind ContractOp::getCombination() { return ReduceKind::Sum; }
