//===- RowFusion.cpp - stages of a row in one kernel ----------------------===//
//
// Softmax computes the maximum of a row, then a sum over the row that needs the
// maximum, then a row that needs both. The threads that share a row, on a CPU
// one, can read it several times: it comes from the cache then, and the reduced
// values stay in registers. Kernels that feed each other in this way are
// merged; the values between them are not stored, but computed again. A CPU may
// keep one that takes a function such as exp in the memory of the result
// (KeptValue).
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"
#include "Target/TargetInfo.h"

using namespace mlir;

namespace tdc::td {

namespace {

/// The ops of a nest that cost as much as a function such as exp, and the
/// coordinates at which they are computed.
class CostlyOps {
public:
  explicit CostlyOps(const LoopNest &nest) : nest(nest) {
    for (const Access &root : nest.getRoots())
      visit(root.tensor, *root.at);
  }

  /// Whether at most one of them is computed at two coordinates, and none at
  /// more.
  bool isAtMostOneRepeated() const {
    unsigned repeated = 0;
    for (auto &entry : computedAt)
      repeated += entry.second.size() - 1;
    return repeated <= 1;
  }

private:
  void visit(Value value, const Coordinates &at) {
    auto op = value.getDefiningOp<ComputeOp>();
    if (!op || !nest.isInside(op) || !visited.insert({value, &at}).second)
      return;
    if (op.getInfo().cost >= OpCost::Function)
      computedAt[op].insert(&at);
    if (hasFamily(op, OpFamily::Constructor))
      return;
    const Reduction *reduction = nest.findReduction(op);
    const Coordinates &domain = reduction ? *reduction->at : at;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (isa<RankedTensorType>(operand.getType()))
        visit(operand, nest.operandAt(op, unsigned(i), domain));
  }

  const LoopNest &nest;
  DenseSet<std::pair<Value, const Coordinates *>> visited;
  DenseMap<Operation *, llvm::SmallPtrSet<const Coordinates *, 4>> computedAt;
};

} // namespace

/// Stages of shorter rows stay kernels of their own on a CPU. This is an
/// estimate: such rows mostly run side by side, an element of each on a lane.
/// planVectors makes the plan of the kernel later, by its cost.
constexpr int64_t kShortRow = 16;

/// Whether a root has one element for each row while others have the row, which
/// may be empty: the loop along the row stores both.
static bool mayLackRow(const LoopNest &nest, LoopSet rows) {
  LoopSet row = nest.getRootLoops() & ~rows;
  auto hasRow = [&](const Access &root) {
    return (getLoops(*root.at) & row) == row;
  };
  if (llvm::all_of(nest.getRoots(), hasRow))
    return false;
  for (auto [loop, info] : llvm::enumerate(nest.getLoops()))
    if (contains(row, loop) &&
        (info.extent == 0 || ShapedType::isDynamic(info.extent)))
      return true;
  return false;
}

/// Whether a thread of a CPU can compute the stages of one row after another,
/// with the row in the nearest cache: its elements are neighbours in memory.
/// One function may be computed for a reduction and again for a root; the CPU's
/// kernels mostly keep its value (KeptValue).
static bool isCachedRow(const LoopNest &nest) {
  const Reduction &first = nest.getReductions().front();
  int64_t bytes = 0;
  auto isAlongRow = [&](const Reduction &reduction) {
    Access terms = nest.getOperand(reduction, 0);
    Type element = getElementTypeOrSelf(terms.tensor.getType());
    bytes = std::max<int64_t>(bytes, element.getIntOrFloatBitWidth() / 8);
    return reduction.loops.size() == 1 && !terms.at->empty() &&
           getLoop(terms.at->back()) == int(reduction.loops.front());
  };
  // A root has one element for each row, or the row along its last dim.
  auto endsWithRow = [&](const Access &root) {
    LoopSet row = getLoops(*root.at) & ~first.parallel;
    return !row || getLoops(root.at->back()) == row;
  };
  int64_t length = nest.estimatePositions(first.loops);
  return first.parallel && !mayLackRow(nest, first.parallel) &&
         llvm::all_of(nest.getReductions(), isAlongRow) &&
         llvm::all_of(nest.getRoots(), endsWithRow) && length >= kShortRow &&
         length * bytes <= cpu::kL1Bytes &&
         CostlyOps(nest).isAtMostOneRepeated();
}

/// Whether all reductions are over rows of one kind, and every root has a row
/// or one element for each of them.
static bool isRowNest(const LoopNest &nest, bool isOnGPU) {
  ArrayRef<Reduction> reductions = nest.getReductions();
  if (reductions.empty())
    return false;
  LoopSet rows = reductions.front().parallel, row = 0;
  for (const Reduction &reduction : reductions)
    if (reduction.parallel != rows || reduction.isContraction())
      return false;
  for (const Access &root : nest.getRoots()) {
    LoopSet rest = getLoops(*root.at) & ~rows;
    if ((rest && row && rest != row) || (getLoops(*root.at) & rows) != rows)
      return false;
    row |= rest;
  }
  if (!isOnGPU)
    return isCachedRow(nest);
  /// The number of positions of `loops`, or `unknown` if it is known only at
  /// run time.
  auto count = [&](LoopSet loops, int64_t unknown) {
    int64_t positions = 1;
    for (unsigned loop = 0; loop < nest.getLoops().size(); ++loop)
      if (contains(loops, loop)) {
        int64_t extent = nest.getLoops()[loop].extent;
        if (ShapedType::isDynamic(extent))
          return unknown;
        positions *= extent;
      }
    return positions;
  };
  if (!rows)
    return count(row, gpu::kSmallTensor + 1) <= gpu::kSmallTensor;
  LoopSet terms = toLoopSet(reductions.front().loops);
  return count(rows, gpu::kBusyRows) >= gpu::kBusyRows ||
         count(terms, 0) < gpu::kSectionedRow;
}

bool FusionGraph::mergeRow(Node &a, Node &b) {
  if (llvm::any_of(a.body, isNeverFused) ||
      llvm::any_of(b.body, isNeverFused) || isStep(a) || isStep(b) ||
      isTransposed(a) || isTransposed(b) || reaches(a, b) || reaches(b, a))
    return false;
  SmallVector<Operation *, 4> shared = getSharedRoots(a, &b);
  llvm::append_range(shared, getSharedRoots(b, &a));
  if (shared.size() > kMaxRoots)
    return false;
  FailureOr<LoopNest> nest = getNest(shared, {&a, &b});
  if (failed(nest) || nest->getReductions().size() > kMaxReductions ||
      !isRowNest(*nest, isOnGPU(a.roots.front())))
    return false;
  merge(a, b);
  a.roots = shared;
  return true;
}

void FusionGraph::mergeRows() {
  bool hasChanged = true;
  while (std::exchange(hasChanged, false))
    for (auto &node : nodes) {
      Node &a = *node;
      if (!a.isKernel || a.mergedInto)
        continue;
      for (Node *b = findReader(a, 0); b; b = findReader(a, b->index + 1))
        hasChanged |= isOnGPU(a.roots.front()) == isOnGPU(b->roots.front()) &&
                      mergeRow(a, *b);
    }
}

} // namespace tdc::td
