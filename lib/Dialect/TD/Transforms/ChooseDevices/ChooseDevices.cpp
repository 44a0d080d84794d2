//===- ChooseDevices.cpp - td-choose-devices: move ops to save time -------===//

#include "../PlacementRemarks.h"
#include "DeviceCut.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/IR/Views.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "FreeOps.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDCHOOSEDEVICESPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// Whether the op is a T-op and each reader of its result can be given one of
/// two results.
bool isReplicable(Operation *op) {
  return isTOp(op) &&
         llvm::all_of(getContentUses(op->getResult(0)), [](OpOperand *use) {
           return isa<ComputeOp>(use->getOwner()) ||
                  use->getOwner()->hasTrait<HostReaderOp>();
         });
}

class Mover {
public:
  explicit Mover(const Devices &devices) : devices(devices) {}

  /// Makes the op run on `device`: its operands are copied there, and its
  /// result is copied back.
  void move(Operation *op, unsigned device) {
    const Place &place = devices.getPlace(device);
    Value result = op->getResult(0);
    auto type = cast<RankedTensorType>(result.getType());
    if (getPlace(type) == place)
      return;
    remarkMovedOp(op, getPlace(type), place, getSavedBytes(op));
    bringOperands(op, place, !isWrittenTo(result, place));
    result.setType(withPlace(type, place));
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    Value back = bring(builder, result, type, /*isImplied=*/true);
    result.replaceAllUsesExcept(back, back.getDefiningOp());
  }

  /// Makes the op run on both devices; each reader reads the result on its own
  /// device. The devices of the readers are already chosen.
  void replicate(Operation *op) {
    Value result = op->getResult(0);
    Place own = getPlace(result);
    const Place &other = devices.getPlace(own == devices.getPlace(0) ? 1 : 0);
    OpBuilder builder(op);
    Operation *twin = builder.clone(*op);
    Value copy = twin->getResult(0);
    copy.setType(withPlace(cast<RankedTensorType>(copy.getType()), other));
    bringOperands(twin, other, !isWrittenTo(result, other));
    for (OpOperand *use : getContentUses(result)) {
      Operation *user = use->getOwner();
      Place place =
          isa<ComputeOp>(user) ? getPlace(user->getResult(0)) : getCpu();
      if (place != other)
        continue;
      builder.setInsertionPoint(user);
      use->set(bring(builder, copy, use->get().getType(), /*isImplied=*/true));
    }
  }

private:
  static int64_t getSavedBytes(Operation *op) {
    int64_t bytes = 0;
    auto add = [&](Value value, int64_t sign) {
      if (auto type = dyn_cast<RankedTensorType>(value.getType()))
        bytes += sign * estimateBytes(type);
    };
    add(op->getResult(0), 1);
    for (Value operand : op->getOperands())
      add(operand, -1);
    return bytes;
  }

  /// Whether the program itself copies the result to `place`. If operands are
  /// copied instead, these copies count as written by the program.
  static bool isWrittenTo(Value result, const Place &place) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      auto copy = dyn_cast<ToDeviceOp>(user);
      return copy && !copy.getImplied() && getPlace(copy.getResult()) == place;
    });
  }

  static Value bring(OpBuilder &builder, Value value, Type type,
                     bool isImplied) {
    if (value.getType() == type)
      return value;
    return ToDeviceOp::create(builder, value.getLoc(), type, value, isImplied);
  }

  static void bringOperands(Operation *op, const Place &place, bool isImplied) {
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      if (auto from = dyn_cast<RankedTensorType>(operand.get().getType()))
        operand.set(
            bring(builder, operand.get(), withPlace(from, place), isImplied));
  }

  const Devices &devices;
};

struct ChooseDevicesPass
    : public impl::TDChooseDevicesPassBase<ChooseDevicesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    bool isOptimizing = module->hasAttr(kOptimizeAttr);
    if (needsPlacement(module) && !areTOpsFixed(module))
      choose(module, isOptimizing);
    if (isOptimizing)
      dropPins(module);
  }

  void choose(ModuleOp module, bool isOptimizing) {
    OpSet free = isOptimizing ? findFreeOps(module) : findFreeTOps(module);
    ValueFlow flow(module, [&](Operation *op) { return free.contains(op); });
    if (isOptimizing && flow.devices.size() > 2) {
      module.emitError("TD900: `--placement=optimize` of a program for several "
                       "GPUs is not built yet");
      return signalPassFailure();
    }
    // A minimum cut separates only two devices.
    if (flow.devices.size() != 2 || free.empty())
      return;
    SmallVector<FreeOp> ops = llvm::map_to_vector(free, [&](Operation *op) {
      return FreeOp{op, isOptimizing && isReplicable(op), isOptimizing};
    });
    SmallVector<DeviceSet> choices = DeviceCut(flow, ops).solve();
    Mover mover(flow.devices);
    // The last op first: the copies of an op's result are final then.
    for (auto [free, devices] : llvm::reverse(llvm::zip(ops, choices)))
      if (llvm::popcount(devices) == 1)
        mover.move(free.op, llvm::countr_zero(devices));
    // Readers first: if a reader runs on both devices, each of its twins reads
    // its own result.
    for (auto [free, devices] : llvm::reverse(llvm::zip(ops, choices)))
      if (llvm::popcount(devices) == 2)
        mover.replicate(free.op);
  }

  /// Removes the annotations, once the devices are chosen.
  static void dropPins(ModuleOp module) {
    module.walk([](ToDeviceOp op) {
      if (!op.getPinned())
        return;
      op.setPinned(false);
      if (op.getInput().getType() != op.getType())
        return;
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }
};

} // namespace
} // namespace tdc::td
