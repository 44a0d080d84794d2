//===- BorderFusion.cpp - kernels that store within a border --------------===//
//
// Padding is a kernel that copies a tensor into a larger one. If nothing else
// reads the tensor, its kernel stores it there (Border.h, and BorderedNest.h of
// the CPU's back end).
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Kernels/Border.h"
#include "FusionGraph.h"

using namespace mlir;

namespace tdc::td {

/// Merges `a`, which computes an input of `b`, with `b`, if that only makes the
/// border.
bool FusionGraph::mergeBorder(Node &a, Node &b) {
  auto update = dyn_cast<UpdateOp>(b.roots.front());
  std::optional<Border> border =
      update ? Border::find(update) : std::optional<Border>();
  Operation *inner = border ? border->inner.getDefiningOp() : nullptr;
  if (!inner || !(a.body.contains(inner) || b.body.contains(inner)) ||
      llvm::any_of(a.body, isNeverFused) || !fitsOneKernel(a, b) ||
      !getSharedRoots(a, &b).empty() || reaches(a, b))
    return false;
  FailureOr<LoopNest> nest = getNest(inner, {&a, &b});
  if (failed(nest) ||
      llvm::any_of(nest->getReductions(), [&](const Reduction &reduction) {
        return reduction.parallel != nest->getRootLoops();
      }))
    return false;
  merge(a, b);
  a.roots = {update};
  return true;
}

void FusionGraph::mergeBorders() {
  for (auto &node : nodes) {
    Node &b = *node;
    if (!b.isKernel || b.mergedInto || isOnGPU(b.roots.front()))
      continue;
    SmallVector<Value> inputs(b.inputs.begin(), b.inputs.end());
    for (Value input : inputs) {
      Node *a = input.getDefiningOp() ? find(input.getDefiningOp()) : nullptr;
      if (a && a->isKernel && mergeBorder(*a, b))
        break;
    }
  }
}

} // namespace tdc::td
