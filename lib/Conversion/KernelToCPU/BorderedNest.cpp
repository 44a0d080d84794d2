//===- BorderedNest.cpp - a nest that stores within a border --------------===//
//
// The nest is that of any kernel; its stores are shifted. The first block makes
// the border, too: it is small.
//
//===----------------------------------------------------------------------===//

#include "BorderedNest.h"
#include "Dialect/TD/Analysis/Kernels/Border.h"
#include "NestEmitter.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// Emits the sides of the border, each as a part of the nest of its base.
static void emitSides(KernelFunction &function, const LoopNest &base,
                      const Border &border) {
  for (const Border::Side &side : border.sides) {
    LoopNest nest = base;
    const Access &root = nest.getRoots().front();
    Coordinates at = *root.at;
    // A dim of one element, which is the border's, has no loop.
    if (int loop = getLoop(at[side.dim]); loop >= 0)
      nest.cutLoop(unsigned(loop), side.extent);
    at[side.dim] = at[side.dim] + side.begin;
    emitNestTo(function, nest,
               {root.tensor, at, function.resultPointers.front(),
                function.resultLayouts.front()},
               /*serial=*/0);
  }
}

std::optional<KernelPlan> matchBordered(KernelCandidate &kernel) {
  auto update = getOnlyRoot<UpdateOp>(kernel.function.kernel);
  std::optional<Border> border =
      update ? Border::find(update) : std::optional<Border>();
  if (!border)
    return std::nullopt;
  FailureOr<LoopNest> inner = LoopNest::getOfKernel(border->inner),
                      base = LoopNest::getOfKernel(border->base);
  if (failed(inner) || failed(base))
    return std::nullopt;
  Coordinates at = inner->getPosition(update, update.getParts().front());
  kernel.nest = std::move(*inner);
  KernelPlan plan = planWholeNest(
      kernel, [update, at](const KernelFunction &function, const LoopNest &) {
        return SmallVector<StoreTarget, 1>{{update->getResult(0), at,
                                            function.resultPointers.front(),
                                            function.resultLayouts.front()}};
      });
  plan.inPlace.clear(); // with a border, positions differ
  plan.emit = [base = std::move(*base), border = std::move(*border),
               emitInner = std::move(plan.emit)](
                  KernelFunction &function) mutable -> FailureOr<LaunchShape> {
    emitInFirstBlock(function, [&] { emitSides(function, base, border); });
    return emitInner(function);
  };
  return plan;
}

} // namespace tdc
