//===- Iterations.cpp - a loop one iteration earlier or later -------------===//

#include "Iterations.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/TD.h"
#include "Dialect/TD/IR/Views.h"

using namespace mlir;

namespace tdc::td {

bool hasIteration(scf::ForOp loop) {
  Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
  std::optional<int64_t> first = getConstantIntValue(lower),
                         last = getConstantIntValue(upper);
  if (first && last)
    return *first < *last;
  for (Operation *op = loop->getParentOp(); op; op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    auto compare = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>()
                          : arith::CmpIOp();
    if (compare && compare.getPredicate() == arith::CmpIPredicate::slt &&
        compare.getLhs() == lower && compare.getRhs() == upper &&
        branch.getThenRegion().isAncestor(loop->getParentRegion()))
      return true;
  }
  return false;
}

Value askForIteration(OpBuilder &builder, scf::ForOp loop) {
  return arith::CmpIOp::create(builder, loop.getLoc(),
                               arith::CmpIPredicate::slt, loop.getLowerBound(),
                               loop.getUpperBound());
}

Value getIteration(OpBuilder &builder, scf::ForOp loop, Value index) {
  Location loc = loop.getLoc();
  if (index == loop.getLowerBound())
    return arith::ConstantIntOp::create(builder, loc, index.getType(), 0);
  Value iteration = index;
  if (getConstantIntValue(loop.getLowerBound()) != 0)
    iteration =
        arith::SubIOp::create(builder, loc, iteration, loop.getLowerBound());
  if (getConstantIntValue(loop.getStep()) != 1)
    iteration = arith::DivSIOp::create(builder, loc, iteration, loop.getStep());
  return iteration;
}

void forEachReader(Value value, llvm::function_ref<void(Operation *)> visit) {
  for (Operation *user : value.getUsers()) {
    visit(user);
    if (isView(user))
      forEachReader(user->getResult(0), visit);
  }
}

bool isPassedOn(Value value) {
  bool isPassedOn = false;
  forEachReader(value, [&](Operation *user) {
    isPassedOn |= user->hasTrait<OpTrait::IsTerminator>() || CarryingLoop(user);
  });
  return isPassedOn;
}

} // namespace tdc::td
