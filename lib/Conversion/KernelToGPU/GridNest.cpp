//===- GridNest.cpp - one loop nest of a kernel on a grid -----------------===//

#include "GridNest.h"
#include "CodeGen/EmptyPickers.h"
#include "CodeGen/UpdateParts.h"
#include "GroupReductions.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

namespace {

class NestStores {
public:
  NestStores(GridLoops &loops, ArrayRef<StoreTarget> targets)
      : loops(loops), b(loops.function.builder), targets(targets) {}

  /// Store roots at the loops' position. emitOfGroup stores the roots that do
  /// not run over the later loops, each by one member of the group; emitLater
  /// stores those that do. The values of all tile elements are computed before
  /// any is stored, so that a root may overwrite the same element of an input.
  void emitOfGroup() { emit(/*ofGroup=*/true); }
  void emitLater() { emit(/*ofGroup=*/false); }

private:
  void emit(bool ofGroup);
  bool isOfGroup(const Access &root) const;
  /// Whether this group is the one that stores the element at the loops'
  /// position; null: always.
  Value getOwnership();
  void emitOwn(bool ofGroup);
  /// Whether this thread stores `root`: its position is real, and of several
  /// threads that would store the same element it is the first.
  Value getCondition(const Access &root, bool ofGroup);

  GridLoops &loops;
  OpBuilder &b;
  ArrayRef<StoreTarget> targets;
};

} // namespace

Value NestStores::getCondition(const Access &root, bool ofGroup) {
  Location loc = loops.function.loc;
  Value condition = loops.isReal;
  auto require = [&](Value position) {
    Value zero = arith::ConstantIntOp::create(b, loc, position.getType(), 0);
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, position, zero);
    condition = condition
                    ? Value(arith::AndIOp::create(b, loc, condition, isFirst))
                    : isFirst;
  };
  if (ofGroup && loops.schedule.groupSize != 1)
    require(loops.member);
  if (loops.function.flatSize)
    return condition;
  LoopSet own =
      loops.nest.getLoopsOf(root.tensor, *root.at) | td::getLoops(*root.at);
  for (auto *list : {&loops.schedule.outer, &loops.schedule.later})
    for (unsigned loop : *list)
      if (!contains(own, loop) && loops.evaluator.positions[loop])
        require(loops.evaluator.positions[loop]);
  return condition;
}

bool NestStores::isOfGroup(const Access &root) const {
  LoopSet own = td::getLoops(*root.at);
  return llvm::none_of(loops.schedule.later,
                       [&](unsigned loop) { return contains(own, loop); });
}

Value NestStores::getOwnership() {
  if (loops.schedule.owners == 1)
    return Value();
  Location loc = loops.function.loc;
  Coordinate picked = *llvm::find_if(targets.front().at, [&](Coordinate one) {
    return loops.nest.findPicked(one);
  });
  Value index =
      loops.evaluator.evaluateCoordinate(picked, Tile(loops.factors.size(), 0));
  Value owner = arith::RemUIOp::create(
      b, loc, index, loops.function.index(loops.schedule.owners));
  return arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq, owner,
      loops.evaluator.positions[loops.getSharerLoop()]);
}

void NestStores::emit(bool ofGroup) {
  loops.openIf(getOwnership(), [&] { emitOwn(ofGroup); });
}

void NestStores::emitOwn(bool ofGroup) {
  LoopSet held = 0;
  for (unsigned loop = 0; loop < loops.factors.size(); ++loop)
    if (loops.evaluator.positions[loop] || loops.factors[loop] != 1)
      held |= toLoopSet(loop);
  held &= loops.nest.getRootLoops();
  SmallVector<std::tuple<unsigned, Tile, Value>> values;
  for (const Tile &tile : loops.getTiles(held))
    for (auto [i, root] : llvm::enumerate(loops.nest.getRoots())) {
      if (isOfGroup(root) == ofGroup &&
          !loops.evaluator.isStoredElsewhere(root, tile))
        values.push_back(
            {unsigned(i), tile,
             loops.evaluator.evaluate(root.tensor, *root.at, tile)});
    }
  // Root by root, so that neighbouring elements of a root are stored together.
  for (auto [i, root] : llvm::enumerate(loops.nest.getRoots())) {
    if (isOfGroup(root) != ofGroup)
      continue;
    loops.openIf(getCondition(root, ofGroup), [&, i = i] {
      for (auto &[which, tile, value] : values)
        if (which == i)
          loops.evaluator.store(targets[i], value, tile);
    });
  }
}

/// An estimate of the elements of the first root per block.
static int64_t countElements(const LoopNest &nest,
                             const GridSchedule &schedule) {
  int64_t elements = schedule.getGroups();
  for (Coordinate coordinate : *nest.getRoots().front().at) {
    int loop = getLoop(coordinate);
    if (loop < 0)
      continue;
    int64_t extent = nest.getLoops()[loop].extent;
    bool isWhole = llvm::is_contained(schedule.later, unsigned(loop));
    if (!isWhole)
      elements *= schedule.factors[loop];
    else if (!ShapedType::isDynamic(extent))
      elements *= std::max<int64_t>(extent, 1);
  }
  return elements;
}

/// Emits the nest by its schedule: at each position of a group first the
/// reductions, then the stores of roots without later loops, then the later
/// loops, which store the others.
static LaunchShape emit(KernelFunction &function, const LoopNest &nest,
                        GridSchedule schedule, ArrayRef<StoreTarget> targets) {
  LaunchShape shape;
  shape.threads = schedule.threads;
  if (function.flatSize) {
    shape.elements = schedule.threads * schedule.factors[0];
  } else {
    shape.blocks = countBlocks(nest, schedule);
    shape.elements = countElements(nest, schedule);
    shape.mostBlocks = gpu::kBusyBlocks;
  }
  GridLoops loops(function, nest, std::move(schedule));
  NestStores stores(loops, targets);
  emitUnlessEmpty(function, nest, targets, [&] {
    if (function.flatSize)
      return loops.openFlat([&] { stores.emitOfGroup(); });
    auto compute = [&](ValueRange) {
      emitGroupReductions(loops);
      stores.emitOfGroup();
      if (!loops.schedule.later.empty())
        loops.openShared(loops.schedule.later, {}, [&](ValueRange) {
          stores.emitLater();
          return GridLoops::Values();
        });
      return GridLoops::Values();
    };
    loops.openGrid([&] {
      if (loops.schedule.serial.empty())
        compute({});
      else
        loops.openSerial(loops.schedule.serial, {}, compute);
    });
  });
  shape.sharedBytes = loops.device.getSharedBytes();
  return shape;
}

static LaunchShape emitGridNest(KernelFunction &function, const LoopNest &nest,
                                int64_t sections) {
  GridSchedule schedule = scheduleGrid(function, nest);
  auto targets = getResultTargets(function, nest);
  schedule.sections = sections;
  if (sections != 1) {
    Coordinate section =
        getAffineDimExpr(nest.getLoops().size(), function.kernel.getContext());
    for (auto [target, result] :
         llvm::zip(targets, function.kernel.getResults())) {
      target.tensor = result;
      target.at.insert(target.at.begin(), section);
      target.layout = getRowMajor(result);
    }
  }
  return emit(function, nest, std::move(schedule), targets);
}

static FailureOr<LaunchShape> emitGridUpdate(KernelFunction &function,
                                             UpdateOp update) {
  LaunchShape all;
  bool isKnown = true;
  LogicalResult done = emitUpdateParts(
      function, update,
      [&](const LoopNest &nest, const StoreTarget &target, LoopSet serial) {
        LaunchShape shape =
            emit(function, nest, schedulePart(function, nest, serial), target);
        all.threads = all.elements = shape.threads;
        all.mostBlocks = gpu::kBusyBlocks;
        isKnown &= shape.blocks.has_value();
        all.blocks = std::max(all.blocks, shape.blocks);
      });
  if (failed(done))
    return failure();
  if (!isKnown)
    all.blocks.reset();
  return all;
}

/// Only nests without reductions may work in place: the inputs of a reduction
/// may be read by several threads. In a nest without reductions, one thread
/// alone reads an element and computes the result at its position.
static SmallVector<int64_t> findInPlace(const KernelFunction &function,
                                        const LoopNest &nest) {
  SmallVector<int64_t> pairs;
  if (!nest.getReductions().empty())
    return pairs;
  KernelOp kernel = function.kernel;
  for (auto [i, root] : llvm::enumerate(nest.getRoots()))
    if (td::getLoops(*root.at) == nest.getRootLoops())
      for (BlockArgument argument : kernel.getBody().front().getArguments())
        if (mayReplace(function, nest, argument, i))
          pairs.append({int64_t(argument.getArgNumber()), int64_t(i)});
  return pairs;
}

std::optional<KernelPlan> matchGridNest(KernelCandidate &kernel) {
  // A single element is treated as an array, so that the step of an optimizer
  // is one function for parameters of all sizes. This fails if there is a
  // result without dims.
  if (kernel.nest && kernel.nest->getLoops().empty()) {
    KernelOp op = kernel.function.kernel;
    SmallVector<Value> roots(
        op.getBody().front().getTerminator()->getOperands());
    FailureOr<LoopNest> overOne =
        LoopNest::getOfKernel(roots, /*loopsOverOne=*/true);
    if (succeeded(overOne))
      kernel.nest = std::move(*overOne);
  }
  if (!kernel.nest)
    return std::nullopt;
  KernelPlan plan;
  plan.isFlat = isFlatNest(*kernel.nest, kernel.function);
  plan.inPlace = findInPlace(kernel.function, *kernel.nest);
  plan.emit = [nest = std::move(*kernel.nest), sections = kernel.sections](
                  KernelFunction &function) -> FailureOr<LaunchShape> {
    return emitGridNest(function, nest, sections);
  };
  return plan;
}

std::optional<KernelPlan> matchGridUpdate(KernelCandidate &kernel) {
  auto update = getOnlyRoot<UpdateOp>(kernel.function.kernel);
  if (!update)
    return std::nullopt;
  KernelPlan plan;
  if (Value base = update.getBase()) {
    plan.inPlace = {int64_t(cast<BlockArgument>(base).getArgNumber()), 0};
    plan.startsAsInput = true;
  }
  plan.emit = [update](KernelFunction &function) {
    return emitGridUpdate(function, update);
  };
  return plan;
}

} // namespace tdc
