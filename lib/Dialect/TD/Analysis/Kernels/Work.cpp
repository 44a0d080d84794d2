//===- Work.cpp - how much a nest computes --------------------------------===//

#include "Dialect/TD/Analysis/Kernels/Work.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tdc::td {

/// Terms of a product that take as long as an element of a tensor: in the
/// caches, and in memory, where tensors with more elements are.
constexpr double kCached = 1, kInMemory = 8, kMostCached = 1 << 18;

namespace {
class WorkCounter {
public:
  explicit WorkCounter(const LoopNest &nest) : nest(nest) {}

  double count() {
    double work = 0;
    for (const Access &root : nest.getRoots())
      work += getAccessCost(nest.estimatePositions(
                  nest.getLoopsOf(root.tensor, *root.at))) +
              visit(root.tensor, *root.at);
    return work;
  }

private:
  static double getAccessCost(double elements) {
    return elements * (elements > kMostCached ? kInMemory : kCached);
  }

  /// The work of `value` at `at` and, transitively, of its operands. Each value
  /// counts once.
  double visit(Value value, const Coordinates &at) {
    if (!isa<RankedTensorType>(value.getType()) ||
        !counted.insert({value, &at}).second)
      return 0;
    double positions = nest.estimatePositions(nest.getLoopsOf(value, at));
    Operation *op = value.getDefiningOp();
    if (!op || !nest.isInside(op))
      return getAccessCost(positions);
    double cost = double(cast<ComputeOp>(op).getInfo().cost);
    if (const Reduction *reduction = nest.findReduction(op)) {
      positions = nest.estimatePositions(reduction->parallel) *
                  nest.estimatePositions(toLoopSet(reduction->loops));
      cost = 1;
    }
    double work = cost * positions;
    if (hasFamily(op, OpFamily::Constructor))
      return work;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (isa<RankedTensorType>(op->getOperand(i).getType()))
        work += visit(op->getOperand(i), nest.operandAt(op, i, at));
    return work;
  }

  const LoopNest &nest;
  DenseSet<std::pair<Value, const Coordinates *>> counted;
};
} // namespace

int64_t estimateWork(const LoopNest &nest) {
  double work = WorkCounter(nest).count();
  return work < double(INT64_MAX) ? int64_t(work) : INT64_MAX;
}

} // namespace tdc::td
