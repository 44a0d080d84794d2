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
#include "mlir/IR/Matchers.h"
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

/// While equal ops are looked for, on loops and branches: a hash of the
/// regions.
static constexpr llvm::StringLiteral kRegionsAttr = "td.regions";

/// A hash of the ops in the regions of `op`, of which those with regions have
/// theirs, and of what they take from outside.
static int64_t hashRegions(Operation *op) {
  auto hashOperand = [&](Value value) {
    if (op->isAncestor(value.getParentBlock()->getParentOp()))
      return llvm::hash_code(0);
    // Equal constants may be several ops.
    Operation *constant = value.getDefiningOp();
    if (!constant || !matchPattern(constant, m_Constant()))
      return hash_value(value);
    return OperationEquivalence::computeHash(
        constant, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::ignoreHashValue);
  };
  llvm::hash_code hash(0);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      hash =
          llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                       &inner, hashOperand,
                                       OperationEquivalence::ignoreHashValue));
  return size_t(hash);
}

/// Runs MLIR's CSE, which looks at the regions of ops only if all else about
/// them is equal: without a hash of the regions among their attributes, it
/// would compare each loop with all others of the same initial values.
static void shareEqualOps(ModuleOp module) {
  Builder builder(module.getContext());
  module.walk([&](Operation *op) {
    if (isStructured(op))
      op->setAttr(kRegionsAttr, builder.getI64IntegerAttr(hashRegions(op)));
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
  return isa<ConstantOp, FillOp, IotaOp, BroadcastOp, ReshapeOp, PermuteOp,
             SliceOp>(op);
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
    // The loop may have no turn.
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
           (op->hasTrait<ComputeOp>() || isa<ToDeviceOp>(op)) &&
           !isFreeInKernels(op);
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
