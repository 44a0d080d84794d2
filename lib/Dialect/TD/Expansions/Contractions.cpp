//===- Contractions.cpp - contractions without the zeros of a step --------===//
//
// A transposed convolution, and the gradient of a convolution with a stride s,
// read a tensor z that has s - 1 zeros between the elements of another one:
//
//   z[s * d + low] = y[d], elsewhere 0
//
// z is read at p = a + f * k + c, with one of a and k a dim of the result and
// the other one summed over: one term in s is no product with zero.
// Contractions that read y take its place:
//
// An image: the sum is over k. The results at a = s * a' + phase have the same
// terms for all a', so each phase is a contraction of y with every few elements
// of the other operand. Consecutive phases that read the same elements of y are
// one contraction. The results are interleaved ("Is the deconvolution layer the
// same as a convolutional layer?", Shi et al., 2016).
//
// A gradient of weights: the sum is over a. It is over d instead, and the other
// operand is read at a = s * d + low - f * k - c.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/TD.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace tdc::td {

/// The most groups of phases of all dims together: each is a kernel. The most
/// phases of a dim, each of which is looked at.
static constexpr int64_t kMostGroups = 16, kMostPhases = 1024;

/// The fewest products with zeros, in the sum of a result, that make up for the
/// time of interleaving: 60 products did, 28 did not (measured on a Xeon with
/// AVX-512; a GPU, too, interleaves at the speed of memory).
static constexpr uint64_t kFewestZeros = 48;

namespace {

/// A dim of the maps, its size, and its factor where z is read.
struct ReadDim {
  unsigned index;
  int64_t size, factor;
};

/// A dim of z with a step s > 1, read at
/// result.factor * result + summed.factor * summed + constant.
struct SteppedDim {
  unsigned index;
  int64_t step, low;
  int64_t size; ///< of y
  ReadDim result, summed;
  int64_t constant;
  /// The dim of the other operand that has `summed` as its coordinate.
  unsigned other;

  bool isOfImage() const {
    return result.factor == 1 && result.size >= summed.size;
  }
  bool isOfWeights() const {
    return summed.factor == 1 && summed.size > result.size;
  }
};

/// Consecutive phases along one dim. Number j of them has the terms
/// k = first + j + stride * k', which read y at a' + factor * k' + start.
struct PhaseGroup {
  int64_t phases = 1;
  int64_t first = 0, stride = 1;
  int64_t count = 0; ///< of k'; 0: the results are 0
  int64_t factor = 0, start = 0;

  /// Whether `next` is the group of the phase after these.
  bool isContinuedBy(const PhaseGroup &next) const {
    return count == next.count &&
           (count == 0 || (next.first == first + phases &&
                           next.factor == factor && next.start == start));
  }
};

/// The phases along one dim.
struct PhasedDim {
  SteppedDim dim;
  SmallVector<PhaseGroup, 4> groups;
  int64_t size = 0;      ///< of a'
  int64_t before = 0;    ///< zeros before y
  int64_t padded = 0;    ///< size of y with zeros around it
  int64_t withTerms = 0; ///< phases with terms

  explicit PhasedDim(const SteppedDim &dim);
  /// Sets the sizes. `isApart`: only one phase of each dim has terms, and the
  /// results of the others are zeros.
  void setSize(bool isApart);
};

/// A group of each dim.
using PhaseGroups = SmallVector<PhaseGroup, 3>;

/// A contraction with an operand z that has zeros between its elements.
class SpreadContraction {
public:
  SpreadContraction(ContractOp op, unsigned operand)
      : op(op), operand(operand), builder(op), loc(op.getLoc()),
        maps{op.getLhsMap(), op.getRhsMap()},
        other(op->getOperand(1 - operand)),
        otherType(cast<RankedTensorType>(other.getType())) {}

  /// Returns what replaces the contraction; null if nothing does.
  Value expand();

private:
  bool findSteps();
  std::optional<SteppedDim> findStep(unsigned index);
  bool hasManyZeros();
  Value sumOverElements();
  Value computePhases();
  /// The type of the results of a group: the phases of each dim come first.
  RankedTensorType getType(ArrayRef<PhasedDim> dims,
                           ArrayRef<PhaseGroup> groups);
  Value computeGroup(ArrayRef<PhasedDim> dims, ArrayRef<PhaseGroup> groups,
                     Value y);
  Value computeGroups(ArrayRef<PhasedDim> dims, PhaseGroups &chosen, Value y);
  Value interleave(ArrayRef<PhasedDim> dims, Value results);
  Value setApart(ArrayRef<PhasedDim> dims, Value y);
  /// y with zeros around it: along stepped dim i, `before[i]` zeros and
  /// `sizes[i]` elements in all.
  Value padElements(ArrayRef<int64_t> before, ArrayRef<int64_t> sizes);
  /// `zeros` with `part` at `low`.
  Value setInto(Value zeros, Value part, ValueRange low);
  /// Contracts `own`, in the place of z, with `others`; the maps have `added`
  /// dims before those of the contraction.
  Value contract(RankedTensorType type, Value own, Value others,
                 ArrayRef<AffineExpr> ownMap, ArrayRef<AffineExpr> othersMap,
                 unsigned added = 0);

  AffineExpr dimOf(unsigned dim) {
    return getAffineDimExpr(dim, builder.getContext());
  }
  Value constant(int64_t number) {
    return arith::ConstantIntOp::create(builder, loc, number, 64);
  }
  Value fill(RankedTensorType type, ValueRange sizes) {
    return FillOp::create(builder, loc, type, zeros.getValue(), sizes);
  }

  ContractOp op;
  unsigned operand; ///< number of z
  OpBuilder builder;
  Location loc;
  AffineMap maps[2];
  Value other; ///< the operand that is not z
  RankedTensorType otherType;
  InsetOp inset; ///< z
  FillOp zeros;
  SmallVector<SteppedDim, 3> steps;
};

} // namespace

static RankedTensorType withDim(RankedTensorType type, unsigned dim,
                                int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

//===----------------------------------------------------------------------===//
// Where z is read
//===----------------------------------------------------------------------===//

/// Dim `index` of z, if its step can be removed.
std::optional<SteppedDim> SpreadContraction::findStep(unsigned index) {
  RankedTensorType type = op.getType(), from = inset.getUpdate().getType();
  SmallVector<int64_t> factors = *getFactors(maps[operand], index);
  std::optional<int64_t> low = getConstantIntValue(inset.getLow()[index]);
  std::optional<unsigned> result =
      findOwnDim(maps, operand, index, type.getRank());
  if (!low || !result)
    return std::nullopt;
  ArrayRef<AffineExpr> others = maps[1 - operand].getResults();
  std::optional<unsigned> summed;
  for (unsigned i = 0; i + 1 < factors.size(); ++i) {
    if (factors[i] == 0 || i == *result)
      continue;
    // One dim more, which only one other coordinate has.
    bool isSummed = i >= type.getRank() && i < maps[operand].getNumDims();
    if (summed || !isSummed || countReadings(maps, i) != 2)
      return std::nullopt;
    summed = i;
  }
  const AffineExpr *found =
      summed ? llvm::find(others, dimOf(*summed)) : others.end();
  if (found == others.end())
    return std::nullopt;
  unsigned dim = found - others.begin();
  SteppedDim step{index,
                  inset.getStep()[index],
                  *low,
                  from.getDimSize(index),
                  {*result, type.getDimSize(*result), factors[*result]},
                  {*summed, otherType.getDimSize(dim), factors[*summed]},
                  factors.back(),
                  dim};
  auto isKnown = [](int64_t size) {
    return !ShapedType::isDynamic(size) && size > 0;
  };
  if (!isKnown(step.size) || !isKnown(step.result.size) ||
      !isKnown(step.summed.size))
    return std::nullopt;
  return step;
}

bool SpreadContraction::findSteps() {
  inset = op->getOperand(operand).getDefiningOp<InsetOp>();
  zeros = inset ? inset.getInput().getDefiningOp<FillOp>() : FillOp();
  if (!zeros || !matchPattern(zeros.getValue(), m_AnyZeroFloat()))
    return false;
  for (auto [index, step] : llvm::enumerate(inset.getStep())) {
    if (step == 1)
      continue;
    std::optional<SteppedDim> found = findStep(index);
    if (!found)
      return false;
    steps.push_back(*found);
  }
  return !steps.empty();
}

Value SpreadContraction::padElements(ArrayRef<int64_t> before,
                                     ArrayRef<int64_t> sizes) {
  Value y = inset.getUpdate();
  SmallVector<Value> low(inset.getLow());
  RankedTensorType type = inset.getType();
  for (auto [dim, first, size] : llvm::zip_equal(steps, before, sizes)) {
    low[dim.index] = constant(first);
    type = withDim(type, dim.index, size);
  }
  Value around = fill(type, zeros.getSizes());
  if (llvm::all_of(llvm::seq<unsigned>(0, type.getRank()), [&](unsigned dim) {
        return haveEqualSize({around, dim}, {y, dim});
      }))
    return y;
  return setInto(around, y, low);
}

Value SpreadContraction::setInto(Value zeros, Value part, ValueRange low) {
  auto type = cast<RankedTensorType>(zeros.getType());
  SmallVector<int64_t> ones(type.getRank(), 1);
  return InsetOp::create(builder, loc, type, zeros, part, low, ones);
}

Value SpreadContraction::contract(RankedTensorType type, Value own,
                                  Value others, ArrayRef<AffineExpr> ownMap,
                                  ArrayRef<AffineExpr> othersMap,
                                  unsigned added) {
  auto toMap = [&](ArrayRef<AffineExpr> coordinates) {
    return AffineMap::get(maps[0].getNumDims() + added, maps[0].getNumSymbols(),
                          coordinates, op.getContext());
  };
  Value operands[] = {own, others};
  AffineMap both[] = {toMap(ownMap), toMap(othersMap)};
  return ContractOp::create(builder, loc, type, operands[operand],
                            operands[1 - operand], op.getOffsets(),
                            both[operand], both[1 - operand], op.getSizes());
}

//===----------------------------------------------------------------------===//
// Gradients of weights
//===----------------------------------------------------------------------===//

Value SpreadContraction::sumOverElements() {
  SmallVector<AffineExpr> own(maps[operand].getResults()),
      others(maps[1 - operand].getResults());
  SmallVector<Value> low(otherType.getRank(), constant(0));
  RankedTensorType type = otherType;
  SmallVector<int64_t> before, sizes;
  for (const SteppedDim &dim : steps) {
    // The first and the last position of the other operand that is read.
    int64_t first = dim.low - dim.constant,
            last = first + dim.step * (dim.size - 1);
    int64_t far = dim.result.factor * (dim.result.size - 1);
    (far > 0 ? first : last) -= far;
    int64_t added = std::max<int64_t>(-first, 0);
    low[dim.other] = constant(added);
    type =
        withDim(type, dim.other, added + std::max(dim.summed.size, last + 1));
    own[dim.index] = dimOf(dim.summed.index);
    others[dim.other] = dimOf(dim.summed.index) * dim.step -
                        dimOf(dim.result.index) * dim.result.factor +
                        (dim.low - dim.constant + added);
    before.push_back(0);
    sizes.push_back(dim.size);
  }
  Value padded = other;
  if (type != otherType)
    padded =
        setInto(fill(type, getRunTimeSizes(builder, loc, other)), other, low);
  return contract(op.getType(), padElements(before, sizes), padded, own,
                  others);
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

PhasedDim::PhasedDim(const SteppedDim &dim) : dim(dim) {
  // s * d = a + factor * k + offset
  int64_t s = dim.step, factor = dim.summed.factor,
          offset = dim.constant - dim.low;
  for (int64_t phase = 0; phase < s; ++phase) {
    PhaseGroup own;
    auto isElement = [&](int64_t k) {
      return llvm::mod(phase + factor * k + offset, s) == 0;
    };
    while (own.first < dim.summed.size && !isElement(own.first))
      ++own.first;
    if (own.first < dim.summed.size && phase < dim.result.size) {
      own.stride = s / std::gcd(std::abs(factor), s);
      own.count = llvm::divideCeil(dim.summed.size - own.first, own.stride);
      own.factor = factor * own.stride / s;
      own.start = (phase + factor * own.first + offset) / s;
      ++withTerms;
    }
    if (!groups.empty() && groups.back().isContinuedBy(own))
      ++groups.back().phases;
    else
      groups.push_back(own);
  }
}

void PhasedDim::setSize(bool isApart) {
  int64_t phase = 0;
  for (const PhaseGroup &group : groups) {
    if (group.count || !isApart)
      size = std::max<int64_t>(
          size, llvm::divideCeil(dim.result.size - phase, dim.step));
    phase += group.phases;
  }
  int64_t first = 0, last = dim.size - 1; // elements of y that are read
  for (const PhaseGroup &group : groups) {
    if (group.count == 0)
      continue;
    int64_t far = group.factor * (group.count - 1);
    first = std::min(first, group.start + std::min<int64_t>(far, 0));
    last = std::max(last, group.start + std::max<int64_t>(far, 0) + size - 1);
  }
  before = -first;
  padded = last - first + 1;
}

RankedTensorType SpreadContraction::getType(ArrayRef<PhasedDim> dims,
                                            ArrayRef<PhaseGroup> groups) {
  RankedTensorType type = op.getType();
  SmallVector<int64_t> shape;
  for (const PhaseGroup &group : groups)
    shape.push_back(group.phases);
  for (const PhasedDim &phased : dims)
    type = withDim(type, phased.dim.result.index, phased.size);
  llvm::append_range(shape, type.getShape());
  return type.clone(shape);
}

/// The results of a group of phases along each dim; `y` has zeros around it.
Value SpreadContraction::computeGroup(ArrayRef<PhasedDim> dims,
                                      ArrayRef<PhaseGroup> groups, Value y) {
  unsigned added = dims.size();
  auto shift = [&](ArrayRef<AffineExpr> coordinates) {
    SmallVector<AffineExpr> shifted;
    for (AffineExpr coordinate : coordinates)
      shifted.push_back(
          coordinate.shiftDims(maps[0].getNumDims(), added, /*offset=*/0));
    return shifted;
  };
  SmallVector<AffineExpr> own = shift(maps[operand].getResults()), others;
  // The elements of the other operand: (phases…, its dims).
  SmallVector<AffineExpr> read;
  for (unsigned dim = 0; dim < otherType.getRank(); ++dim)
    read.push_back(dimOf(added + dim));
  SmallVector<int64_t> shape;
  RankedTensorType partType = otherType;
  for (auto [i, phased, of] : llvm::enumerate(dims, groups)) {
    const SteppedDim &dim = phased.dim;
    own[dim.index] = dimOf(added + dim.result.index) +
                     dimOf(added + dim.summed.index) * of.factor +
                     (of.start + phased.before);
    read[dim.other] =
        dimOf(added + dim.other) * of.stride + dimOf(i) + of.first;
    partType = withDim(partType, dim.other, of.count);
    shape.push_back(of.phases);
    others.push_back(dimOf(i));
  }
  llvm::append_range(shape, partType.getShape());
  llvm::append_range(others, shift(maps[1 - operand].getResults()));
  Value part = WindowOp::create(
      builder, loc, otherType.clone(shape), other, ValueRange(),
      AffineMap::get(shape.size(), /*symbolCount=*/0, read, op.getContext()),
      getRunTimeSizes(builder, loc, other));
  return contract(getType(dims, groups), y, part, own, others, added);
}

/// The results of all groups that begin with those of `chosen`, one after the
/// other along the dim of the phases.
Value SpreadContraction::computeGroups(ArrayRef<PhasedDim> dims,
                                       PhaseGroups &chosen, Value y) {
  unsigned dim = chosen.size();
  if (dim == dims.size()) {
    if (llvm::all_of(chosen, [](const PhaseGroup &of) { return of.count; }))
      return computeGroup(dims, chosen, y);
    return fill(getType(dims, chosen), op.getSizes());
  }
  SmallVector<Value> parts;
  int64_t phases = 0;
  for (const PhaseGroup &group : dims[dim].groups) {
    chosen.push_back(group);
    parts.push_back(computeGroups(dims, chosen, y));
    chosen.pop_back();
    phases += group.phases;
  }
  if (parts.size() == 1)
    return parts.front();
  auto type = cast<RankedTensorType>(parts.front().getType());
  return ConcatOp::create(builder, loc, withDim(type, dim, phases), parts, dim);
}

/// The whole result, of `results` with the phases of each dim first.
Value SpreadContraction::interleave(ArrayRef<PhasedDim> dims, Value results) {
  ValueRange sizes = op.getSizes();
  auto type = cast<RankedTensorType>(results.getType());
  // Each dim of phases after its dim of the result.
  SmallVector<int64_t> order, inOrder, merged;
  for (int64_t dim = 0; dim < op.getType().getRank(); ++dim) {
    order.push_back(dims.size() + dim);
    merged.push_back(type.getDimSize(order.back()));
    for (auto [i, phased] : llvm::enumerate(dims))
      if (phased.dim.result.index == dim) {
        order.push_back(i);
        merged[dim] *= phased.dim.step;
      }
  }
  for (int64_t dim : order)
    inOrder.push_back(type.getDimSize(dim));
  Value result =
      PermuteOp::create(builder, loc, type.clone(inOrder), results, order);
  result = ReshapeOp::create(builder, loc, type.clone(merged), result, sizes);
  // A result whose size is no multiple of the step has fewer elements of the
  // last phases.
  for (const PhasedDim &phased : dims) {
    unsigned dim = phased.dim.result.index;
    int64_t size = op.getType().getDimSize(dim);
    if (merged[dim] == size)
      continue;
    merged[dim] = size;
    result = SliceOp::create(builder, loc, type.clone(merged), result,
                             constant(0), dim, 1, sizes);
  }
  return result;
}

/// The whole result, if only one phase of each dim has terms.
Value SpreadContraction::setApart(ArrayRef<PhasedDim> dims, Value y) {
  RankedTensorType type = op.getType();
  PhaseGroups chosen;
  SmallVector<Value> low(type.getRank(), constant(0));
  SmallVector<int64_t> apart(type.getRank(), 1);
  for (const PhasedDim &phased : dims) {
    int64_t phase = 0;
    for (const PhaseGroup &group : phased.groups) {
      if (group.count) {
        chosen.push_back(group);
        low[phased.dim.result.index] = constant(phase);
      }
      phase += group.phases;
    }
    apart[phased.dim.result.index] = phased.dim.step;
  }
  Value result = computeGroup(dims, chosen, y);
  auto own = cast<RankedTensorType>(result.getType());
  result = ReshapeOp::create(builder, loc,
                             own.clone(own.getShape().drop_front(dims.size())),
                             result, op.getSizes());
  return InsetOp::create(builder, loc, type, fill(type, op.getSizes()), result,
                         low, apart);
}

/// Whether the sum of a result has at least kFewestZeros products with zeros.
bool SpreadContraction::hasManyZeros() {
  uint64_t terms = estimateTerms(op), step = 1;
  for (const SteppedDim &dim : steps)
    step = llvm::SaturatingMultiply(step, uint64_t(dim.step));
  return terms - terms / step >= kFewestZeros;
}

Value SpreadContraction::computePhases() {
  SmallVector<PhasedDim, 3> dims;
  SmallVector<int64_t> before, sizes;
  int64_t groups = 1, phasesWithTerms = 1;
  for (const SteppedDim &step : steps) {
    if (step.step > kMostPhases)
      return {};
    const PhasedDim &phased = dims.emplace_back(step);
    phasesWithTerms *= phased.withTerms;
    if (int64_t(phased.groups.size()) > kMostGroups / groups)
      return {};
    groups *= phased.groups.size();
  }
  if (phasesWithTerms == 0)
    return {};
  for (PhasedDim &phased : dims) {
    phased.setSize(/*isApart=*/phasesWithTerms == 1);
    before.push_back(phased.before);
    sizes.push_back(phased.padded);
  }
  Value y = padElements(before, sizes);
  if (phasesWithTerms == 1)
    return setApart(dims, y);
  PhaseGroups chosen;
  return interleave(dims, computeGroups(dims, chosen, y));
}

Value SpreadContraction::expand() {
  if (!findSteps())
    return {};
  if (llvm::all_of(steps,
                   [](const SteppedDim &dim) { return dim.isOfImage(); }))
    return hasManyZeros() ? computePhases() : Value();
  if (llvm::all_of(steps,
                   [](const SteppedDim &dim) { return dim.isOfWeights(); }))
    return sumOverElements();
  return {};
}

void ContractOp::expand() {
  for (unsigned operand : {0, 1})
    if (Value result = SpreadContraction(*this, operand).expand()) {
      Operation *spread = getOperand(operand).getDefiningOp();
      replaceAllUsesWith(result);
      erase();
      if (spread->use_empty())
        spread->erase();
      return;
    }
}

} // namespace tdc::td
