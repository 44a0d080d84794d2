//===- Normalize.cpp - td-normalize: the form that placement expects ------===//

#include "Dialect/TD/Analysis/Frequencies.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Simplify.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDNORMALIZEPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {

bool needsPlacement(ModuleOp module) {
  if (module->hasAttr(kAsWrittenAttr))
    return false;
  auto isElsewhere = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && getPlace(tensor).kind == Place::Kind::Cuda;
  };
  return module
      .walk([&](Operation *op) {
        bool found =
            isa<MoveOp>(op) || llvm::any_of(op->getResultTypes(), isElsewhere);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

bool isKnownToRun(CarryingLoop loop) {
  if (std::optional<int64_t> iterations = getTripCount(loop.getOperation()))
    return *iterations > 0;
  return isa<scf::WhileOp>(loop.getOperation()) &&
         matchPattern(loop.getInits()[0].get(), m_One());
}

/// Puts a branch around the loop, `if it has an iteration { loop }`, so that
/// ops before the loop in the branch run only if the loop does.
void guard(CarryingLoop loop) {
  Operation *op = loop.getOperation();
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Value runs;
  if (auto counted = dyn_cast<scf::ForOp>(op))
    runs =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                              counted.getLowerBound(), counted.getUpperBound());
  else
    runs = loop.getInits()[0].get();
  SmallVector<Value> inits;
  for (OpOperand &init : loop.getInits())
    inits.push_back(init.get());
  auto branch = scf::IfOp::create(builder, loc, op->getResultTypes(), runs,
                                  /*withElseRegion=*/!inits.empty());
  op->replaceAllUsesWith(branch);
  Block *then = branch.thenBlock();
  op->moveBefore(then, then->begin());
  if (inits.empty())
    return;
  builder.setInsertionPointToEnd(then);
  scf::YieldOp::create(builder, loc, op->getResults());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, inits);
}

/// Replaces initial tensors that the loop never reads by poison; the loop has
/// at least one iteration. Returns whether it replaced any.
bool forgetStart(CarryingLoop loop) {
  bool found = false;
  for (auto [init, argument] :
       llvm::zip(loop.getInits(), loop.getArguments())) {
    if (!argument.use_empty() || !isa<RankedTensorType>(argument.getType()) ||
        init.get().getDefiningOp<ub::PoisonOp>())
      continue;
    OpBuilder builder(loop.getOperation());
    init.set(ub::PoisonOp::create(builder, loop->getLoc(), argument.getType()));
    found = true;
  }
  return found;
}

/// Removes values that are not needed, so that they are not copied anywhere.
void dropUnneeded(ModuleOp module) {
  for (bool changes = true; changes;) {
    changes = false;
    sweepDead(module);
    module.walk([&](Operation *op) {
      if (CarryingLoop loop(op); loop && isKnownToRun(loop))
        changes |= forgetStart(loop);
    });
  }
}

/// Converts a select of tensors to a branch: its sides can make different
/// copies.
void branchOnSelect(arith::SelectOp op) {
  OpBuilder builder(op);
  auto branch = scf::IfOp::create(
      builder, op.getLoc(), op.getCondition(),
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, op.getTrueValue());
      },
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, op.getFalseValue());
      });
  op.replaceAllUsesWith(branch.getResult(0));
  op.erase();
}

struct NormalizePass : public impl::TDNormalizePassBase<NormalizePass> {
  void runOnOperation() override {
    if (!needsPlacement(getOperation()))
      return;
    dropUnneeded(getOperation());
    getOperation()->walk([](Operation *op) {
      if (CarryingLoop loop(op); loop && !isKnownToRun(loop))
        guard(loop);
      else if (auto select = dyn_cast<arith::SelectOp>(op);
               select && isa<RankedTensorType>(select.getType()))
        branchOnSelect(select);
    });
  }
};

} // namespace
} // namespace tdc::td
