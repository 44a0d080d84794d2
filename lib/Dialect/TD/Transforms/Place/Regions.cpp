//===- Regions.cpp - values that loops and branches pass on ---------------===//

#include "Regions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace tdc::td {

static SmallVector<Value> makePoison(OpBuilder &builder, Location loc,
                                     TypeRange types) {
  return llvm::map_to_vector(types, [&](Type type) -> Value {
    return ub::PoisonOp::create(builder, loc, type);
  });
}

static Operation *makeEmpty(Operation *op, TypeRange added) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  SmallVector<Type> types(op->getResultTypes());
  types.append(added.begin(), added.end());
  OperationState state(loc, op->getName());
  state.addTypes(types);
  state.addOperands(op->getOperands());
  if (!isa<scf::IfOp>(op))
    state.addOperands(makePoison(builder, loc, added));
  state.addAttributes(op->getAttrs());
  for (unsigned i = 0; i != op->getNumRegions(); ++i)
    state.addRegion();
  return builder.create(state);
}

Operation *addPassedValues(Operation *op, TypeRange types) {
  Operation *wider = makeEmpty(op, types);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), wider->getRegions())) {
    to.takeBody(from);
    if (to.empty())
      continue;
    Block &block = to.front();
    Operation *terminator = block.getTerminator();
    // The condition of a while loop passes its arguments on; bodies yield.
    if (!isa<scf::IfOp>(op))
      for (Type type : types)
        block.addArgument(type, op->getLoc());
    OpBuilder builder(terminator);
    SmallVector<Value> operands(terminator->getOperands());
    if (isa<scf::ConditionOp>(terminator))
      llvm::append_range(operands,
                         block.getArguments().take_back(types.size()));
    else
      llvm::append_range(operands, makePoison(builder, op->getLoc(), types));
    terminator->setOperands(operands);
  }
  for (auto [old, result] : llvm::zip(op->getResults(), wider->getResults()))
    old.replaceAllUsesWith(result);
  op->erase();
  return wider;
}

} // namespace tdc::td
