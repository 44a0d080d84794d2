//===- CausalMask.cpp - stages that need a triangle of their columns ------===//

#include "Dialect/TD/Analysis/Kernels/CausalMask.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;

namespace tdc::td {

namespace {

/// The number that every element of a made tensor equals.
std::optional<double> getNumber(Value tensor) {
  auto made = tensor.getDefiningOp<ComputeOp>();
  Attribute number;
  if (!made || !made.getElement() ||
      !matchPattern(made.getElement(), m_Constant(&number)))
    return std::nullopt;
  if (auto real = dyn_cast<FloatAttr>(number))
    return real.getValueAsDouble();
  return std::nullopt;
}

/// A position, as an element of td.iota: that of a loop, plus a constant.
struct Position {
  unsigned loop;
  int64_t constant;
};

std::optional<Position> getPosition(const Access &at) {
  auto iota = at.tensor.getDefiningOp<IotaOp>();
  int loop = iota ? getLoop(at.at->front()) : -1;
  APInt start, step;
  // Narrower elements wrap around.
  if (loop < 0 || !iota.getType().getElementType().isSignlessInteger(64) ||
      !matchPattern(iota.getStart(), m_ConstantInt(&start)) ||
      !matchPattern(iota.getStep(), m_ConstantInt(&step)) || !step.isOne())
    return std::nullopt;
  return Position{unsigned(loop), start.getSExtValue()};
}

/// Operand `index` of the op at `at`, through the ops that move it.
Access getMovedOperand(const LoopNest &nest, Operation *op, unsigned index,
                       const Coordinates &at) {
  return nest.getMoved(op->getOperand(index), nest.operandAt(op, index, at));
}

/// The elements `column >= row + offset` that the root of a stage sets to one
/// number.
struct Masked {
  unsigned row, column; ///< loops
  int64_t offset;
  double number;
  Access others; ///< see CausalMask::unmasked

  static std::optional<Masked> find(const LoopNest &nest);
};

std::optional<Masked> Masked::find(const LoopNest &nest) {
  if (nest.getRoots().size() != 1)
    return std::nullopt;
  const Access &root = nest.getRoots().front();
  auto [value, at] = nest.getMoved(root.tensor, *root.at);
  auto select = value.getDefiningOp<SelectOp>();
  if (!select || !nest.isInside(select))
    return std::nullopt;
  Access condition = getMovedOperand(nest, select, 0, *at);
  auto compare = condition.tensor.getDefiningOp<CompareOp>();
  if (!compare || !nest.isInside(compare))
    return std::nullopt;
  auto left = getPosition(getMovedOperand(nest, compare, 0, *condition.at)),
       right = getPosition(getMovedOperand(nest, compare, 1, *condition.at));
  if (!left || !right)
    return std::nullopt;
  // As `left > right` or `left >= right`.
  ComparePredicate predicate = compare.getPredicate();
  bool isLess =
      predicate == ComparePredicate::LT || predicate == ComparePredicate::LE;
  bool isStrict =
      predicate == ComparePredicate::LT || predicate == ComparePredicate::GT;
  if (predicate == ComparePredicate::EQ || predicate == ComparePredicate::NE)
    return std::nullopt;
  if (isLess)
    std::swap(left, right);
  // The elements of a triangle are masked where the condition holds, or, if
  // columns are on the smaller side, where it does not.
  std::optional<double> ifTrue = getNumber(
                            getMovedOperand(nest, select, 1, *at).tensor),
                        ifFalse = getNumber(
                            getMovedOperand(nest, select, 2, *at).tensor);
  auto getOthers = [&, at = at](unsigned operand) {
    const Coordinates &own = nest.operandAt(select, operand, *at);
    return own == *root.at ? Access{select->getOperand(operand), &own}
                           : Access();
  };
  int64_t apart = right->constant - left->constant;
  if (ifTrue)
    return Masked{right->loop, left->loop, apart + isStrict, *ifTrue,
                  getOthers(2)};
  if (ifFalse)
    return Masked{left->loop, right->loop, 1 - isStrict - apart, *ifFalse,
                  getOthers(1)};
  return std::nullopt;
}

/// What stages make of masked elements.
class MaskedStages {
public:
  MaskedStages(const Stages &stages, unsigned dim) : stages(stages), dim(dim) {}

  bool run(double number, CausalMask &mask) {
    for (const Stage &stage : stages.stages) {
      bool isFirst = &stage == stages.stages.begin();
      const Access &root = stage.nest.getRoots().front();
      columns = 0;
      if (isFirst) {
        columns = getLoops((*root.at)[dim]);
        passed[stage.getPassed(0)] = number;
      } else if (!addStage(stage)) {
        return false;
      }
      mask.columns.push_back(columns);
    }
    return true;
  }

private:
  bool isMasked(const Access &input) const {
    return passed.contains(input.tensor);
  }

  bool addStage(const Stage &stage) {
    const LoopNest &nest = stage.nest;
    for (const Access &input : nest.getInputs())
      if (isMasked(input)) {
        if (getLoop((*input.at)[dim]) < 0)
          return false;
        columns |= getLoops((*input.at)[dim]);
      }
    for (const Reduction &reduction : nest.getReductions())
      if ((toLoopSet(reduction.loops) & columns) && !isNeutral(nest, reduction))
        return false;
    for (auto [i, root] : llvm::enumerate(nest.getRoots())) {
      if (!(getLoops(*root.at) & columns))
        continue;
      // Blocks in which a column is masked in all rows add nothing to its sum.
      if (stage.addsUp && isNeutral(nest, nest.getReductions().front()))
        continue;
      std::optional<double> number = getKnown(nest, root.tensor, *root.at);
      LoopSet own = stage.results[i] < 0 && dim < root.at->size()
                        ? getLoops((*root.at)[dim])
                        : LoopSet(0);
      if (!number || (getLoops(*root.at) & columns) != own)
        return false;
      passed[stage.getPassed(unsigned(i))] = *number;
    }
    return true;
  }

  /// Whether terms of masked elements do not change the reduction.
  bool isNeutral(const LoopNest &nest, const Reduction &reduction) {
    SmallVector<std::optional<double>> known;
    for (unsigned i = 0; i < reduction.countFactors(); ++i) {
      Access factor = nest.getOperand(reduction, i);
      known.push_back(getKnown(nest, factor.tensor, *factor.at));
    }
    if (reduction.givesIndex())
      return false;
    switch (reduction.getCombination()) {
    case ReduceKind::Sum:
      return llvm::is_contained(known, std::optional<double>(0));
    case ReduceKind::Max:
      return known.size() == 1 && known[0] && std::isinf(*known[0]) &&
             *known[0] < 0;
    default:
      return false;
    }
  }

  /// The element of `value` at masked positions; nullopt if it is not known.
  std::optional<double> getKnown(const LoopNest &nest, Value value,
                                 const Coordinates &at) {
    Operation *op = value.getDefiningOp();
    if (auto found = passed.find(value); found != passed.end())
      return found->second;
    auto compute = dyn_cast_if_present<ComputeOp>(op);
    if (!compute || !nest.isInside(op) || nest.findReduction(op))
      return std::nullopt;
    if (compute.getInfo().family == OpFamily::Constructor)
      return getNumber(value);
    Access moved = nest.getMoved(value, at);
    if (moved.tensor != value)
      return getKnown(nest, moved.tensor, *moved.at);
    auto absorbing = dyn_cast<AbsorbingOp>(op);
    if (!absorbing)
      return std::nullopt;
    SmallVector<std::optional<double>> known;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      known.push_back(
          getKnown(nest, op->getOperand(i), nest.operandAt(op, i, at)));
    return absorbing.absorb(known);
  }

  const Stages &stages;
  const unsigned dim;
  LoopSet columns = 0; ///< of the stage
  /// What stages pass on at masked positions.
  llvm::DenseMap<Value, double> passed;
};

} // namespace

std::optional<CausalMask> CausalMask::find(const Stages &stages) {
  const Stage &first = stages.stages.front();
  std::optional<Masked> masked = Masked::find(first.nest);
  if (!masked || masked->offset < 1 || int(masked->row) != first.rows.back() ||
      first.results.front() >= 0)
    return std::nullopt;
  const Coordinates &at = *first.nest.getRoots().front().at;
  auto *column = llvm::find_if(at, [&](Coordinate coordinate) {
    return getLoop(coordinate) == int(masked->column);
  });
  CausalMask mask = {masked->offset, masked->others, {}};
  if (column == at.end() ||
      !MaskedStages(stages, column - at.begin()).run(masked->number, mask))
    return std::nullopt;
  return mask;
}

} // namespace tdc::td
