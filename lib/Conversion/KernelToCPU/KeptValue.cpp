//===- KeptValue.cpp - values that a row needs twice ----------------------===//

#include "KeptValue.h"
#include "Dialect/TD/Analysis/Kernels/Vectorization.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {
namespace {

/// Looks for a value that the roots read.
class Search {
public:
  Search(const KernelFunction &function, const LoopNest &nest, LoopSet onLanes)
      : function(function), nest(nest), onLanes(onLanes) {}

  std::optional<KeptValue> find() {
    for (auto [i, root] : llvm::enumerate(nest.getRoots())) {
      // A root of other loops is stored several times.
      if (nest.getLoopsOf(root.tensor, *root.at) != nest.getRootLoops())
        continue;
      number = i;
      visited.clear();
      if (std::optional<KeptValue> found = visit(root.tensor, *root.at))
        return found;
    }
    return std::nullopt;
  }

private:
  const Access &getRoot() const { return nest.getRoots()[number]; }

  /// Whether the root computes the value, from operands of the nest.
  bool isComputed(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && nest.isInside(op) && !nest.findReduction(op) &&
           !hasFamily(op, OpFamily::Constructor);
  }

  std::optional<KeptValue> visit(Value value, const Coordinates &at) {
    if (!isComputed(value) || !visited.insert({value, &at}).second)
      return std::nullopt;
    Operation *op = value.getDefiningOp();
    if (value.getType() == getRoot().tensor.getType() && &at == getRoot().at &&
        isCostly(value, at) && isAlongLanes(at))
      for (const Reduction &reduction : nest.getReductions())
        if (std::optional<Access> summed = findIn(reduction, value))
          return KeptValue{*summed, {value, &at}, reduction.op, number};
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (isa<RankedTensorType>(operand.getType()))
        if (std::optional<KeptValue> found =
                visit(operand, nest.operandAt(op, unsigned(i), at)))
          return found;
    return std::nullopt;
  }

  /// Whether computing the value takes a function such as exp.
  bool isCostly(Value value, const Coordinates &at) {
    if (!isComputed(value))
      return false;
    Operation *op = value.getDefiningOp();
    auto [known, isNew] = costly.try_emplace({value, &at}, false);
    if (!isNew)
      return known->second;
    bool result = cast<ComputeOp>(op).getInfo().cost >= OpCost::Function;
    for (unsigned i = 0; i < op->getNumOperands() && !result; ++i)
      result = isa<RankedTensorType>(op->getOperand(i).getType()) &&
               isCostly(op->getOperand(i), nest.operandAt(op, i, at));
    return costly[{value, &at}] = result;
  }

  /// Where the reduction reads `value`, if it reads the elements of the row
  /// that the root needs, in any iteration of the loops around both.
  std::optional<Access> findIn(const Reduction &reduction, Value value) const {
    for (unsigned i = 0; i < reduction.countFactors(); ++i)
      if (Access terms = nest.getOperand(reduction, i);
          terms.tensor == value && isSameRow(reduction, *terms.at) &&
          isAlongLanes(*terms.at))
        return terms;
    return std::nullopt;
  }

  /// Whether `at` is where the root is, but for one dim: along that, the
  /// reduction has a loop of its own, or runs over that of the root.
  bool isSameRow(const Reduction &reduction, const Coordinates &at) const {
    unsigned own = 0;
    LoopSet around = 0;
    for (auto [coordinate, root] : llvm::zip_equal(at, *getRoot().at)) {
      int loop = getLoop(coordinate), other = getLoop(root);
      bool isSummed =
          loop >= 0 && llvm::is_contained(reduction.loops, unsigned(loop));
      if (!isSummed && coordinate == root) {
        around |= getLoops(coordinate);
        continue;
      }
      if (!isSummed || other < 0 ||
          contains(reduction.parallel, unsigned(other)))
        return false;
      ++own;
    }
    return own == 1 && reduction.loops.size() == 1 &&
           reduction.parallel == around;
  }

  /// Whether the root's elements at these coordinates are next to each other
  /// along the loop that is on lanes.
  bool isAlongLanes(const Coordinates &at) const {
    const Layout &layout = function.resultLayouts[number];
    if (layout.order.size() != at.size())
      return false;
    LoopSet loops = getLoops(at) & onLanes;
    for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
      if (contains(loops, loop) &&
          getLaneStride(nest, {getRoot().tensor, &at}, loop, layout) != 1)
        return false;
    return true;
  }

  const KernelFunction &function;
  const LoopNest &nest;
  const LoopSet onLanes;
  unsigned number = 0; ///< of the root
  llvm::DenseSet<std::pair<Value, const Coordinates *>> visited;
  llvm::DenseMap<std::pair<Value, const Coordinates *>, bool> costly;
};

} // namespace

bool KeptValue::isRoot(const LoopNest &nest) const {
  const Access &own = nest.getRoots()[root];
  return again.tensor == own.tensor && again.at == own.at;
}

std::optional<KeptValue> findKeptValue(const KernelFunction &function,
                                       const LoopNest &nest, LoopSet onLanes) {
  return Search(function, nest, onLanes).find();
}

} // namespace tdc
