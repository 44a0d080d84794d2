//===- Sweep.cpp - remove code without effect -----------------------------===//
//
// Marks everything that observable ops need, and removes the rest. Marking from
// these ops, rather than removing unused ones, also removes values that only
// keep themselves alive: a value that a loop carries for itself, a slot that is
// read only to be written again.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Simplify.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tdc::td {
namespace {

class Marking {
public:
  explicit Marking(ModuleOp module) {
    SmallVector<Operation *> roots;
    module.walk([&](Operation *op) {
      if (op->hasAttr(kReadElsewhereAttr))
        roots.push_back(op);
      else if (onlyWrites(op))
        for (StringAttr slot : cast<SlotUser>(op).getWrittenSlots())
          writes[slot].push_back(op);
      else if (isRoot(op))
        roots.push_back(op);
    });
    for (Operation *op : roots) {
      mark(op);
      if (isStructured(op)) // one of its values is read elsewhere
        for (unsigned index = 0; index < op->getNumResults(); ++index)
          markCarried(op, index);
    }
    while (!worklist.empty())
      follow(worklist.pop_back_val());
  }

  bool isLive(Operation *op) const { return ops.contains(op); }
  bool isLive(StringAttr slot) const { return slots.contains(slot); }
  /// Whether a carried value of a loop or a result of an scf.if is needed.
  bool isLive(Operation *op, unsigned index) const {
    return carried.contains({op, index});
  }
  void replace(Operation *op, Operation *by) {
    ops.erase(op);
    ops.insert(by);
  }

private:
  /// Whether the op only writes slots, so that it is needed only if one of them
  /// is read.
  static bool onlyWrites(Operation *op) {
    auto move = dyn_cast<MoveOp>(op);
    return move ? !move.getKept() : isa<BackwardOp, WriteHandleOp, WriteOp>(op);
  }

  static bool isRoot(Operation *op) {
    if (isStructured(op) || isa<ReadHandleOp, ReadOp, SlotOp>(op))
      return false;
    if (isa<scf::ConditionOp, scf::YieldOp>(op) &&
        isStructured(op->getParentOp()))
      return false;
    // Regions of other ops, such as kernels, stay as they are.
    Operation *parent = op->getParentOp();
    if (parent && !isStructured(parent) && !isa<func::FuncOp, ModuleOp>(parent))
      return true;
    return op->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(op);
  }

  void mark(Operation *op) {
    if (op && ops.insert(op).second)
      worklist.push_back(op);
  }

  void mark(Value value) {
    if (isa<BlockArgument>(value)) {
      if (auto loop = CarryingLoop::ofArgument(value))
        markCarried(loop.getOperation(), loop.getIndex(value));
      return;
    }
    auto result = cast<OpResult>(value);
    if (isStructured(result.getOwner()))
      markCarried(result.getOwner(), result.getResultNumber());
    else
      mark(result.getOwner());
  }

  void markCarried(Operation *op, unsigned index) {
    if (!carried.insert({op, index}).second)
      return;
    mark(op);
    if (CarryingLoop loop(op); loop) {
      mark(loop.getInits()[index].get());
      mark(loop.getYield()->getOperand(index));
      return;
    }
    for (Region &region : op->getRegions())
      mark(region.front().getTerminator()->getOperand(index));
  }

  void markSlot(StringAttr slot) {
    if (!slots.insert(slot).second)
      return;
    for (Operation *write : writes.lookup(slot))
      mark(write);
  }

  void follow(Operation *op) {
    mark(op->getParentOp());
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        mark(bound);
      return;
    }
    // The loop's condition and, for a counted loop, its index and count.
    if (isa<scf::WhileOp>(op)) {
      for (unsigned i = 0; i < (op->hasAttr(kCountedAttr) ? 3 : 1); ++i)
        markCarried(op, i);
      return;
    }
    for (Value operand : op->getOperands())
      mark(operand);
    if (auto user = dyn_cast<SlotUser>(op))
      for (StringAttr slot : user.getReadSlots())
        markSlot(slot);
  }

  llvm::DenseMap<StringAttr, SmallVector<Operation *>> writes;
  llvm::DenseSet<Operation *> ops;
  llvm::DenseSet<std::pair<Operation *, unsigned>> carried;
  llvm::DenseSet<StringAttr> slots;
  SmallVector<Operation *> worklist;
};

template <typename Range>
SmallVector<Value> select(Range &&values, ArrayRef<unsigned> indices) {
  return llvm::map_to_vector(
      indices, [&](unsigned index) -> Value { return values[index]; });
}

/// Rebuilds a loop or scf.if without the values that are not live. Their
/// arguments in the loop's regions are added to `unneeded`; the caller must
/// erase them.
void narrow(Operation *op, Marking &marking,
            SmallVectorImpl<BlockArgument> &unneeded) {
  SmallVector<unsigned> kept;
  for (unsigned index = 0; index < op->getNumResults(); ++index) {
    if (marking.isLive(op, index)) {
      kept.push_back(index);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unneeded.push_back(loop.getRegionIterArg(index));
    } else if (isa<scf::WhileOp>(op)) {
      for (Region &region : op->getRegions())
        unneeded.push_back(region.getArgument(index));
    }
  }
  if (kept.size() == op->getNumResults())
    return;

  for (Region &region : op->getRegions()) {
    Operation *end = region.front().getTerminator();
    if (auto condition = dyn_cast<scf::ConditionOp>(end))
      condition.getArgsMutable().assign(select(condition.getArgs(), kept));
    else
      end->setOperands(select(end->getOperands(), kept));
  }
  OpBuilder builder(op);
  SmallVector<Type> types;
  for (unsigned index : kept)
    types.push_back(op->getResult(index).getType());
  Operation *narrowed;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    narrowed = scf::ForOp::create(builder, op->getLoc(), loop.getLowerBound(),
                                  loop.getUpperBound(), loop.getStep(),
                                  select(loop.getInitArgs(), kept));
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    narrowed = scf::WhileOp::create(builder, op->getLoc(), types,
                                    select(loop.getInits(), kept));
  } else {
    narrowed = scf::IfOp::create(builder, op->getLoc(), types,
                                 cast<scf::IfOp>(op).getCondition(),
                                 /*addThenBlock=*/false,
                                 /*addElseBlock=*/false);
  }
  narrowed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), narrowed->getRegions()))
    to.takeBody(from);
  for (auto [result, index] : llvm::zip_equal(narrowed->getResults(), kept))
    op->getResult(index).replaceAllUsesWith(result);
  marking.replace(op, narrowed);
}

} // namespace

void sweepDead(ModuleOp module) {
  Marking marking(module);
  SmallVector<Operation *> structured, dead;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module || isa<scf::ConditionOp, scf::YieldOp>(op))
      return WalkResult::advance();
    bool live = marking.isLive(op);
    if (auto slot = dyn_cast<SlotOp>(op))
      live = marking.isLive(slot.getSymNameAttr());
    if (!live) {
      dead.push_back(op);
      return WalkResult::skip();
    }
    if (isStructured(op))
      structured.push_back(op);
    return WalkResult::advance();
  });

  SmallVector<BlockArgument> unneeded;
  for (Operation *op : structured)
    narrow(op, marking, unneeded);
  for (Operation *op : llvm::reverse(dead)) {
    op->dropAllUses();
    op->erase();
  }
  // A loop may start from an unneeded result of an earlier one, so later loops
  // are erased first.
  for (Operation *op : llvm::reverse(structured))
    if (!marking.isLive(op))
      op->erase();
  // Only now do they have no uses.
  for (BlockArgument argument : unneeded)
    argument.getOwner()->eraseArgument(argument.getArgNumber());
}

namespace {
/// Whether an op of a loop body has no effect but to advance the random
/// counter.
bool isSilent(Operation *op) {
  return isa<NextRandomOp>(op) || isStructured(op) ||
         op->hasTrait<OpTrait::IsTerminator>() ||
         (isMemoryEffectFree(op) &&
          llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>));
}

bool isUnused(Operation *loop, const Marking &marking) {
  if (!marking.isLive(loop))
    return true;
  if (!isa<scf::ForOp>(loop))
    return false;
  for (unsigned index = 0; index < loop->getNumResults(); ++index)
    if (marking.isLive(loop, index))
      return false;
  WalkResult result = loop->getRegion(0).walk([&](Operation *op) {
    return marking.isLive(op) && !isSilent(op) ? WalkResult::interrupt()
                                               : WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool doesWork(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        return isa<ComputeOp>(op) && !isFreeInKernels(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}
} // namespace

SmallVector<Operation *> findUnusedLoops(ModuleOp module) {
  Marking marking(module);
  llvm::MapVector<Attribute, Operation *> unused;
  llvm::DenseSet<Attribute> used;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A loop of the library is part of the call that needs it.
    Location written = withoutName(op->getLoc());
    if (auto call = dyn_cast<CallSiteLoc>(written))
      written = call.getCallee();
    FileLineColLoc location = getUserLocation(written);
    if (!CarryingLoop(op) || !location)
      return WalkResult::advance();
    if (isUnused(op, marking)) {
      if (doesWork(op))
        unused.insert({location, op});
      return WalkResult::skip();
    }
    used.insert(location);
    return WalkResult::advance();
  });
  SmallVector<Operation *> loops;
  for (auto [location, loop] : unused)
    if (!used.contains(location))
      loops.push_back(loop);
  return loops;
}

} // namespace tdc::td
