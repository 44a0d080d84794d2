//===- VerifyPlacement.cpp - td-verify-placement: operands are in place ---===//
//
// Shares no code with td-place: it checks the places of each op's operands. The
// place of a value is part of its type, and loops, branches and slots must keep
// it when they pass a value on. A handle has no place, but a value that is read
// from it has one: td.handle and td.replica_get must only keep the tensor type,
// which their own verifiers check.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDVERIFYPLACEMENTPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

class PlacementVerifier {
public:
  explicit PlacementVerifier(ModuleOp module) {
    for (auto slot : module.getOps<SlotOp>())
      slots[slot.getSymNameAttr()] = slot.getType();
  }

  LogicalResult verify(Operation *op) {
    for (Type type : op->getOperandTypes())
      if (failed(verifyDecided(op, type)))
        return failure();
    for (Type type : op->getResultTypes())
      if (failed(verifyDecided(op, type)))
        return failure();
    if (CarryingLoop loop(op); loop) {
      for (auto [init, argument, next, result] :
           llvm::zip(loop.getInits(), loop.getArguments(),
                     loop.getYield()->getOperands(), loop.getResults()))
        for (Value other : {init.get(), next, Value(result)})
          if (failed(verifySame(op, argument, other)))
            return failure();
      return success();
    }
    if (isa<scf::IfOp>(op)) {
      for (OpResult result : op->getResults())
        for (Region &region : op->getRegions())
          if (failed(verifySame(op, result,
                                region.front().getTerminator()->getOperand(
                                    result.getResultNumber()))))
            return failure();
      return success();
    }
    if (isa<ComputeOp>(op)) {
      Type type = op->getResult(0).getType();
      return verifyOperands(op, getPlace(cast<RankedTensorType>(type)));
    }
    if (op->hasTrait<HostReaderOp>())
      return verifyOperands(op, getCpu());
    if (auto load = dyn_cast<LoadOp>(op))
      return verifyAt(op, load.getType(), getCpu());
    if (auto read = dyn_cast<ReadOp>(op))
      return verifySlot(op, read.getSlotAttr(), read.getType());
    if (auto write = dyn_cast<WriteOp>(op))
      return verifySlot(op, write.getSlotAttr(), write.getValue().getType());
    if (auto save = dyn_cast<SaveOp>(op))
      return verifyOnCpu(op, save.getSlots());
    if (auto restore = dyn_cast<RestoreOp>(op))
      return verifyOnCpu(op, restore.getSlots());
    if (isa<MoveOp>(op))
      return op->emitOpError("moves what has its place");
    return success();
  }

private:
  static std::string spell(const Place &place) { return spelling(place); }

  LogicalResult verifyDecided(Operation *op, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    Place place = getPlace(tensor);
    if (place.kind == Place::Kind::Cpu || place.kind == Place::Kind::Cuda)
      return success();
    return op->emitOpError("has a tensor without a device: ") << type;
  }

  LogicalResult verifySame(Operation *op, Value passed, Value other) {
    if (passed.getType() == other.getType())
      return success();
    return op->emitOpError("passes on ")
           << other.getType() << " as " << passed.getType();
  }

  LogicalResult verifyAt(Operation *op, RankedTensorType type,
                         const Place &place) {
    if (getPlace(type) == place)
      return success();
    return op->emitOpError("at ")
           << spell(place) << " has a tensor at " << spell(getPlace(type));
  }

  LogicalResult verifyOperands(Operation *op, const Place &place) {
    for (Type type : op->getOperandTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (failed(verifyAt(op, tensor, place)))
          return failure();
    return success();
  }

  LogicalResult verifySlot(Operation *op, FlatSymbolRefAttr slot, Type type) {
    Type own = slots.lookup(slot.getAttr());
    if (own == type)
      return success();
    return op->emitOpError("expected the type of ")
           << slot << ", " << own << ", got " << type;
  }

  LogicalResult verifyOnCpu(Operation *op, ArrayAttr names) {
    for (auto slot : names.getAsRange<FlatSymbolRefAttr>()) {
      auto type = dyn_cast<RankedTensorType>(slots.lookup(slot.getAttr()));
      if (!type || getPlace(type) != getCpu())
        return op->emitOpError("expected a slot on the cpu, got ") << slot;
    }
    return success();
  }

  llvm::DenseMap<StringAttr, Type> slots;
};

struct VerifyPlacementPass
    : public impl::TDVerifyPlacementPassBase<VerifyPlacementPass> {
  void runOnOperation() override {
    // With copies as written, slots are wherever the program moves them.
    if (getOperation()->hasAttr(kAsWrittenAttr))
      return;
    PlacementVerifier verifier(getOperation());
    bool isPlaced = !getOperation()
                         ->walk([&](Operation *op) {
                           return failed(verifier.verify(op))
                                      ? WalkResult::interrupt()
                                      : WalkResult::advance();
                         })
                         .wasInterrupted();
    if (!isPlaced)
      signalPassFailure();
  }
};

} // namespace
} // namespace tdc::td
