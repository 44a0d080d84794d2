//===- Simplify.cpp - td-simplify: drop what elaboration and grad leave ---===//
//
// One round of cheap steps in an order in which each makes work for the next
// and none for the one before. A second round finds next to nothing and would
// double the time, of which a small program has little: its whole compilation
// is a few milliseconds.
//
//===----------------------------------------------------------------------===//

#include "Simplify.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Speculation.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDSIMPLIFYPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {

//===----------------------------------------------------------------------===//
// Common subexpressions
//===----------------------------------------------------------------------===//

/// Temporary attribute of loops and branches during CSE: a hash of their
/// regions.
static constexpr llvm::StringLiteral kRegionsAttr = "td.regions";

namespace {
/// Hashes of ops that are equal for ops which CSE may find equal: of the name,
/// the attributes, what the operands are computed from, and the regions. Ops
/// are added in program order, those of regions before the op that has them.
class StructuralHashes {
public:
  llvm::hash_code add(Operation *op) {
    llvm::hash_code hash = OperationEquivalence::computeHash(
        op, [&](Value operand) { return hashOf(operand); },
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        hash = llvm::hash_combine(hash, hashes.at(&inner));
    hashes[op] = hash;
    if (!isMemoryEffectFree(op))
      withEffects.insert(op);
    return hash;
  }

private:
  llvm::hash_code hashOf(Value value) const {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return llvm::hash_value(argument.getArgNumber());
    // Draws and reads of equal words are different values.
    auto result = cast<OpResult>(value);
    if (withEffects.contains(result.getOwner()))
      return hash_value(value);
    return llvm::hash_combine(hashes.at(result.getOwner()),
                              result.getResultNumber());
  }

  llvm::DenseMap<Operation *, llvm::hash_code> hashes;
  llvm::DenseSet<Operation *> withEffects;
};
} // namespace

/// Runs MLIR's CSE, which hashes ops without their regions and compares these
/// in pairs: without the attribute, each loop with all others of the same
/// initial values.
static void shareEqualOps(ModuleOp module) {
  Builder builder(module.getContext());
  StructuralHashes hashes;
  module.walk([&](Operation *op) {
    llvm::hash_code hash = hashes.add(op);
    if (isStructured(op))
      op->setAttr(kRegionsAttr, builder.getI64IntegerAttr(size_t(hash)));
  });
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  eliminateCommonSubExpressions(rewriter, dominance, module);
  module.walk([](Operation *op) {
    if (isStructured(op))
      op->removeAttr(kRegionsAttr);
  });
}

namespace {
struct SimplifyPass : public impl::TDSimplifyPassBase<SimplifyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    // The host part's own simplification is LLVM's; here only what td ops meet.
    RewritePatternSet patterns(context);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      // Loops keep the form of CarryingLoop.
      if (isa<TDDialect, scf::SCFDialect>(op.getDialect()) &&
          op.getStringRef() != scf::WhileOp::getOperationName())
        op.getCanonicalizationPatterns(patterns, context);
    canonicalizations = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    forwardSlots(module);
    sweepDead(module);

    GreedyRewriteConfig config;
    config.setUseTopDownTraversal()
        .setMaxIterations(1)
        .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Not converging in one round is no failure: what is missed is not wrong.
    (void)applyPatternsGreedily(module, canonicalizations, config);

    shareEqualOps(module);
    hoistInvariants(module);
  }

  FrozenRewritePatternSet canonicalizations;
};
} // namespace

//===----------------------------------------------------------------------===//
// Hoisting
//===----------------------------------------------------------------------===//

bool isFreeInKernels(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute)
    return false;
  const OpInfo &info = compute.getInfo();
  return info.cost == OpCost::Free ||
         (info.family == OpFamily::Constructor && info.cost == OpCost::Simple);
}

namespace {
/// What moves in front of one loop.
class Hoist {
public:
  explicit Hoist(CarryingLoop loop) : loop(loop) {}

  void run() {
    for (Operation &op : *loop.getBody())
      if (isInvariant(&op))
        invariant.insert(&op);
    for (Operation &op : llvm::make_early_inc_range(*loop.getBody()))
      if (isWork(&op))
        move(&op);
  }

private:
  bool isInvariant(Operation *op) {
    // The loop may have no iteration.
    if (op->getNumRegions() || !mayRunUnasked(op))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !loop->isAncestor(operand.getParentBlock()->getParentOp()) ||
             invariant.contains(operand.getDefiningOp());
    });
  }

  /// What is free inside a kernel would, as a tensor of its own, be written
  /// once and read in every iteration.
  bool isWork(Operation *op) const {
    return invariant.contains(op) &&
           (isa<ComputeOp>(op) || isa<ToDeviceOp>(op)) && !isFreeInKernels(op);
  }

  void move(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *needed = operand.get().getDefiningOp();
      if (!needed || !invariant.contains(needed))
        continue;
      // What is free inside and used there as well is doubled.
      bool stays = !isWork(needed) && !needed->hasOneUse();
      if (stays) {
        needed = needed->clone();
        op->getBlock()->getOperations().insert(op->getIterator(), needed);
        operand.set(
            needed->getResult(cast<OpResult>(operand.get()).getResultNumber()));
        invariant.insert(needed);
      }
      move(needed);
    }
    op->moveBefore(loop.getOperation());
    invariant.erase(op);
  }

  CarryingLoop loop;
  llvm::DenseSet<Operation *> invariant;
};
} // namespace

void hoistInvariants(ModuleOp module) {
  // Inner loops first: what leaves one may leave the next.
  module.walk<WalkOrder::PostOrder>([](Operation *op) {
    if (CarryingLoop loop(op); loop)
      Hoist(loop).run();
  });
}

} // namespace tdc::td
