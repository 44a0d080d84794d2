//===- FitMemory.cpp - td-fit-memory: tensors leave a device that is full -===//
//
// Goes through the program as it runs. Where more is live on a device than it
// has, the value whose next use is furthest leaves it and comes back right
// before that use: with equal sizes and copies at hand no choice makes fewer
// copies (L. A. Belady, "A study of replacement algorithms for a
// virtual-storage computer", IBM Systems Journal 5(2), 1966). So that it knows
// what has to be there, copies and constructors wait for their first use to
// begin with.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Placement/DeviceMemory.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/IR/BytesByGPU.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDFITMEMORYPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

using LiveTensor = DeviceMemory::LiveTensor;

/// A value that can leave the device at a point, and what that costs.
struct Victim {
  LiveTensor tensor;
  /// Loops around the point that are left before the value is used again.
  unsigned loopsLeft = 0;
  /// What it takes to have it back: nothing but the op that makes it, a copy,
  /// or one more to save it first.
  enum Kind : uint8_t { Constructed, Clean, Dirty } kind = Dirty;
  /// Blocks around the point that are left before then, and the op there; null
  /// if it is not used again.
  unsigned blocksLeft = 0;
  bool isNextIteration = false;
  Operation *next = nullptr;

  bool isBetterThan(const Victim &other) const {
    if (loopsLeft != other.loopsLeft)
      return loopsLeft > other.loopsLeft;
    if (kind != other.kind)
      return kind < other.kind;
    if (blocksLeft != other.blocksLeft)
      return blocksLeft > other.blocksLeft;
    if (isNextIteration != other.isNextIteration)
      return isNextIteration;
    if (next == other.next)
      return tensor.bytes > other.tensor.bytes;
    return !next || (other.next && other.next->isBeforeInBlock(next));
  }
};

Operation *getFirst(Block *block, ArrayRef<OpOperand *> uses) {
  Operation *first = nullptr;
  for (OpOperand *use : uses) {
    Operation *op = block->findAncestorOpInBlock(*use->getOwner());
    if (!first || op->isBeforeInBlock(first))
      first = op;
  }
  return first;
}

class Fitter {
public:
  Fitter(ModuleOp module, const Place &device, int64_t limit)
      : module(module), device(device), limit(limit) {}

  void run() {
    bool isFull = false;
    walkExcess([&](Operation *, DeviceMemory &) {
      isFull = true;
      return false;
    });
    if (!isFull)
      return;
    delayRepeatable();
    // What leaves is nowhere that it was not before: what fits goes on to fit.
    walkExcess([&](Operation *op, DeviceMemory &memory) {
      return relieve(op, memory);
    });
  }

private:
  Place getPlaceOf(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? getPlace(type) : Place();
  }

  /// A constructor or a copy from the cpu: it can run again whenever its result
  /// is needed. What is there then is there as well when the result is used.
  bool isRepeatable(Operation *op) const {
    if (!op || op->getNumResults() != 1 ||
        getPlaceOf(op->getResult(0)) != device)
      return false;
    auto copy = dyn_cast<ToDeviceOp>(op);
    return copy ? getPlaceOf(copy.getInput()) == getCpu() : isConstructor(op);
  }

  /// A copy of what is on the device to elsewhere: what is there then was there
  /// as well when that was made.
  bool isSaved(Operation *op) const {
    auto copy = dyn_cast<ToDeviceOp>(op);
    return copy && getPlaceOf(copy.getInput()) == device &&
           !isRepeatable(copy.getInput().getDefiningOp());
  }

  /// Goes to the points where the device does not have enough. One is left
  /// when it has, or when nothing helps any more.
  void
  walkExcess(llvm::function_ref<bool(Operation *, DeviceMemory &)> relieve) {
    DeviceMemory memory(module, device);
    memory.walk([&](Operation *op) {
      if (isRepeatable(op) || isSaved(op))
        return WalkResult::advance();
      // Ends: what leaves is gone here, or is there as a shorter value of a
      // block further inside.
      while (memory.getBytes() > limit && relieve(op, memory)) {
      }
      return WalkResult::advance();
    });
  }

  void delayRepeatable() {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (isRepeatable(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (Operation *first =
              getFirst(op->getBlock(), getUses(op->getResult(0))))
        op->moveBefore(first);
  }

  static SmallVector<OpOperand *> getUses(Value value) {
    return llvm::map_to_vector(value.getUses(),
                               [](OpOperand &use) { return &use; });
  }

  //===--- What goes ------------------------------------------------------===//

  /// False if nothing can leave.
  bool relieve(Operation *point, DeviceMemory &memory) {
    SmallVector<Victim> victims;
    for (const LiveTensor &tensor : memory.getLive())
      if (canLeave(tensor.value, point))
        victims.push_back(describe(tensor, point));
    llvm::sort(victims, [](const Victim &one, const Victim &other) {
      return one.isBetterThan(other);
    });
    int64_t missing = memory.getBytes() - limit, freed = 0;
    SmallVector<Victim> chosen;
    for (const Victim &victim : victims) {
      if (freed >= missing)
        break;
      chosen.push_back(victim);
      freed += victim.tensor.bytes;
    }
    // A large one that came last may make smaller ones stay.
    for (size_t i = chosen.size(); i-- > 0;)
      if (freed - chosen[i].tensor.bytes >= missing) {
        freed -= chosen[i].tensor.bytes;
        chosen.erase(chosen.begin() + i);
      }
    for (const Victim &victim : chosen)
      evict(victim.tensor.value, point, memory);
    return !chosen.empty();
  }

  bool canLeave(Value value, Operation *op) const {
    auto argument = dyn_cast<BlockArgument>(value);
    Operation *maker =
        argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
    return getPlaceOf(value) == device && maker != op &&
           (op->getNumRegions() ||
            !llvm::is_contained(op->getOperands(), value)) &&
           llvm::none_of(value.getUsers(), llvm::IsaPred<HandleOp>);
  }

  Victim describe(const LiveTensor &tensor, Operation *point) const {
    Victim victim{tensor};
    Value value = tensor.value;
    Operation *maker = value.getDefiningOp();
    if (isRepeatable(maker))
      victim.kind = isConstructor(maker) ? Victim::Constructed : Victim::Clean;
    else if (findCopyOnCpu(value))
      victim.kind = Victim::Clean;
    SmallVector<OpOperand *> uses = getUses(value);
    for (Operation *op = point;; op = op->getParentOp()) {
      Block *block = op->getBlock();
      SmallVector<OpOperand *> inside, behind;
      for (OpOperand *use : uses)
        if (Operation *at = block->findAncestorOpInBlock(*use->getOwner())) {
          bool isBehind = op->isBeforeInBlock(at) || at == point;
          (isBehind ? behind : inside).push_back(use);
        }
      victim.next = getFirst(block, behind);
      if (victim.next || block == value.getParentBlock())
        return victim;
      if (CarryingLoop(block->getParentOp())) {
        victim.next = getFirst(block, inside);
        victim.isNextIteration = victim.next;
        if (victim.isNextIteration)
          return victim;
        ++victim.loopsLeft;
      }
      ++victim.blocksLeft;
    }
  }

  //===--- How it goes ----------------------------------------------------===//

  /// A copy of the value on the cpu that runs as often as the value is made.
  static ToDeviceOp findCopyOnCpu(Value value) {
    for (Operation *user : value.getUsers())
      if (auto copy = dyn_cast<ToDeviceOp>(user);
          copy && copy->getBlock() == value.getParentBlock() &&
          getPlace(copy.getType()) == getCpu())
        return copy;
    return nullptr;
  }

  /// The value on the cpu, from `point` on at the latest.
  Value save(Value value, Operation *point) {
    ToDeviceOp copy = findCopyOnCpu(value);
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfterValue(value);
    if (!copy) {
      auto type = cast<RankedTensorType>(value.getType());
      return ToDeviceOp::create(builder, getCopyLocation(value),
                                withPlace(type, getCpu()), value);
    }
    if (!copy->isBeforeInBlock(point))
      copy->moveBefore(builder.getInsertionBlock(),
                       builder.getInsertionPoint());
    return copy.getResult();
  }

  /// The value leaves the device before `point`, for good or until it is used.
  void evict(Value value, Operation *point, DeviceMemory &memory) {
    memory.remove(value);
    Block *block = value.getParentBlock();
    Operation *left = block->findAncestorOpInBlock(*point);
    Operation *maker = value.getDefiningOp();
    bool isAtHand = isRepeatable(maker);
    Value saved = isAtHand ? Value() : save(value, left);
    // Sizes are asked of what is on the cpu.
    Value elsewhere = saved;
    if (isAtHand && isa<ToDeviceOp>(maker))
      elsewhere = maker->getOperand(0);

    llvm::MapVector<Block *, SmallVector<OpOperand *>> uses;
    for (OpOperand *use : getUses(value)) {
      Operation *owner = use->getOwner();
      Operation *at = block->findAncestorOpInBlock(*owner);
      bool isLeft = left->isBeforeInBlock(at) || left->isProperAncestor(owner);
      if (!isLeft || (saved && owner == saved.getDefiningOp()))
        continue;
      if (elsewhere && isa<DimOp>(owner))
        use->set(elsewhere);
      else if (at != left)
        uses[block].push_back(use);
      else
        uses[getBlockIn(left, owner)].push_back(use);
    }
    for (auto &[where, operands] : uses) {
      OpBuilder builder(getFirst(where, operands));
      Value again;
      if (saved)
        again = ToDeviceOp::create(builder, getCopyLocation(value),
                                   value.getType(), saved);
      else
        again = builder.clone(*maker)->getResult(0);
      for (OpOperand *use : operands)
        use->set(again);
      memory.add(again, point);
    }
    if (isAtHand && value.use_empty())
      maker->erase();
  }

  /// The block of `op` itself that `inner` is in.
  static Block *getBlockIn(Operation *op, Operation *inner) {
    while (inner->getParentOp() != op)
      inner = inner->getParentOp();
    return inner->getBlock();
  }

  ModuleOp module;
  Place device;
  int64_t limit;
};

struct FitMemoryPass : public impl::TDFitMemoryPassBase<FitMemoryPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (const auto &[gpu, bytes] : getBytesByGPU(module, kWorkingSetAttr)) {
      std::optional<Place> device = parseDevice(gpu);
      if (!device || device->kind != Place::Kind::Cuda) {
        module.emitError("expected a GPU in td.working_set, such as "
                         "\"cuda:0\", got \"")
            << gpu << "\"";
        return signalPassFailure();
      }
      Fitter(module, *device, bytes).run();
    }
  }
};

} // namespace
} // namespace tdc::td
