//===- VerifyReplicas.cpp - td-verify-replicas: replicas stay equal -------===//
//
// Shares no code with td-data-parallel: it compares how the new values of a
// slot and of its replicas are computed. They are equal if they are copies of
// one value, or if the same ops make them of equal values.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/Views.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDVERIFYREPLICASPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// The slots whose values an op replaces; td.move keeps them.
SmallVector<StringAttr> getNewSlots(Operation *op) {
  auto user = dyn_cast<SlotUser>(op);
  return user && !isa<MoveOp>(op) ? user.getWrittenSlots()
                                  : SmallVector<StringAttr>();
}

class ReplicaVerifier {
public:
  explicit ReplicaVerifier(ModuleOp module) {
    for (auto slot : module.getOps<SlotOp>())
      if (auto original = slot->getAttrOfType<StringAttr>(kReplicaOfAttr)) {
        originals[slot.getSymNameAttr()] = original;
        replicas[original].push_back(slot.getSymNameAttr());
      }
  }

  LogicalResult verify(Operation *op);

private:
  LogicalResult verifyWrites(Operation *op, StringAttr slot);
  bool areEqual(Value value, Value twin);
  bool areReadTogether(ReadOp read, ReadOp twin) const;
  static bool haveSameAttributes(Operation *op, Operation *twin);

  llvm::DenseMap<StringAttr, StringAttr> originals;
  llvm::DenseMap<StringAttr, SmallVector<StringAttr>> replicas;
  llvm::DenseMap<std::pair<Value, Value>, bool> known;
};

/// Whether no op between the two reads gives one of their slots a new value.
bool ReplicaVerifier::areReadTogether(ReadOp read, ReadOp twin) const {
  StringAttr slot = read.getSlotAttr().getAttr(),
             replica = twin.getSlotAttr().getAttr();
  if (originals.lookup(replica) != slot || read->getBlock() != twin->getBlock())
    return false;
  Operation *first = read, *last = twin;
  if (last->isBeforeInBlock(first))
    std::swap(first, last);
  for (Operation *op = first; op != last; op = op->getNextNode()) {
    WalkResult result = op->walk([&](Operation *inner) {
      SmallVector<StringAttr> written = getNewSlots(inner);
      return llvm::is_contained(written, slot) ||
                     llvm::is_contained(written, replica)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
  }
  return true;
}

/// Whether the attributes are equal, but for the places in types of data.
bool ReplicaVerifier::haveSameAttributes(Operation *op, Operation *twin) {
  DictionaryAttr own = op->getAttrDictionary(),
                 others = twin->getAttrDictionary();
  return own.size() == others.size() &&
         llvm::all_of(own, [&](NamedAttribute attribute) {
           Attribute other = others.get(attribute.getName());
           auto data = dyn_cast<DenseElementsAttr>(attribute.getValue());
           auto otherData = dyn_cast_or_null<DenseElementsAttr>(other);
           return attribute.getValue() == other ||
                  (data && otherData &&
                   data.getRawData() == otherData.getRawData());
         });
}

bool ReplicaVerifier::areEqual(Value value, Value twin) {
  if (!isa<RankedTensorType>(value.getType())) {
    Attribute a, b;
    return value == twin || (matchPattern(value, m_Constant(&a)) &&
                             matchPattern(twin, m_Constant(&b)) && a == b);
  }
  value = getContent(value);
  twin = getContent(twin);
  if (value == twin)
    return true;
  auto [found, isNew] = known.try_emplace({value, twin}, false);
  if (!isNew)
    return found->second;
  Operation *op = value.getDefiningOp(), *other = twin.getDefiningOp();
  if (!op || !other || op->getName() != other->getName())
    return false;
  bool result = false;
  if (auto read = dyn_cast<ReadOp>(op)) {
    result = areReadTogether(read, cast<ReadOp>(other));
  } else if (isa<ComputeOp>(op)) {
    result = cast<RankedTensorType>(value.getType()).getShape() ==
                 cast<RankedTensorType>(twin.getType()).getShape() &&
             op->getNumOperands() == other->getNumOperands() &&
             haveSameAttributes(op, other);
    for (auto [a, b] : llvm::zip(op->getOperands(), other->getOperands()))
      result = result && areEqual(a, b);
  }
  return known[{value, twin}] = result;
}

/// Each replica gets the value after the slot, in the same straight-line code.
LogicalResult ReplicaVerifier::verifyWrites(Operation *op, StringAttr slot) {
  for (StringAttr replica : replicas.lookup(slot)) {
    Value content; // of the slot
    if (auto write = dyn_cast<WriteOp>(op))
      content = write.getValue();
    WriteOp found;
    for (Operation *next = op->getNextNode(); next && !found;
         next = next->getNextNode()) {
      if (next->getNumRegions() != 0 ||
          llvm::is_contained(getNewSlots(next), slot))
        break;
      if (auto read = dyn_cast<ReadOp>(next);
          read && read.getSlotAttr().getAttr() == slot && !content)
        content = read;
      if (llvm::is_contained(getNewSlots(next), replica))
        found = dyn_cast<WriteOp>(next);
    }
    if (!found)
      return op->emitError("expected a write of its replica '")
             << replica.getValue() << "' to follow";
    if (!content || !areEqual(content, found.getValue()))
      return found.emitError("expected the value of '")
             << slot.getValue() << "' for its replica";
  }
  return success();
}

/// Nothing else writes a replica.
LogicalResult ReplicaVerifier::verify(Operation *op) {
  for (StringAttr slot : getNewSlots(op)) {
    if (failed(verifyWrites(op, slot)))
      return failure();
    StringAttr original = originals.lookup(slot);
    if (!original)
      continue;
    Operation *before = op->getPrevNode();
    while (before && !llvm::is_contained(getNewSlots(before), original))
      before = before->getPrevNode();
    if (!before)
      return op->emitError("expected a write of '")
             << original.getValue() << "' before that of its replica";
  }
  return success();
}

struct VerifyReplicasPass
    : public impl::TDVerifyReplicasPassBase<VerifyReplicasPass> {
  void runOnOperation() override {
    ReplicaVerifier verifier(getOperation());
    WalkResult result = getOperation()->walk([&](Operation *op) {
      return failed(verifier.verify(op)) ? WalkResult::interrupt()
                                         : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tdc::td
