//===- VerifyReplicas.cpp - td-verify-replicas: replicas stay equal -------===//
//
// Has no code of td-data-parallel, only IR helpers that both use: getContent
// and withPlace. It walks a module once, in program order, and knows at each op
// which replicas do not have the new value of their slot yet. It compares how
// the new values of a slot and of its replicas are computed. They are equal if
// they are copies of one value, or if the same ops make them of equal values.
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

bool haveSameTypeButPlace(Type type, Type other) {
  auto tensor = dyn_cast<RankedTensorType>(type),
       otherTensor = dyn_cast<RankedTensorType>(other);
  return type == other ||
         (tensor && otherTensor &&
          withPlace(tensor, Place()) == withPlace(otherTensor, Place()));
}

/// Whether the attributes are equal, but for the places in types of data.
bool haveSameAttributes(Operation *op, Operation *twin) {
  DictionaryAttr own = op->getAttrDictionary(),
                 others = twin->getAttrDictionary();
  return own.size() == others.size() &&
         llvm::all_of(own, [&](NamedAttribute attribute) {
           Attribute other = others.get(attribute.getName());
           auto data = dyn_cast<DenseElementsAttr>(attribute.getValue());
           auto otherData = dyn_cast_or_null<DenseElementsAttr>(other);
           return attribute.getValue() == other ||
                  (data && otherData &&
                   haveSameTypeButPlace(data.getType(), otherData.getType()) &&
                   data == otherData.reshape(data.getType()));
         });
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

  /// No replica is stale at the start of a block, nor at its end.
  LogicalResult verify(Block &block);

private:
  /// A new value of a slot that a replica does not have yet.
  struct NewValue {
    Operation *op;
    Value content; ///< null until an op reads it
  };

  LogicalResult verify(Operation *op);
  LogicalResult verifyRead(Operation *op, StringAttr slot);
  LogicalResult verifyReplica(Operation *op, StringAttr replica);
  /// An error for each replica that has not got its value.
  LogicalResult verifyNoneIsStale();
  bool areEqual(Value value, Value twin);
  bool areReadTogether(ReadOp read, ReadOp twin) const;
  StringAttr getOriginal(StringAttr slot) const {
    StringAttr original = originals.lookup(slot);
    return original ? original : slot;
  }

  llvm::DenseMap<StringAttr, StringAttr> originals;
  llvm::DenseMap<StringAttr, SmallVector<StringAttr>> replicas;
  llvm::MapVector<StringAttr, NewValue> stale; ///< by replica
  /// How many ops before this one give a slot a new value.
  llvm::DenseMap<StringAttr, unsigned> versions;
  /// The version of the slot, or of the original of the replica, at a read.
  llvm::DenseMap<Operation *, unsigned> readVersions;
  llvm::DenseMap<std::pair<Value, Value>, bool> known;
};

/// Whether the reads are of a slot or its replicas, with one value of the slot.
/// Ops of other blocks may run again between two reads.
bool ReplicaVerifier::areReadTogether(ReadOp read, ReadOp twin) const {
  return read->getBlock() == twin->getBlock() &&
         getOriginal(read.getSlotAttr().getAttr()) ==
             getOriginal(twin.getSlotAttr().getAttr()) &&
         readVersions.lookup(read) == readVersions.lookup(twin);
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
  if (!op || !other || op->getName() != other->getName() ||
      !haveSameTypeButPlace(value.getType(), twin.getType()))
    return false;
  bool result = false;
  if (auto read = dyn_cast<ReadOp>(op)) {
    result = areReadTogether(read, cast<ReadOp>(other));
  } else if (isa<ComputeOp>(op)) {
    result = op->getNumOperands() == other->getNumOperands() &&
             haveSameAttributes(op, other);
    for (auto [a, b] : llvm::zip(op->getOperands(), other->getOperands()))
      result = result && areEqual(a, b);
  }
  return known[{value, twin}] = result;
}

LogicalResult ReplicaVerifier::verifyRead(Operation *op, StringAttr slot) {
  if (auto found = stale.find(slot); found != stale.end()) {
    StringRef original = originals.lookup(slot).getValue();
    InFlightDiagnostic error = op->emitError("expected a write of '")
                               << slot.getValue()
                               << "' before this read: it is a replica of '"
                               << original << "', which has a new value";
    error.attachNote(found->second.op->getLoc())
        << "'" << original << "' gets the value here";
    return error;
  }
  auto read = dyn_cast<ReadOp>(op);
  if (!read)
    return success();
  readVersions[read] = versions.lookup(getOriginal(slot));
  for (StringAttr replica : replicas.lookup(slot))
    if (auto found = stale.find(replica);
        found != stale.end() && !found->second.content)
      found->second.content = read;
  return success();
}

LogicalResult ReplicaVerifier::verifyReplica(Operation *op,
                                             StringAttr replica) {
  StringRef original = originals.lookup(replica).getValue();
  auto found = stale.find(replica);
  if (found == stale.end())
    return op->emitError("expected a write of '")
           << original << "' for this write of its replica";
  Value content = found->second.content;
  stale.erase(found);
  auto write = dyn_cast<WriteOp>(op);
  if (!write || !content || !areEqual(content, write.getValue()))
    return op->emitError("expected the value of '")
           << original << "' for its replica";
  return success();
}

LogicalResult ReplicaVerifier::verifyNoneIsStale() {
  for (auto &[replica, value] : stale)
    value.op->emitError("expected a write of its replica '")
        << replica.getValue() << "' to follow";
  return success(stale.empty());
}

LogicalResult ReplicaVerifier::verify(Operation *op) {
  auto user = dyn_cast<SlotUser>(op);
  if (!user || isa<MoveOp>(op)) // which keeps the value
    return success();
  for (StringAttr slot : user.getReadSlots())
    if (failed(verifyRead(op, slot)))
      return failure();
  for (StringAttr slot : user.getWrittenSlots())
    if (originals.contains(slot) && failed(verifyReplica(op, slot)))
      return failure();
  for (StringAttr slot : user.getWrittenSlots()) {
    ++versions[slot];
    for (StringAttr replica : replicas.lookup(slot)) {
      // A slot that gets two values in a row has given its replica none.
      if (stale.contains(replica))
        return verifyNoneIsStale();
      stale[replica] = {op, user.getWrittenValue()};
    }
  }
  return success();
}

LogicalResult ReplicaVerifier::verify(Block &block) {
  for (Operation &op : block) {
    if (op.getNumRegions() != 0 && failed(verifyNoneIsStale()))
      return failure();
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        if (failed(verify(inner)))
          return failure();
    if (failed(verify(&op)))
      return failure();
  }
  return verifyNoneIsStale();
}

struct VerifyReplicasPass
    : public impl::TDVerifyReplicasPassBase<VerifyReplicasPass> {
  void runOnOperation() override {
    if (failed(
            ReplicaVerifier(getOperation()).verify(*getOperation().getBody())))
      signalPassFailure();
  }
};

} // namespace
} // namespace tdc::td
