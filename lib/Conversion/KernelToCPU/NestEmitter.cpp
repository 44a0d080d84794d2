//===- NestEmitter.cpp - one loop nest of a kernel ------------------------===//

#include "NestEmitter.h"
#include "Conversion/KernelBody/EmptyPickers.h"
#include "ReductionEmitter.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

static LoopSet getLoopSet(ArrayRef<unsigned> loops) {
  LoopSet set = 0;
  for (unsigned loop : loops)
    set |= LoopSet(1) << loop;
  return set;
}

/// All roots of a tile element are computed before any is stored, so that a
/// root may overwrite an input that stands at the same place.
static void storeRoots(NestLoops &loops, ArrayRef<StoreTarget> targets,
                       LoopSet open) {
  for (const Tile &tile : loops.getTiles(open)) {
    SmallVector<std::pair<unsigned, Value>> values;
    for (auto [i, root] : llvm::enumerate(loops.nest.getRoots())) {
      if (!loops.evaluator.isStoredElsewhere(root, tile))
        values.push_back({unsigned(i), loops.evaluator.evaluate(
                                           root.tensor, *root.at, tile)});
    }
    for (auto [i, value] : values)
      loops.evaluator.store(targets[i], value, tile);
  }
}

static void emit(KernelFunction &function, const LoopNest &nest,
                 const NestSchedule &schedule, ArrayRef<StoreTarget> targets) {
  ArrayRef<unsigned> outer = schedule.outer, later = schedule.later;
  LoopSet open = getLoopSet(outer) | getLoopSet(later);
  NestLoops loops(function, nest, schedule);
  using Values = NestLoops::Values;
  emitUnlessEmpty(function, nest, targets, [&] {
    loops.open(
        outer, {},
        [&](ValueRange) {
          emitReductions(loops);
          return loops.open(later, {}, [&](ValueRange) {
            storeRoots(loops, targets, open);
            loops.takeRowsOffLanes();
            return Values();
          });
        },
        /*sums=*/nullptr, later);
  });
}

void emitNest(KernelFunction &function, const LoopNest &nest) {
  emit(function, nest, scheduleNest(function, nest, /*serial=*/0),
       getResultTargets(function, nest));
}

void emitFlatNest(KernelFunction &function, const LoopNest &nest) {
  emit(function, nest, scheduleFlatNest(function, nest),
       getResultTargets(function, nest));
}

void emitNestTo(KernelFunction &function, const LoopNest &nest,
                const StoreTarget &target, LoopSet serial) {
  emit(function, nest, scheduleNest(function, nest, serial), target);
}

} // namespace tdc
