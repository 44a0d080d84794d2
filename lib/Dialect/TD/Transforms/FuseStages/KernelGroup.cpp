//===- KernelGroup.cpp - kernels that may become one ----------------------===//

#include "KernelGroup.h"
#include "Dialect/TD/Analysis/Kernels/LoopNest.h"
#include "Dialect/TD/Analysis/Sizes.h"

using namespace mlir;

namespace tdc::td {

bool isPureBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
    if (!isa<KernelOp, ReadOp>(op) &&
        (op->getNumRegions() || !isMemoryEffectFree(op)))
      return false;
  return true;
}

SmallVector<KernelOp> takeInOrder(llvm::SetVector<KernelOp> &set) {
  SmallVector<KernelOp> kernels = set.takeVector();
  llvm::sort(kernels,
             [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  return kernels;
}

bool isPassedOn(Value value, KernelOp head) {
  auto countElements = [](Value value) {
    return estimateElements(cast<RankedTensorType>(value.getType()));
  };
  return isa<RankedTensorType>(value.getType()) &&
         2 * countElements(value) > countElements(head.getResult(0));
}

bool readsAtLoops(KernelOp kernel, KernelOp head) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> roots(body.getTerminator()->getOperands());
  FailureOr<LoopNest> nest = LoopNest::getOfKernel(roots);
  if (failed(nest))
    return false;
  auto isSlice = [&](Coordinate at) {
    return !nest->findPicked(at) && llvm::popcount(getLoops(at)) <= 1;
  };
  return llvm::all_of(nest->getInputs(), [&](const Access &input) {
    auto argument = dyn_cast<BlockArgument>(input.tensor);
    bool mayBeSlice =
        argument &&
        !isPassedOn(kernel.getInputs()[argument.getArgNumber()], head);
    return llvm::all_of(*input.at, [&](Coordinate at) {
      return getLoop(at) >= 0 || isa<AffineConstantExpr>(at) ||
             (mayBeSlice && isSlice(at));
    });
  });
}

/// The most kernels of a group.
constexpr size_t kMostOfGroup = 12;

SmallVector<KernelOp> findGroup(KernelOp head) {
  llvm::SetVector<KernelOp> group;
  group.insert(head);
  for (size_t i = 0; i < group.size(); ++i) {
    if (group.size() > kMostOfGroup)
      return {};
    for (Value result : KernelOp(group[i]).getResults()) {
      if (!cast<RankedTensorType>(result.getType()).hasStaticShape())
        return {};
      if (!isPassedOn(result, head))
        continue;
      for (Operation *user : result.getUsers()) {
        auto reader = dyn_cast<KernelOp>(user);
        if (!reader || reader->getBlock() != head->getBlock() ||
            reader.isOnGPU() || !readsAtLoops(reader, head))
          return {};
        group.insert(reader);
      }
    }
  }
  SmallVector<KernelOp> kernels = takeInOrder(group);
  if (kernels.size() == 1 || kernels.front() != head)
    return {};
  return kernels;
}

GroupReaders::GroupReaders(ArrayRef<KernelOp> group) {
  auto contains = [](ArrayRef<KernelOp> kernels, Operation *op) {
    return llvm::is_contained(kernels, dyn_cast_if_present<KernelOp>(op));
  };
  KernelOp head = group.front(), last = group.back();
  for (Operation *op = head->getNextNode();; op = op->getNextNode()) {
    bool isPart = contains(group, op);
    bool isReader = false;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *made = operand.getDefiningOp();
        isReader |= others.contains(made) ||
                    contains(isPart ? ArrayRef<KernelOp>(late) : group, made);
      }
    });
    if (isReader && isPart)
      late.push_back(cast<KernelOp>(op));
    else if (isReader)
      others.insert(op);
    if (op == last)
      return;
  }
}

} // namespace tdc::td
