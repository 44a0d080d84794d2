//===- Affine.cpp - gradient rules of ops that read at sums of coordinates ===//
//
// The gradient of an element of an operand is the sum of what its readings
// contribute. Each coordinate of the element determines one dim of the result:
// it is the dim or, if the coordinate is a sum,
//
//   a = f * d + rest   =>   d = (a - rest) / f
//
// which exists if the division leaves no remainder and d is in range. So the
// cotangent is set into zeros, with f - 1 zeros between its elements and as
// many around them as (a - rest) needs. Then it is read, like the operand was,
// at sums of coordinates. The dims that no coordinate determines are summed
// over.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace tdc::td {

namespace {

/// The adjoint of reading an operand by a map: each element of the operand gets
/// the sum of the cotangents of its readings.
class ReadAdjoint {
public:
  /// For operand `index`, which `maps[index]` reads. `cotangent` has the first
  /// dims of the maps, up to its rank; `extents` has the sizes of all dims.
  ReadAdjoint(TensorBuilder b, Value operand, unsigned index,
              ArrayRef<AffineMap> maps, ValueRange offsets,
              ArrayRef<Value> extents, Value cotangent);

  /// The operand's gradient if it was not multiplied with another operand.
  Value sumWindow();
  /// The operand's gradient if it was multiplied with `factor`, which `by`
  /// reads.
  Value contractWith(Value factor, AffineMap by);

private:
  using Sum = SmallVector<int64_t>;

  AffineExpr dimOf(unsigned position) const {
    return getAffineDimExpr(position, context);
  }
  /// `other`, a map of the dims of `from`, as a map of the dims of the
  /// gradient: the dims of the operand, then those that are summed over.
  AffineMap translate(AffineMap other) const;
  /// The elements of `input` at `map`, a tensor with the dims of the operand,
  /// then those that are summed over.
  Value readBy(Value input, AffineMap map);
  void findOwners(ArrayRef<AffineMap> maps, unsigned index);
  void insertZeros(Value given);
  Value numberOf(int64_t number) { return b.constantInt(number); }
  Value add(Value sum, Value number);
  Value scale(Value number, int64_t factor);

  TensorBuilder b;
  MLIRContext *context;
  Value operand;
  AffineMap from;
  ArrayRef<Value> extents;
  unsigned rank; ///< of the cotangent
  /// Per dim of `from`: its expression in the dims of the gradient; null if a
  /// sum determines it.
  SmallVector<AffineExpr> known;
  /// Per dim of `from`: the coordinate that determines it, or -1.
  SmallVector<int> owner;
  /// The dims that are summed over; they follow those of the operand.
  SmallVector<unsigned> summed;
  /// The cotangent with zeros between and around its elements, and the map that
  /// reads it.
  Value cotangent;
  AffineMap map;
  SmallVector<Value> offsets;
};

} // namespace

static bool isSame(Value x, Value y) {
  std::optional<int64_t> known = getConstantIntValue(x);
  return x == y || (known && known == getConstantIntValue(y));
}

Value ReadAdjoint::add(Value sum, Value number) {
  std::optional<int64_t> x = getConstantIntValue(sum),
                         y = getConstantIntValue(number);
  if (x && y)
    return numberOf(*x + *y);
  if (x == 0)
    return number;
  return y == 0 ? sum : b.make<arith::AddIOp>(sum, number);
}

Value ReadAdjoint::scale(Value number, int64_t factor) {
  if (std::optional<int64_t> x = getConstantIntValue(number))
    return numberOf(*x * factor);
  return factor == 1 ? number : b.make<arith::MulIOp>(number, numberOf(factor));
}

/// Finds the coordinate that determines each dim; the other dims are summed
/// over.
void ReadAdjoint::findOwners(ArrayRef<AffineMap> maps, unsigned index) {
  owner.assign(from.getNumDims(), -1);
  known.assign(from.getNumDims(), AffineExpr());
  for (auto [i, coordinate] : llvm::enumerate(from.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(coordinate);
    unsigned own = dim ? dim.getPosition() : *findOwnDim(maps, index, i, rank);
    owner[own] = i;
    if (dim)
      known[own] = dimOf(i);
  }
  for (unsigned dim = 0; dim < from.getNumDims(); ++dim)
    if (owner[dim] < 0) {
      known[dim] = dimOf(from.getNumResults() + summed.size());
      summed.push_back(dim);
    }
}

ReadAdjoint::ReadAdjoint(TensorBuilder b, Value operand, unsigned index,
                         ArrayRef<AffineMap> maps, ValueRange offsets,
                         ArrayRef<Value> extents, Value given)
    : b(b), context(maps[index].getContext()), operand(operand),
      from(maps[index]), extents(extents), rank(tensorType(given).getRank()),
      offsets(offsets) {
  findOwners(maps, index);
  insertZeros(given);
}

void ReadAdjoint::insertZeros(Value given) {
  RankedTensorType type = tensorType(given);
  SmallVector<AffineExpr> positions;
  SmallVector<int64_t> shape(type.getShape()), steps(rank, 1);
  SmallVector<Value> lows(rank, numberOf(0)), sizes(extents.take_front(rank));
  for (unsigned dim = 0; dim < rank; ++dim) {
    if (known[dim]) {
      positions.push_back(known[dim]);
      continue;
    }
    // f * d = ±(a - rest), between `least` and `most`.
    unsigned coordinate = owner[dim];
    Sum sum = *getFactors(from, coordinate);
    int64_t sign = sum[dim] < 0 ? -1 : 1;
    AffineExpr position = dimOf(coordinate) * sign;
    Value least = numberOf(0), most = least;
    auto addRange = [&](int64_t factor, Value extent) {
      Value last = scale(add(extent, numberOf(-1)), factor);
      (factor < 0 ? least : most) = add(factor < 0 ? least : most, last);
    };
    addRange(sign, b.dim(operand, coordinate));
    for (unsigned i = 0; i < from.getNumDims(); ++i)
      if (i != dim && sum[i]) {
        position = position + known[i] * (-sign * sum[i]);
        addRange(-sign * sum[i], extents[i]);
      }
    // Offsets of the map; offsets that earlier dims have added follow them.
    for (unsigned i = 0; i < from.getNumSymbols(); ++i)
      if (int64_t factor = sum[from.getNumDims() + i]) {
        Value offset = offsets[i];
        position =
            position + getAffineSymbolExpr(i, context) * (-sign * factor);
        least = add(least, scale(offset, -sign * factor));
        most = add(most, scale(offset, -sign * factor));
      }
    position = position - sign * sum.back();
    least = add(least, numberOf(-sign * sum.back()));
    most = add(most, numberOf(-sign * sum.back()));

    steps[dim] = std::abs(sum[dim]);
    std::optional<int64_t> first = getConstantIntValue(least);
    if (first) {
      lows[dim] = numberOf(std::max<int64_t>(-*first, 0));
      position = position + std::max<int64_t>(-*first, 0);
    } else {
      lows[dim] = b.make<arith::MaxSIOp>(scale(least, -1), numberOf(0));
      position = position + getAffineSymbolExpr(offsets.size(), context);
      offsets.push_back(lows[dim]);
    }
    sizes[dim] = add(add(most, lows[dim]), numberOf(1));
    shape[dim] = getConstantIntValue(sizes[dim]).value_or(ShapedType::kDynamic);
    positions.push_back(position);
  }
  map = AffineMap::get(from.getNumResults() + summed.size(), offsets.size(),
                       positions, context);
  bool isWhole = llvm::equal(sizes, extents.take_front(rank), isSame) &&
                 llvm::all_of(steps, [](int64_t step) { return step == 1; });
  if (isWhole) {
    cotangent = given;
    return;
  }
  SmallVector<Value> unknown;
  for (auto [size, value] : llvm::zip(shape, sizes))
    if (ShapedType::isDynamic(size))
      unknown.push_back(value);
  Value zeros = b.full(0.0, withShape(type, shape), unknown);
  cotangent = b.make<InsetOp>(zeros.getType(), zeros, given, lows, steps);
}

AffineMap ReadAdjoint::translate(AffineMap other) const {
  return other.replaceDimsAndSymbols(
      known, {}, from.getNumResults() + summed.size(), offsets.size());
}

Value ReadAdjoint::readBy(Value input, AffineMap by) {
  SmallVector<int64_t> shape(tensorType(operand).getShape());
  SmallVector<Value> sizes = b.sizesOf(operand);
  for (unsigned dim : summed) {
    shape.push_back(
        getConstantIntValue(extents[dim]).value_or(ShapedType::kDynamic));
    if (ShapedType::isDynamic(shape.back()))
      sizes.push_back(extents[dim]);
  }
  return b.make<WindowOp>(withShape(tensorType(input), shape), input, offsets,
                          by, sizes);
}

Value ReadAdjoint::sumWindow() {
  Value window = readBy(cotangent, map);
  if (summed.empty())
    return window;
  return b.reduce(ReduceKind::Sum, window,
                  llvm::to_vector(llvm::seq<int64_t>(
                      tensorType(operand).getRank(),
                      tensorType(operand).getRank() + summed.size())));
}

Value ReadAdjoint::contractWith(Value factor, AffineMap other) {
  AffineMap by = translate(other);
  if (summed.empty())
    return b.mul(readBy(cotangent, map), readBy(factor, by));
  return b.make<ContractOp>(operand.getType(), cotangent, factor, offsets, map,
                            by, b.sizesOf(operand));
}

SmallVector<Value> WindowOp::buildVJP(OpBuilder &builder,
                                      ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  SmallVector<Value> extents, gradients(getNumOperands());
  for (unsigned dim = 0; dim < getType().getRank(); ++dim)
    extents.push_back(b.dim(getResult(), dim));
  gradients[0] = ReadAdjoint(b, getInput(), 0, getMap(), getOffsets(), extents,
                             cotangents[0])
                     .sumWindow();
  return gradients;
}

SmallVector<Value> InsetOp::buildVJP(OpBuilder &builder,
                                     ArrayRef<Value> cotangents) {
  // The replaced elements get nothing, the update gets everything.
  TensorBuilder b(builder, getLoc());
  SmallVector<Value> gradients(getNumOperands());
  gradients[0] = b.make<InsetOp>(getType(), cotangents[0], b.zeros(getUpdate()),
                                 getLow(), getStep());
  SmallVector<AffineExpr> positions;
  SmallVector<Value> offsets;
  for (auto [dim, step] : llvm::enumerate(getStep())) {
    AffineExpr position = getAffineDimExpr(dim, getContext()) * step;
    Value low = getLow()[dim];
    std::optional<int64_t> known = getConstantIntValue(low);
    // A coordinate that is a dim alone must have the size of the operand's dim;
    // otherwise an offset of 0 stays a symbol.
    int64_t size = getType().getDimSize(dim);
    bool isWhole = !ShapedType::isDynamic(size) &&
                   size == getUpdate().getType().getDimSize(dim);
    if (known && (*known != 0 || step != 1 || isWhole)) {
      position = position + *known;
    } else {
      position = position + getAffineSymbolExpr(offsets.size(), getContext());
      offsets.push_back(low);
    }
    positions.push_back(position);
  }
  AffineMap map =
      AffineMap::get(positions.size(), offsets.size(), positions, getContext());
  gradients[1] = b.make<WindowOp>(getUpdate().getType(), cotangents[0], offsets,
                                  map, b.sizesOf(getUpdate()));
  return gradients;
}

SmallVector<Value> ContractOp::buildVJP(OpBuilder &builder,
                                        ArrayRef<Value> cotangents) {
  TensorBuilder b(builder, getLoc());
  SmallVector<Value> extents, gradients(getNumOperands());
  for (unsigned dim = 0; dim < getType().getRank(); ++dim)
    extents.push_back(b.dim(getResult(), dim));
  for (OperandDim dim : getReducedDims())
    extents.push_back(b.dim(getOperand(dim.operand), dim.dim));
  AffineMap maps[] = {getLhsMap(), getRhsMap()};
  for (unsigned index : {0, 1})
    gradients[index] =
        ReadAdjoint(b, getOperand(index), index, maps, getOffsets(), extents,
                    cotangents[0])
            .contractWith(getOperand(1 - index), maps[1 - index]);
  return gradients;
}

} // namespace tdc::td
