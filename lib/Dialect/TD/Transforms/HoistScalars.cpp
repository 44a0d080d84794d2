//===- HoistScalars.cpp - td-hoist-scalars: host arithmetic before kernels ===//
//
// A processor runs some hundred instructions ahead of the oldest one that is
// not done. The bias correction of an optimizer, for example, is a chain of
// powers and divisions: right before the update that needs it, it delays the
// whole step; before the preceding kernels, it costs nothing.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Transforms/Passes.h"
#include "Speculation.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tdc::td {
#define GEN_PASS_DEF_HOISTSCALARSPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// Whether it is a number, or a tensor of rank 0 on the host, which costs
/// nothing to read.
bool isHostScalar(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type.isIntOrFloat();
  return tensor.getRank() == 0 && getPlace(tensor).kind == Place::Kind::Cpu;
}

/// Whether the op may run anywhere after the ops that it depends on.
bool isHoistable(Operation &op) {
  if (isa<ReadOp>(op))
    return isHostScalar(op.getResult(0).getType());
  return op.getNumResults() == 1 && op.getNumRegions() == 0 &&
         mayRunUnasked(&op) &&
         llvm::all_of(op.getOperandTypes(), isHostScalar) &&
         op.getResult(0).getType().isIntOrFloat();
}

class Hoister {
public:
  explicit Hoister(Block &block) : block(block) {}

  void run();

private:
  /// The last op of the block that must precede `op`, or null.
  Operation *findLastNeeded(Operation &op) const;
  /// Records the slots that `op` may write.
  void recordWrites(Operation &op);

  Block &block;
  llvm::DenseMap<Attribute, Operation *> lastWrites; ///< by slot
  Operation *lastUnknownWrite = nullptr;
};

Operation *Hoister::findLastNeeded(Operation &op) const {
  Operation *last = nullptr;
  auto need = [&](Operation *other) {
    if (other && other->getBlock() == &block &&
        (!last || last->isBeforeInBlock(other)))
      last = other;
  };
  for (Value operand : op.getOperands())
    need(operand.getDefiningOp());
  if (auto read = dyn_cast<ReadOp>(op)) {
    need(lastWrites.lookup(read.getSlotAttr()));
    need(lastUnknownWrite);
  }
  return last;
}

void Hoister::recordWrites(Operation &op) {
  op.walk([&](Operation *inner) {
    // Ops within a branch or loop are walked themselves.
    bool isOnlyAround =
        inner->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>();
    if (auto write = dyn_cast<WriteOp>(inner))
      lastWrites[write.getSlotAttr()] = &op;
    else if (!isa<ReadOp>(inner) && !isOnlyAround && !isMemoryEffectFree(inner))
      lastUnknownWrite = &op;
  });
}

void Hoister::run() {
  unsigned kernels = 0;
  // For each op, the number of kernels up to and including it.
  llvm::DenseMap<Operation *, unsigned> kernelsBefore;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isHoistable(op)) {
      recordWrites(op);
      kernels += isa<KernelOp>(op);
      kernelsBefore[&op] = kernels;
      continue;
    }
    Operation *needed = findLastNeeded(op);
    unsigned earliest = needed ? kernelsBefore.lookup(needed) : 0;
    kernelsBefore[&op] = earliest;
    if (earliest == kernels)
      continue;
    if (needed)
      op.moveAfter(needed);
    else
      op.moveBefore(&block, block.begin());
  }
}

struct HoistScalarsPass : public impl::HoistScalarsPassBase<HoistScalarsPass> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) {
      if (!isa<KernelOp, ModuleOp>(block->getParentOp()))
        Hoister(*block).run();
    });
  }
};

} // namespace
} // namespace tdc::td
