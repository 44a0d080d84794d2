//===- NestEmitter.cpp - one loop nest of a kernel ------------------------===//

#include "NestEmitter.h"
#include "ReductionEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

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
      LoopSet own = getLoops(*root.at);
      bool isElsewhere = false; // stored with the tile element 0 of the others
      for (unsigned loop = 0; loop < tile.size(); ++loop)
        isElsewhere |=
            tile[loop] && !(own >> loop & 1) && !loops.function.flatSize;
      if (!isElsewhere)
        values.push_back({unsigned(i), loops.evaluator.evaluate(
                                           root.tensor, *root.at, tile)});
    }
    for (auto [i, value] : values)
      loops.evaluator.store(targets[i], value, tile);
  }
}

/// The pickers of a nest whose dim may have no element at all.
static llvm::SetVector<Operation *>
findDoubtfulPickers(const LoopNest &nest, ArrayRef<StoreTarget> targets) {
  llvm::SetVector<Operation *> pickers;
  auto add = [&](const Coordinates &at) {
    for (const Coordinate &coordinate : at)
      if (coordinate.picker)
        pickers.insert(coordinate.picker);
  };
  for (const Access &input : nest.getInputs())
    add(*input.at);
  for (const StoreTarget &target : targets)
    add(target.at);
  pickers.remove_if([](Operation *picker) {
    auto type = cast<RankedTensorType>(picker->getOperand(0).getType());
    return type.hasStaticShape() && type.getNumElements() > 0;
  });
  return pickers;
}

/// Emits `body` for the case that every picker has something to pick from: then
/// a bad index may read element 0 in place of what it asked for.
static void emitUnlessEmpty(KernelFunction &function,
                            ArrayRef<Operation *> pickers,
                            llvm::function_ref<void()> body) {
  if (pickers.empty())
    return body();
  OpBuilder &b = function.builder;
  Operation *picker = pickers.front();
  Location loc = picker->getLoc();
  Value indices = picker->getOperand(1), zero = function.i64(0);
  Value count = function.i64(1);
  for (unsigned dim = 0;
       dim < cast<RankedTensorType>(indices.getType()).getRank(); ++dim)
    count =
        arith::MulIOp::create(b, loc, count, function.getSize(indices, dim));
  auto is = [&](arith::CmpIPredicate predicate, Value value) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, value, zero);
  };
  Value isBad = arith::AndIOp::create(
      b, loc, is(arith::CmpIPredicate::ne, count),
      is(arith::CmpIPredicate::eq, function.getPickedSize(picker)));
  auto branch = scf::IfOp::create(b, loc, isBad, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  function.reportIndex(b, picker, zero);
  b.setInsertionPointToStart(branch.elseBlock());
  emitUnlessEmpty(function, pickers.drop_front(), body);
}

static void emit(KernelFunction &function, const LoopNest &nest,
                 NestSchedule schedule, ArrayRef<StoreTarget> targets) {
  // The schedule inside NestLoops changes with the blocks.
  SmallVector<unsigned> outer = schedule.outer, later = schedule.later;
  LoopSet open = getLoopSet(outer) | getLoopSet(later);
  NestLoops loops(function, nest, std::move(schedule));
  using Values = NestLoops::Values;
  auto pickers = findDoubtfulPickers(nest, targets);
  emitUnlessEmpty(function, pickers.getArrayRef(), [&] {
    loops.open(outer, {}, [&](ValueRange) {
      emitReductions(loops);
      return loops.open(later, {}, [&](ValueRange) {
        storeRoots(loops, targets, open);
        loops.takeRowsOffLanes();
        return Values();
      });
    });
  });
}

static SmallVector<StoreTarget, 1>
getResultTargets(const KernelFunction &function, const LoopNest &nest) {
  SmallVector<StoreTarget, 1> targets;
  for (auto [root, pointer, layout] : llvm::zip(
           nest.getRoots(), function.resultPointers, function.resultLayouts))
    targets.push_back({root.tensor, *root.at, pointer, layout});
  return targets;
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
