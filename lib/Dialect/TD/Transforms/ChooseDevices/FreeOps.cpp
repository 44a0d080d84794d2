//===- FreeOps.cpp - ops that may run on another device -------------------===//

#include "FreeOps.h"
#include "Dialect/TD/Analysis/Frequencies.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/IR/BytesByGPU.h"
#include "Dialect/TD/IR/Views.h"

using namespace mlir;

namespace tdc::td {

static int64_t bytesOf(Value value) {
  return estimateBytes(cast<RankedTensorType>(value.getType()));
}

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// T-ops
//===----------------------------------------------------------------------===//

/// Whether the compiler knows how often each op runs.
static bool isProfileExact(ModuleOp module) {
  return !module
              .walk([](Operation *op) {
                bool isUnknown = isa<scf::IfOp, scf::WhileOp>(op) ||
                                 (isa<scf::ForOp>(op) && !getTripCount(op));
                return isUnknown ? WalkResult::interrupt()
                                 : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether a compute op of `block`, other than a T-op, reads the value on
/// `place`: then the value is copied there whatever T-ops do.
static bool isReadAt(Value value, const Place &place, Block *block) {
  return llvm::any_of(getContentUses(value), [&](OpOperand *use) {
    Operation *user = use->getOwner();
    return user->getBlock() == block && isa<ComputeOp>(user) && !isTOp(user) &&
           getPlace(user->getResult(0)) == place;
  });
}

/// Whether the op, the ops that make its operands for it alone, and the one op
/// that reads its result are in one block: then a move saves bytes on every run
/// or on none. An operand may also be made elsewhere if it is read on the
/// reader's device anyway.
static bool isLocal(Operation *op) {
  SmallVector<OpOperand *> uses = getContentUses(op->getResult(0));
  if (uses.size() != 1)
    return false;
  Operation *user = uses.front()->getOwner();
  if (user->getBlock() != op->getBlock() || !isa<ComputeOp>(user))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    if (!isTensor(operand))
      return true;
    Value content = getContent(operand);
    bool isOwn = content.getParentBlock() == op->getBlock() &&
                 content.getDefiningOp() &&
                 llvm::hasSingleElement(operand.getUses());
    return isOwn ||
           isReadAt(content, getPlace(user->getResult(0)), op->getBlock());
  });
}

/// Whether the op has a result smaller than an operand and is on the device of
/// that operand. It must stay there: a move would copy the whole operand
/// instead of a part.
static bool shrinksAtHome(Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    if (!isTensor(operand))
      return false;
    Value content = getContent(operand);
    return bytesOf(content) > bytesOf(op->getResult(0)) &&
           getPlace(content) == getPlace(op->getResult(0));
  });
}

OpSet findFreeTOps(ModuleOp module) {
  bool isExact = isProfileExact(module);
  OpSet result;
  module.walk([&](Operation *op) {
    if (isTOp(op) && !shrinksAtHome(op) && (isExact || isLocal(op)))
      result.insert(op);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

/// Returns the values of parameters of moved models: values that are read from
/// them, and values that are written to them, since the next use may have the
/// written value directly.
static llvm::DenseSet<Value> findParameters(ModuleOp module) {
  llvm::DenseSet<StringAttr> moved;
  module.walk([&](MoveOp op) {
    if (!op.getImplied())
      moved.insert(op.getSlotAttr().getAttr());
  });
  llvm::DenseSet<Value> values;
  module.walk([&](Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op);
        read && moved.contains(read.getSlotAttr().getAttr()))
      values.insert(read.getResult());
    else if (auto write = dyn_cast<WriteOp>(op);
             write && moved.contains(write.getSlotAttr().getAttr()))
      values.insert(getContent(write.getValue()));
  });
  return values;
}

/// Returns the ops with an annotation that gives their device.
static llvm::DenseSet<Operation *> findAnnotated(ModuleOp module) {
  llvm::DenseSet<Operation *> ops;
  module.walk([&](ToDeviceOp op) {
    if (!op.getPinned())
      return;
    Value value = op.getInput();
    while (auto transfer = value.getDefiningOp<ToDeviceOp>()) {
      // An annotation after a `.to` does not apply to the op before it.
      if (!transfer.getImplied())
        return;
      value = transfer.getInput();
    }
    ops.insert(value.getDefiningOp());
  });
  return ops;
}

/// The bytes of the largest tensor that may be copied to a device for an op
/// that reads a part of it: half of the memory of the device, where that is
/// known, and at most 1 GiB.
static int64_t getMostTaken(ModuleOp module) {
  int64_t most = int64_t(1) << 30;
  for (const auto &[gpu, bytes] : getBytesByGPU(module, kMemoryAttr))
    most = std::min(most, bytes / 2);
  return most;
}

static bool readsPartOfMuch(Operation *op, int64_t most) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return isTensor(operand) && bytesOf(operand) > most &&
           bytesOf(operand) > bytesOf(op->getResult(0));
  });
}

OpSet findFreeOps(ModuleOp module) {
  llvm::DenseSet<Value> parameters = findParameters(module);
  llvm::DenseSet<Operation *> annotated = findAnnotated(module);
  int64_t most = getMostTaken(module);
  auto isParameter = [&](Value value) {
    return parameters.contains(getContent(value));
  };
  OpSet result;
  module.walk([&](Operation *op) {
    bool isPinned = llvm::any_of(op->getOperands(), isParameter) ||
                    llvm::any_of(op->getResults(), isParameter) ||
                    annotated.contains(op);
    if (isa<ComputeOp>(op) && !isConstructor(op) && !isPinned &&
        !readsPartOfMuch(op, most))
      result.insert(op);
  });
  return result;
}

} // namespace tdc::td
