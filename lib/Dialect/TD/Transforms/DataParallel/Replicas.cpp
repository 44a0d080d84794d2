//===- Replicas.cpp - the state of replicas -------------------------------===//
//
// A parameter that learns from sums of gradients gets a slot on each GPU that
// has a replica of it, and so does every slot that its step reads. Each write
// of such a slot is followed by writes of its replicas: of the same value,
// which their GPU computes again if all that it takes is there, or which is
// sent there if that moves fewer bytes.
//
//===----------------------------------------------------------------------===//

#include "DataParallel.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/Views.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tdc::td {
namespace {

using SlotSet = llvm::SetVector<StringAttr>;

int64_t countBytes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.hasStaticShape()
             ? estimateBytes(type)
             : std::numeric_limits<int32_t>::max(); // is not worth a copy
}

class Replicas {
public:
  Replicas(ModuleOp module, const ReplicaGPUs &replicas, const Twins &sums)
      : module(module), symbols(module), sums(sums), gpus(replicas) {}

  void run();

private:
  void findUses();
  void chooseSlots();
  /// The bytes that a GPU must be sent to have the value.
  int64_t getCost(Value value);
  /// Whether other GPUs compute the value again. They are sent what the program
  /// computes once, as the values that a model starts with.
  bool isRepeated(WriteOp write);
  /// Adds the slots that repeating the value reads, and returns whether a sum
  /// of gradients is part of it.
  bool addSlots(Value value, SlotSet &read, llvm::DenseSet<Value> &seen);
  bool learns(WriteOp write);
  bool learns(StringAttr slot);
  /// Whether a write that is not repeated runs as often as the steps that learn
  /// the slot: in their loop.
  bool runsWithSteps(Operation *write, StringAttr slot);

  StringAttr getReplica(StringAttr slot, const Place &gpu);
  Value at(Value value, const Place &gpu);
  void replicateWrites(StringAttr slot);
  void replaceCopies(StringAttr slot);

  ModuleOp module;
  SymbolTable symbols;
  const Twins &sums;
  Twins made;
  /// By the name of the slot and the number of the GPU.
  llvm::DenseMap<std::pair<StringAttr, int64_t>, StringAttr> replicas;
  /// The copies of each slot's values that are replicas.
  llvm::MapVector<StringAttr, SmallVector<ToDeviceOp>> copies;
  llvm::DenseMap<StringAttr, SmallVector<Operation *>> writers;
  llvm::DenseMap<StringAttr, Place> home;
  /// The GPUs with replicas of each slot: of a parameter, and of what its steps
  /// read.
  ReplicaGPUs gpus;
  SlotSet chosen;
  llvm::DenseSet<StringAttr> refused; ///< a step would send its values
  llvm::DenseMap<Value, int64_t> costs;
};

StringAttr slotOf(ReadOp read) { return read.getSlotAttr().getAttr(); }

void Replicas::findUses() {
  module.walk([&](Operation *op) {
    if (auto user = dyn_cast<SlotUser>(op))
      for (StringAttr slot : user.getWrittenSlots())
        writers[slot].push_back(op);
    if (auto read = dyn_cast<ReadOp>(op))
      if (Place place = getPlace(read.getType());
          place.kind == Place::Kind::Cuda)
        home[slotOf(read)] = place;
    auto copy = dyn_cast<ToDeviceOp>(op);
    if (copy && copy.getRole() == CopyRole::Replica)
      if (auto read = copy.getInput().getDefiningOp<ReadOp>())
        copies[slotOf(read)].push_back(copy);
  });
}

int64_t Replicas::getCost(Value value) {
  if (!isa<RankedTensorType>(value.getType()) || sums.has(value))
    return 0;
  if (auto known = costs.find(value); known != costs.end())
    return known->second;
  int64_t bytes = countBytes(value);
  int64_t &cost = costs[value];
  cost = bytes;
  int64_t result = bytes;
  Operation *op = value.getDefiningOp();
  if (auto read = dyn_cast_or_null<ReadOp>(op)) {
    if (getPlace(read.getType()).kind == Place::Kind::Cuda &&
        !refused.contains(slotOf(read)))
      result = 0;
  } else if (auto copy = dyn_cast_or_null<ToDeviceOp>(op)) {
    result = std::min(bytes, getCost(copy.getInput()));
  } else if (isa_and_nonnull<ComputeOp>(op)) {
    int64_t sum = 0;
    for (Value operand : op->getOperands())
      sum = std::min(bytes, sum + getCost(operand));
    result = sum;
  }
  return costs[value] = result;
}

bool Replicas::addSlots(Value value, SlotSet &read,
                        llvm::DenseSet<Value> &seen) {
  if (sums.has(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !seen.insert(value).second ||
      !isa<RankedTensorType>(value.getType()))
    return false;
  if (auto own = dyn_cast<ReadOp>(op)) {
    if (getCost(value) == 0)
      read.insert(slotOf(own));
    return false;
  }
  if (!isa<ComputeOp, ToDeviceOp>(op) || getCost(value) >= countBytes(value))
    return false;
  bool learns = false;
  for (Value operand : op->getOperands())
    learns |= addSlots(operand, read, seen);
  return learns;
}

/// Whether a sum of gradients is part of the value, and it is repeated.
bool Replicas::learns(WriteOp write) {
  SlotSet read;
  llvm::DenseSet<Value> seen;
  return getCost(write.getValue()) < countBytes(write.getValue()) &&
         addSlots(write.getValue(), read, seen);
}

bool Replicas::isRepeated(WriteOp write) {
  bool isInLoop = bool(write->getParentOfType<LoopLikeOpInterface>());
  return learns(write) ||
         (isInLoop && getCost(write.getValue()) < countBytes(write.getValue()));
}

bool Replicas::learns(StringAttr slot) {
  return llvm::any_of(writers.lookup(slot), [&](Operation *op) {
    auto write = dyn_cast<WriteOp>(op);
    return write && learns(write);
  });
}

bool Replicas::runsWithSteps(Operation *write, StringAttr slot) {
  auto loop = write->getParentOfType<LoopLikeOpInterface>();
  return loop && llvm::none_of(writers.lookup(slot), [&](Operation *other) {
           auto step = dyn_cast<WriteOp>(other);
           return step && isRepeated(step) &&
                  step->getParentOfType<LoopLikeOpInterface>() != loop &&
                  loop->isProperAncestor(step);
         });
}

/// Chooses the slots of parameters that learn, and of all that their steps
/// read, unless a step would have to send their values.
void Replicas::chooseSlots() {
  for (bool changes = true; changes;) {
    changes = false;
    costs.clear();
    chosen.clear();
    for (auto &[slot, uses] : copies)
      if (!refused.contains(slot) && learns(slot))
        chosen.insert(slot);
    for (size_t i = 0; i != chosen.size() && !changes; ++i) {
      StringAttr slot = chosen[i];
      for (Operation *op : writers.lookup(slot)) {
        auto write = dyn_cast<WriteOp>(op);
        if (write && isRepeated(write)) {
          SlotSet read;
          llvm::DenseSet<Value> seen;
          addSlots(write.getValue(), read, seen);
          SmallVector<Place> own = gpus[slot];
          for (StringAttr other : read) {
            chosen.insert(other);
            changes |= addGPUs(gpus[other], own);
          }
        } else if (!isa<MoveOp>(op) && runsWithSteps(op, slot)) {
          changes |= refused.insert(slot).second;
        }
      }
    }
  }
}

StringAttr Replicas::getReplica(StringAttr slot, const Place &gpu) {
  StringAttr &name = replicas[{slot, gpu.ordinal}];
  if (name)
    return name;
  auto original = symbols.lookup<SlotOp>(slot);
  OpBuilder builder(original->getContext());
  builder.setInsertionPointAfter(original);
  auto replica = cast<SlotOp>(builder.clone(*original));
  std::string prefix = ("replica" + Twine(gpu.ordinal) + ".").str();
  replica.setSymName(prefix + slot.str());
  replica.setInstance(prefix + original.getInstance().str());
  replica.setKind(SlotKind::Buffer);
  replica.removeAliasesAttr();
  replica->setAttr(kReplicaOfAttr, slot);
  replica.setType(withPlace(cast<RankedTensorType>(original.getType()), gpu));
  return name = symbols.insert(replica); // another one if the name is taken
}

/// The value on another GPU.
Value Replicas::at(Value value, const Place &gpu) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || getPlace(type) == gpu)
    return value;
  for (const Twins *twins : {&sums, static_cast<const Twins *>(&made)})
    if (Value twin = twins->find(value, gpu))
      return twin;
  Operation *op = value.getDefiningOp();
  OpBuilder builder(module.getContext());
  if (op)
    builder.setInsertionPointAfter(op);
  else
    builder.setInsertionPointToStart(value.getParentBlock());
  Value twin;
  bool isCheap = getCost(value) < countBytes(value);
  if (auto read = dyn_cast_or_null<ReadOp>(op);
      read && chosen.contains(slotOf(read))) {
    twin =
        ReadOp::create(builder, op->getLoc(), withPlace(type, gpu),
                       FlatSymbolRefAttr::get(getReplica(slotOf(read), gpu)));
  } else if (isCheap && isa_and_nonnull<ToDeviceOp>(op)) {
    twin = at(op->getOperand(0), gpu);
  } else if (isCheap && isa_and_nonnull<ComputeOp>(op)) {
    if (llvm::none_of(op->getOperandTypes(),
                      [](Type type) { return isa<RankedTensorType>(type); })) {
      twin = cloneAt(builder, op, gpu);
    } else {
      IRMapping map;
      for (Value operand : op->getOperands())
        map.map(operand, at(operand, gpu));
      Operation *clone = builder.clone(*op, map);
      twin = clone->getResult(0);
      twin.setType(withPlace(type, gpu));
    }
  } else {
    twin = copyTo(builder, value.getLoc(), getContent(value), gpu,
                  CopyRole::Replica);
  }
  made.add(value, gpu, twin);
  return twin;
}

void Replicas::replicateWrites(StringAttr slot) {
  for (Operation *op : writers.lookup(slot)) {
    if (isa<MoveOp>(op))
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value value;
    if (auto write = dyn_cast<WriteOp>(op))
      value = write.getValue();
    else // td.restore
      value =
          ReadOp::create(builder, op->getLoc(),
                         withPlace(cast<RankedTensorType>(
                                       symbols.lookup<SlotOp>(slot).getType()),
                                   home.lookup(slot)),
                         FlatSymbolRefAttr::get(slot));
    for (const Place &gpu : gpus[slot]) {
      auto write = dyn_cast<WriteOp>(op);
      bool isAgain = write && isRepeated(write);
      Value twin = isAgain ? at(value, gpu)
                           : copyTo(builder, op->getLoc(), getContent(value),
                                    gpu, CopyRole::Replica);
      WriteOp::create(builder, op->getLoc(), twin,
                      FlatSymbolRefAttr::get(getReplica(slot, gpu)));
    }
  }
}

void Replicas::replaceCopies(StringAttr slot) {
  for (ToDeviceOp copy : copies.lookup(slot)) {
    copy.replaceAllUsesWith(at(copy.getInput(), getPlace(copy.getType())));
    copy.erase();
  }
}

void Replicas::run() {
  findUses();
  chooseSlots();
  for (StringAttr slot : chosen)
    replaceCopies(slot);
  for (StringAttr slot : chosen)
    replicateWrites(slot);
}

} // namespace

void replicateState(ModuleOp module, const ReplicaGPUs &replicas,
                    const Twins &twins) {
  Replicas(module, replicas, twins).run();
}

} // namespace tdc::td
