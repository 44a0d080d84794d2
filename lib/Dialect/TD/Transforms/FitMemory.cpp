//===- FitMemory.cpp - td-fit-memory: evict tensors from a full device ----===//
//
// Walks the program in the order in which it runs. Where more is live on a
// device than it has room for, the value with the furthest next use is evicted
// and brought back right before that use: if values have equal sizes and copies
// elsewhere, no choice makes fewer copies (L. A. Belady, "A study of
// replacement algorithms for a virtual-storage computer", IBM Systems Journal
// 5(2), 1966). Copies and constructors are sunk to their first use before that,
// so that only values that are needed are live.
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

/// A value that can be evicted from the device at a point, and the cost of
/// that.
struct Victim {
  LiveTensor tensor;
  /// The number of loops around the point that are left before the value is
  /// used again.
  unsigned loopsLeft = 0;
  /// The cost of bringing it back: only the op that makes it, a copy, or a copy
  /// and another one to save it first.
  enum Kind : uint8_t { Constructed, Clean, Dirty } kind = Dirty;
  /// The number of blocks around the point that are left before the next use,
  /// and the op with that use in the block that is reached then; null if there
  /// is no next use.
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
    // Eviction makes no value live where it was not live before, so points that
    // fit continue to fit.
    walkExcess([&](Operation *op, DeviceMemory &memory) {
      return relieve(op, memory);
    });
  }

private:
  Place getPlaceOf(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type ? getPlace(type) : Place();
  }

  /// Whether the op is a constructor or a copy from the cpu, which can run
  /// again whenever its result is needed. All values that are live at the op
  /// are also live at the use of its result, so memory need not be checked at
  /// the op.
  bool isRepeatable(Operation *op) const {
    if (!op || op->getNumResults() != 1 ||
        getPlaceOf(op->getResult(0)) != device)
      return false;
    auto copy = dyn_cast<ToDeviceOp>(op);
    return copy ? getPlaceOf(copy.getInput()) == getCpu() : isConstructor(op);
  }

  /// Whether the op copies a value from the device to another one. All values
  /// that are live at the copy were also live when the value was made, so
  /// memory need not be checked at the copy.
  bool isSaved(Operation *op) const {
    auto copy = dyn_cast<ToDeviceOp>(op);
    return copy && getPlaceOf(copy.getInput()) == device &&
           !isRepeatable(copy.getInput().getDefiningOp());
  }

  /// Calls `relieve` at each point where the device does not have enough
  /// memory, until it has or `relieve` returns false.
  void
  walkExcess(llvm::function_ref<bool(Operation *, DeviceMemory &)> relieve) {
    DeviceMemory memory(module, device);
    memory.walk([&](Operation *op) {
      if (isRepeatable(op) || isSaved(op))
        return WalkResult::advance();
      // Terminates: an evicted value is no longer live here, or is replaced by
      // a shorter-lived value of a nested block.
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

  //===--- Choosing victims -----------------------------------------------===//

  /// Evicts values at `point` until the others fit, as far as possible; false
  /// if none can be evicted.
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
    // If a large victim was chosen last, smaller ones need not leave.
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
      SmallVector<OpOperand *> inside, after;
      for (OpOperand *use : uses)
        if (Operation *at = block->findAncestorOpInBlock(*use->getOwner())) {
          bool isAfter = op->isBeforeInBlock(at) || at == point;
          (isAfter ? after : inside).push_back(use);
        }
      victim.next = getFirst(block, after);
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

  //===--- Eviction -------------------------------------------------------===//

  /// Returns a copy of the value to the cpu that runs as often as the value is
  /// made; null if there is none.
  static ToDeviceOp findCopyOnCpu(Value value) {
    for (Operation *user : value.getUsers())
      if (auto copy = dyn_cast<ToDeviceOp>(user);
          copy && copy->getBlock() == value.getParentBlock() &&
          getPlace(copy.getType()) == getCpu())
        return copy;
    return nullptr;
  }

  /// Returns the value on the cpu, available from `point` on at the latest.
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

  /// Evicts the value from the device before `point`, for good or until its
  /// next use.
  void evict(Value value, Operation *point, DeviceMemory &memory) {
    memory.remove(value);
    Block *block = value.getParentBlock();
    Operation *left = block->findAncestorOpInBlock(*point);
    Operation *maker = value.getDefiningOp();
    bool isAtHand = isRepeatable(maker);
    Value saved = isAtHand ? Value() : save(value, left);
    // td.dim reads sizes from the tensor on the cpu.
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

  /// Returns the block of `op`, not of an op inside, that contains `inner`.
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
