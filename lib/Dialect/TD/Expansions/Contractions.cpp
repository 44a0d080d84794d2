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
// - An image: the sum is over k. The results at a = s * a' + phase have the
// same
//   terms for all a', so each phase is a contraction of y with every few
//   elements of the other operand. The results of the phases are interleaved
//   ("Is the deconvolution layer the same as a convolutional layer?", Shi et
//   al., 2016).
// - A gradient of weights: the sum is over a. It is over d instead, and the
// other
//   operand is read at a = s * d + low - f * k - c.
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

/// The most phases of all dims together: each is a kernel.
static constexpr int64_t kMostPhases = 16;

/// The fewest products with zeros, in the sum of a result, that make up for the
/// time of interleaving: 60 products did, 28 did not (measured on a Xeon with
/// AVX-512).
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

/// The terms of a phase along one dim: k = first + stride * k', which read y at
/// a' + factor * k' + start.
struct PhaseTerms {
  int64_t first = 0, stride = 1, count = 0;
  int64_t factor = 0, start = 0;
};

/// The phases along one dim.
struct PhasedDim {
  SteppedDim dim;
  SmallVector<PhaseTerms, 4> phases;
  int64_t size = 0;   ///< of a'
  int64_t before = 0; ///< zeros before y
  int64_t padded = 0; ///< size of y with zeros around it

  explicit PhasedDim(const SteppedDim &dim);
};

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
  Value computePhase(ArrayRef<PhasedDim> dims, ArrayRef<PhaseTerms> terms,
                     Value y);
  Value interleave(ArrayRef<PhasedDim> dims, ArrayRef<Value> results);
  Value setApart(ArrayRef<PhasedDim> dims, ArrayRef<int64_t> phase,
                 Value result);
  /// y with zeros around it: along stepped dim i, `before[i]` zeros and
  /// `sizes[i]` elements in all.
  Value padElements(ArrayRef<int64_t> before, ArrayRef<int64_t> sizes);
  Value contract(RankedTensorType type, Value own, Value others,
                 ArrayRef<AffineExpr> ownMap, ArrayRef<AffineExpr> othersMap);

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

/// What is known of dim `index` of z, if its step can be removed.
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
    auto reads = [&](AffineExpr coordinate) {
      return coordinate.isFunctionOfDim(i);
    };
    if (summed || !isSummed ||
        llvm::count_if(maps[operand].getResults(), reads) != 1 ||
        llvm::count_if(others, reads) != 1)
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
  SmallVector<int64_t> ones(type.getRank(), 1);
  return InsetOp::create(builder, loc, type, around, y, low, ones);
}

Value SpreadContraction::contract(RankedTensorType type, Value own,
                                  Value others, ArrayRef<AffineExpr> ownMap,
                                  ArrayRef<AffineExpr> othersMap) {
  auto toMap = [&](ArrayRef<AffineExpr> coordinates) {
    return AffineMap::get(maps[0].getNumDims(), maps[0].getNumSymbols(),
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
    padded = InsetOp::create(
        builder, loc, type, fill(type, getRunTimeSizes(builder, loc, other)),
        other, low, SmallVector<int64_t>(type.getRank(), 1));
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
  int64_t first = 0, last = dim.size - 1; // element of y that is read
  for (int64_t phase = 0; phase < s; ++phase) {
    PhaseTerms &terms = phases.emplace_back();
    auto isElement = [&](int64_t k) {
      return llvm::mod(phase + factor * k + offset, s) == 0;
    };
    while (terms.first < dim.summed.size && !isElement(terms.first))
      ++terms.first;
    if (terms.first == dim.summed.size || phase >= dim.result.size)
      continue;
    terms.stride = s / std::gcd(std::abs(factor), s);
    terms.count = llvm::divideCeil(dim.summed.size - terms.first, terms.stride);
    terms.factor = factor * terms.stride / s;
    terms.start = (phase + factor * terms.first + offset) / s;
    size =
        std::max<int64_t>(size, llvm::divideCeil(dim.result.size - phase, s));
  }
  for (const PhaseTerms &terms : phases) {
    if (terms.count == 0)
      continue;
    int64_t far = terms.factor * (terms.count - 1);
    first = std::min(first, terms.start + std::min<int64_t>(far, 0));
    last = std::max(last, terms.start + std::max<int64_t>(far, 0) + size - 1);
  }
  before = -first;
  padded = last - first + 1;
}

/// The results of one phase: a dim has `terms`. `y` has zeros around it.
Value SpreadContraction::computePhase(ArrayRef<PhasedDim> dims,
                                      ArrayRef<PhaseTerms> terms, Value y) {
  SmallVector<AffineExpr> own(maps[operand].getResults());
  Value part = other;
  RankedTensorType partType = otherType, type = op.getType();
  for (auto [phased, of] : llvm::zip_equal(dims, terms)) {
    const SteppedDim &dim = phased.dim;
    type = withDim(type, dim.result.index, phased.size);
    own[dim.index] = dimOf(dim.result.index) +
                     dimOf(dim.summed.index) * of.factor +
                     (of.start + phased.before);
    if (of.count == dim.summed.size)
      continue;
    partType = withDim(partType, dim.other, of.count);
    part = SliceOp::create(builder, loc, partType, part, constant(of.first),
                           dim.other, of.stride,
                           getRunTimeSizes(builder, loc, other));
  }
  return contract(type, y, part, own, maps[1 - operand].getResults());
}

/// The whole result, if one phase alone has terms.
Value SpreadContraction::setApart(ArrayRef<PhasedDim> dims,
                                  ArrayRef<int64_t> phase, Value result) {
  RankedTensorType type = op.getType();
  SmallVector<Value> low(type.getRank(), constant(0));
  SmallVector<int64_t> apart(type.getRank(), 1);
  for (auto [phased, first] : llvm::zip_equal(dims, phase)) {
    low[phased.dim.result.index] = constant(first);
    apart[phased.dim.result.index] = phased.dim.step;
  }
  return InsetOp::create(builder, loc, type, fill(type, op.getSizes()), result,
                         low, apart);
}

/// The whole result: `results` has those of all phases, the last dim's phases
/// one after the other.
Value SpreadContraction::interleave(ArrayRef<PhasedDim> dims,
                                    ArrayRef<Value> results) {
  ValueRange sizes = op.getSizes();
  auto type = cast<RankedTensorType>(results.front().getType());
  auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    return ReshapeOp::create(builder, loc, type.clone(shape), value, sizes);
  };
  SmallVector<int64_t> stacked{1};
  llvm::append_range(stacked, type.getShape());
  SmallVector<Value> parts;
  for (Value result : results)
    parts.push_back(reshape(result, stacked));
  stacked[0] = results.size();
  Value all = ConcatOp::create(builder, loc, type.clone(stacked), parts, 0);

  // The dims of the phases first, then each after its dim of the result.
  SmallVector<int64_t> split, order, inOrder, merged(type.getShape());
  for (const PhasedDim &phased : dims)
    split.push_back(phased.dim.step);
  llvm::append_range(split, type.getShape());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    order.push_back(dims.size() + dim);
    for (auto [i, phased] : llvm::enumerate(dims))
      if (phased.dim.result.index == dim) {
        order.push_back(i);
        merged[dim] *= phased.dim.step;
      }
  }
  for (int64_t dim : order)
    inOrder.push_back(split[dim]);
  Value result = PermuteOp::create(builder, loc, type.clone(inOrder),
                                   reshape(all, split), order);
  result = reshape(result, merged);
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

/// Whether the sum of a result has at least kFewestZeros products with zeros.
bool SpreadContraction::hasManyZeros() {
  uint64_t terms = 1, step = 1;
  for (OperandDim reduced : op.getReducedDims()) {
    auto type =
        cast<RankedTensorType>(op->getOperand(reduced.operand).getType());
    if (type.isDynamicDim(reduced.dim))
      return true;
    terms =
        llvm::SaturatingMultiply(terms, uint64_t(type.getDimSize(reduced.dim)));
  }
  for (const SteppedDim &dim : steps)
    step = llvm::SaturatingMultiply(step, uint64_t(dim.step));
  return terms - terms / step >= kFewestZeros;
}

Value SpreadContraction::computePhases() {
  SmallVector<PhasedDim, 3> dims;
  SmallVector<int64_t> before, sizes;
  int64_t count = 1;
  for (const SteppedDim &step : steps) {
    if (step.step > kMostPhases / count)
      return {};
    count *= step.step;
    const PhasedDim &phased = dims.emplace_back(step);
    if (phased.size == 0)
      return {};
    before.push_back(phased.before);
    sizes.push_back(phased.padded);
  }
  Value y = padElements(before, sizes);
  SmallVector<Value> results;
  SmallVector<int64_t> last; // the last phase with terms
  unsigned withTerms = 0;
  for (int64_t number = 0; number < count; ++number) {
    SmallVector<int64_t> phase(dims.size());
    SmallVector<PhaseTerms> terms(dims.size());
    int64_t rest = number;
    for (unsigned i = dims.size(); i-- > 0; rest /= dims[i].dim.step) {
      phase[i] = rest % dims[i].dim.step;
      terms[i] = dims[i].phases[phase[i]];
    }
    bool isZero =
        llvm::any_of(terms, [](const PhaseTerms &of) { return of.count == 0; });
    results.push_back(isZero ? Value() : computePhase(dims, terms, y));
    if (!isZero) {
      last = phase;
      ++withTerms;
    }
  }
  auto isComputed = [](Value result) { return bool(result); };
  Value computed = *llvm::find_if(results, isComputed);
  if (withTerms == 1)
    return setApart(dims, last, computed);
  auto type = cast<RankedTensorType>(computed.getType());
  for (Value &result : results)
    if (!result)
      result = fill(type, op.getSizes());
  return interleave(dims, results);
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
