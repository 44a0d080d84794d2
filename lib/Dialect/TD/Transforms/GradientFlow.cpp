//===- GradientFlow.cpp - which values gradients pass through -------------===//
//
// A walk backward from the target along differentiable ops finds the useful
// values, a walk forward from the leaves the varying ones. Gradients pass
// through the values that are both.
//
//===----------------------------------------------------------------------===//

#include "GradientFlow.h"
#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "Dialect/TD/IR/CarryingLoop.h"

using namespace mlir;

namespace tdc::td {

bool isDifferentiable(Operation *op) {
  return isa<Differentiable, arith::SelectOp>(op);
}

GradientFlow::GradientFlow(const GradientRequest &request) : request(request) {
  propagate(slice(request.target, /*followCarried=*/false));
  for (BlockArgument arg : carriedAround)
    if (!carriedDependence && dependsOnLeaf(arg))
      carriedDependence = arg;
}

bool GradientFlow::isLeafRead(Operation *op) const {
  auto read = dyn_cast_or_null<ReadOp>(op);
  return read && request.slots.contains(read.getSlotAttr().getAttr());
}

/// Returns all values that `from` was computed from, by differentiable ops or
/// by any. Iteration arguments of loops around the request come from earlier
/// iterations: they are followed only with `followCarried`, and else collected
/// in `carriedAround`.
GradientFlow::ValueSet GradientFlow::slice(ValueRange from, bool followCarried,
                                           Along along) {
  ValueSet useful;
  SmallVector<Value> worklist;
  bool all = along == Along::AllOps;
  auto visit = [&](Value value) {
    if ((all || isFloatTensor(value)) && useful.insert(value))
      worklist.push_back(value);
  };
  auto visitCarried = [&](CarryingLoop loop, unsigned index) {
    visit(loop.getInits()[index].get());
    visit(loop.getYield()->getOperand(index));
    visit(loop.getArguments()[index]);
  };
  llvm::for_each(from, visit);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto loop = CarryingLoop::ofArgument(value)) {
      if (followCarried || !loop->isProperAncestor(request.at))
        visitCarried(loop, loop.getIndex(value));
      else
        carriedAround.push_back(cast<BlockArgument>(value));
      continue;
    }
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      continue;
    if (CarryingLoop loop(result.getOwner()); loop) {
      visitCarried(loop, result.getResultNumber());
    } else if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      visit(branch.thenYield().getOperand(result.getResultNumber()));
      visit(branch.elseYield().getOperand(result.getResultNumber()));
    } else if (all || isDifferentiable(result.getOwner())) {
      llvm::for_each(result.getOwner()->getOperands(), visit);
    }
  }
  return useful;
}

void GradientFlow::propagate(const ValueSet &useful) {
  SmallVector<Value> worklist;
  auto mark = [&](Value value) {
    if (useful.contains(value) && carrying.insert(value).second)
      worklist.push_back(value);
  };
  llvm::for_each(request.values, mark);
  for (Value value : useful) {
    if (!isLeafRead(value.getDefiningOp()))
      continue;
    mark(value);
    reads.push_back(cast<ReadOp>(value.getDefiningOp()));
  }
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      Operation *parent = user->getParentOp();
      if (isa<scf::YieldOp>(user) && !isa<KernelOp>(parent)) {
        mark(parent->getResult(use.getOperandNumber()));
        if (CarryingLoop loop(parent); loop)
          mark(loop.getArguments()[use.getOperandNumber()]);
      } else if (CarryingLoop loop(user); loop) {
        unsigned index = use.getOperandNumber() - loop.getFirstInit();
        mark(loop.getResults()[index]);
        mark(loop.getArguments()[index]);
      } else if (isDifferentiable(user)) {
        llvm::for_each(user->getResults(), mark);
      }
    }
  }
}

bool GradientFlow::dependsOnLeaf(BlockArgument carried) {
  auto loop = CarryingLoop::ofArgument(carried);
  unsigned index = loop.getIndex(carried);
  SmallVector<Value> from{loop.getInits()[index].get(),
                          loop.getYield()->getOperand(index)};
  ValueSet earlier = slice(from, /*followCarried=*/true);
  // A leaf inside the loop is a different value in each iteration.
  Region &body = *loop.getBody()->getParent();
  for (Value leaf : request.values)
    if (earlier.contains(leaf) && !body.isAncestor(leaf.getParentRegion()))
      return true;
  return llvm::any_of(
      earlier, [&](Value value) { return isLeafRead(value.getDefiningOp()); });
}

bool GradientFlow::hasLeaf(const ValueSet &values) const {
  return llvm::any_of(values, [&](Value value) {
    return llvm::is_contained(request.values, value) ||
           isLeafRead(value.getDefiningOp());
  });
}

SmallVector<Operation *> GradientFlow::findCuts() {
  SmallVector<Operation *> cuts;
  for (Value value :
       slice(request.target, /*followCarried=*/true, Along::AllOps)) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() ||
        (isDifferentiable(op) && isFloatTensor(value)))
      continue;
    if (hasLeaf(slice(op->getOperands(), /*followCarried=*/true)))
      cuts.push_back(op);
  }
  return cuts;
}

SmallVector<Operation *> GradientFlow::getTopLevelOps() const {
  llvm::DenseSet<Operation *> seen;
  SmallVector<std::pair<unsigned, Operation *>> ops;
  Region *around = request.at->getParentRegion();
  for (Value value : carrying) {
    Operation *op = value.getDefiningOp();
    if (!op || !op->getParentRegion()->isAncestor(around) ||
        !seen.insert(op).second)
      continue;
    unsigned depth = 0;
    for (Operation *parent = op->getParentOp(); parent;
         parent = parent->getParentOp())
      ++depth;
    ops.emplace_back(depth, op);
  }
  // Blocks around the request are nested, and ops of an outer block precede all
  // ops of an inner one.
  llvm::sort(ops, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first < b.first
                              : a.second->isBeforeInBlock(b.second);
  });
  return llvm::to_vector(llvm::make_second_range(ops));
}

} // namespace tdc::td
