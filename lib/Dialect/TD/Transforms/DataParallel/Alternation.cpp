//===- Alternation.cpp - the ops of several GPUs alternate ----------------===//
//
// The checker walks a model for one GPU after the other, so the backward passes
// follow each other, too. If their ops alternate, the gradients of the last
// layers are known on all GPUs while the first layers are still to come: their
// sum overlaps with these. The ops of one GPU keep their order.
//
//===----------------------------------------------------------------------===//

#include "DataParallel.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tdc::td {

/// The number of the GPU that runs a pure op; none for the host.
static std::optional<int64_t> getGPU(Operation *op) {
  if (!isa<ComputeOp, ToDeviceOp>(op) || op->getNumResults() != 1)
    return std::nullopt;
  Place place = getPlace(op->getResult(0));
  return place.kind == Place::Kind::Cuda
             ? std::make_optional<int64_t>(place.ordinal)
             : std::nullopt;
}

/// Orders ops without regions by rank: the next one of the op's GPU, but not
/// below the ranks of its operands. Ops with effects keep their order.
static void alternate(ArrayRef<Operation *> ops) {
  llvm::DenseMap<Operation *, unsigned> ranks;
  SmallVector<std::pair<unsigned, unsigned>> order; // by rank, then as before
  llvm::DenseMap<int64_t, unsigned> next;
  unsigned last = 0; // of the ops with effects
  for (Operation *op : ops) {
    std::optional<int64_t> gpu = getGPU(op);
    unsigned rank = gpu ? next[*gpu] : 0;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        rank = std::max(rank, ranks.lookup(maker));
    if (gpu)
      next[*gpu] = rank + 1;
    else if (!isMemoryEffectFree(op))
      rank = last = std::max(rank, last);
    ranks[op] = rank;
    order.push_back({rank, order.size()});
  }
  llvm::sort(order);
  Operation *after = ops.back()->getNextNode();
  for (auto [rank, index] : order)
    ops[index]->moveBefore(after);
}

void alternate(Block &block) {
  SmallVector<Operation *> ops;
  auto flush = [&] {
    if (!ops.empty())
      alternate(ops);
    ops.clear();
  };
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (op.getNumRegions() == 0)
      ops.push_back(&op);
    else
      flush();
  }
  flush();
}

} // namespace tdc::td
