//===- Simplify.cpp - td-simplify: one round of cheap steps ---------------===//
//
// One round of cheap steps, ordered so that each makes work for the next one
// and none for the previous one. A second round would find next to nothing and
// double the time. That matters for a small program, which compiles in a few
// milliseconds.
//
//===----------------------------------------------------------------------===//

#include "Simplify.h"
#include "Dialect/TD/Analysis/Sizes.h"
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
/// Hashes of ops, equal for ops that CSE may find equal. A hash covers the
/// name, the attributes, the ops that compute the operands, and the regions.
/// Ops are added in program order, the ops of a region before the op that has
/// it.
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
    // Random draws, and reads of slots, are different values even if the ops
    // are equal.
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

/// Runs MLIR's CSE. It hashes ops without their regions and compares regions
/// pair by pair: without the attribute, it would compare each loop with all
/// others that have the same initial values.
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

/// Removes the checks of a condition that an earlier check on every path has
/// tested: the program stops there if it does not hold.
static void removeRepeatedChecks(ModuleOp module) {
  DominanceInfo dominance(module);
  llvm::DenseMap<Value, SmallVector<AssertOp, 1>> tested;
  module.walk<WalkOrder::PreOrder>([&](AssertOp check) {
    SmallVector<AssertOp, 1> &earlier = tested[check.getCondition()];
    if (llvm::any_of(earlier, [&](AssertOp other) {
          return dominance.properlyDominates(other, check);
        }))
      check.erase();
    else
      earlier.push_back(check);
  });
}

namespace {
struct SimplifyPass : public impl::TDSimplifyPassBase<SimplifyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    // LLVM simplifies the rest of the host's code; these patterns are for td
    // and scf ops.
    RewritePatternSet patterns(context);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      // An scf.while must keep the form that CarryingLoop expects.
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
    // Not converging in one round is no failure: code that was not simplified
    // is still correct.
    (void)applyPatternsGreedily(module, canonicalizations, config);

    shareEqualOps(module);
    removeRepeatedChecks(module);
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

/// The bytes of the value, or of the tensors that ops which are free inside a
/// kernel make it of, if these are fewer.
static int64_t getBytesInMemory(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  int64_t own = estimateBytes(type), sum = 0;
  Operation *op = value.getDefiningOp();
  if (!op || !isFreeInKernels(op))
    return own;
  for (Value operand : op->getOperands())
    sum += getBytesInMemory(operand);
  return std::min(own, sum);
}

/// Whether to read the op's result costs more than to compute it again: a
/// simple op whose result has more bytes than what it is made of, as a cast
/// from bf16 to f32, or a mask of positions. A product reads the narrow tensor,
/// on a GPU by tensor cores.
static bool growsTensor(Operation *op) {
  auto compute = dyn_cast<ComputeOp>(op);
  if (!compute || compute.getInfo().cost != OpCost::Simple)
    return false;
  int64_t operands = 0, results = 0;
  for (Value operand : op->getOperands())
    operands += getBytesInMemory(operand);
  for (Type type : op->getResultTypes())
    results += estimateBytes(cast<RankedTensorType>(type));
  return results > operands;
}

namespace {
/// Hoists invariant ops out of one loop.
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
    // The loop may have no iteration; then the op runs although the program
    // would not run it.
    if (op->getNumRegions() || !mayRunUnasked(op))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !loop->isAncestor(operand.getParentBlock()->getParentOp()) ||
             invariant.contains(operand.getDefiningOp());
    });
  }

  /// Whether hoisting the op saves work. An op that is free inside a kernel
  /// would become a tensor that is written once and read in every iteration.
  bool isWork(Operation *op) const {
    return invariant.contains(op) &&
           (isa<ComputeOp>(op) || isa<ToDeviceOp>(op)) &&
           !isFreeInKernels(op) && !growsTensor(op);
  }

  void move(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *needed = operand.get().getDefiningOp();
      if (!needed || !invariant.contains(needed))
        continue;
      // An op that is free in kernels and has other uses is duplicated.
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
  // Inner loops first: an op that is hoisted out of one may leave the next,
  // too.
  module.walk<WalkOrder::PostOrder>([](Operation *op) {
    if (CarryingLoop loop(op); loop)
      Hoist(loop).run();
  });
}

} // namespace tdc::td
