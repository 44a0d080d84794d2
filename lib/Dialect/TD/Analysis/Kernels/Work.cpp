//===- Work.cpp - how much a nest computes --------------------------------===//

#include "Dialect/TD/Analysis/Kernels/Work.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tdc::td {

/// Terms of a product that take as long as an element of memory. A processor
/// multiplies some hundred pairs of numbers in the time of a cache line from
/// memory, and some ten in that of a line of its caches.
constexpr double kElement = 8;
/// The same for an op of cost 1 outside of a product.
constexpr double kOp = 2;

namespace {
class WorkCounter {
public:
  explicit WorkCounter(const LoopNest &nest) : nest(nest) {}

  double count() {
    double work = 0;
    for (const Access &root : nest.getRoots())
      work +=
          kElement * countPositions(nest.getLoopsOf(root.tensor, *root.at)) +
          visit(root.tensor, *root.at);
    return work;
  }

private:
  double countPositions(LoopSet loops) const {
    double positions = 1;
    for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
      if (contains(loops, loop))
        positions *= double(nest.estimateExtent(loop));
    return positions;
  }

  /// The work of `value` at `at` and of all that it is computed from, except
  /// what has been counted.
  double visit(Value value, const Coordinates &at) {
    if (!isa<RankedTensorType>(value.getType()) ||
        !counted.insert({value, &at}).second)
      return 0;
    double positions = countPositions(nest.getLoopsOf(value, at));
    Operation *op = value.getDefiningOp();
    if (!op || !nest.isInside(op))
      return kElement * positions;
    double cost = kOp * double(cast<ComputeOp>(op).getInfo().cost);
    if (const Reduction *reduction = nest.findReduction(op)) {
      positions = countPositions(reduction->parallel) *
                  countPositions(toLoopSet(reduction->loops));
      cost = reduction->isContraction() ? 1 : kOp;
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
