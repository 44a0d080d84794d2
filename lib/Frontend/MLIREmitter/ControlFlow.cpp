//===- ControlFlow.cpp - loops and branches -------------------------------===//
//
// An op is created when its region begins. If its results are known only at the
// end of the region, a new op is created around the region then.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "MLIREmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tdc {

/// The form of td::CarryingLoop: the condition's region tests the first value
/// and forwards all values. The body is left empty.
static scf::WhileOp makeWhile(OpBuilder &builder, Location loc,
                              ValueRange inits) {
  auto ask = [](OpBuilder &inner, Location loc, ValueRange carried) {
    scf::ConditionOp::create(inner, loc, carried.front(), carried);
  };
  return scf::WhileOp::create(builder, loc, inits.getTypes(), inits, ask,
                              [](OpBuilder &, Location, ValueRange) {});
}

Emitter::Loop MLIREmitter::beginFor(Value from, Value to, Value step,
                                    llvm::ArrayRef<Value> initial) {
  auto loop = create<scf::ForOp>(unwrap(from), unwrap(to), unwrap(step),
                                 unwrap(initial));
  regions.push_back(loop);
  builder.setInsertionPointToStart(loop.getBody());
  return {wrap(loop.getInductionVar()),
          wrap(ValueRange(loop.getRegionIterArgs()))};
}

/// The trip count of a loop that is not left early; not positive if the loop
/// does not run.
mlir::Value MLIREmitter::countIterations(scf::ForOp loop) {
  mlir::Value step = loop.getStep();
  mlir::Value distance =
      create<arith::SubIOp>(loop.getUpperBound(), loop.getLowerBound());
  // Rounded up: the last step may be partial.
  mlir::Value part = create<arith::SubIOp>(step, unwrap(constantInt(1)));
  return create<arith::DivSIOp>(create<arith::AddIOp>(distance, part), step);
}

/// A loop that can be left early becomes a while loop that counts by itself.
llvm::SmallVector<Value> MLIREmitter::endFor(llvm::ArrayRef<Value> next,
                                             llvm::ArrayRef<Outcome> outcomes,
                                             Value leaves) {
  auto loop = llvm::cast<scf::ForOp>(regions.pop_back_val());
  if (!leaves) {
    assert(outcomes.empty() && "an outcome of a loop that is not left");
    // A loop that carries nothing is made with its terminator.
    if (!next.empty())
      create<scf::YieldOp>(unwrap(next));
    builder.setInsertionPointAfter(loop);
    return wrap(loop.getResults());
  }
  if (next.empty())
    loop.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(loop.getBody());
  mlir::Value limit = loop.getUpperBound();
  mlir::Value index =
      create<arith::AddIOp>(loop.getInductionVar(), loop.getStep());
  mlir::Value isWithin =
      create<arith::CmpIOp>(arith::CmpIPredicate::slt, index, limit);
  mlir::Value stays = hostBool(HostOp::Not, unwrap(leaves));
  mlir::Value goesOn = create<arith::AndIOp>(stays, isWithin);
  loop.getBody()->insertArgument(0u, goesOn.getType(), loop.getLoc());
  mlir::Value iterations =
      loop.getBody()->insertArgument(2u, index.getType(), loop.getLoc());
  llvm::SmallVector<mlir::Value> after = {goesOn, index, iterations};
  llvm::append_range(after, unwrap(next));

  // In the form that td::kCountedAttr describes.
  builder.setInsertionPoint(loop);
  mlir::Value first = loop.getLowerBound();
  llvm::SmallVector<mlir::Value> initial = {
      create<arith::CmpIOp>(arith::CmpIPredicate::slt, first, limit), first,
      countIterations(loop)};
  llvm::append_range(initial, loop.getInitArgs());
  scf::WhileOp remade = remakeLoop(loop, initial, after, outcomes);
  remade->setAttr(td::kCountedAttr, builder.getUnitAttr());
  return wrap(ValueRange(remade.getResults().drop_front(3)));
}

llvm::SmallVector<Value>
MLIREmitter::beginWhile(Value goesOn, llvm::ArrayRef<Value> initial) {
  llvm::SmallVector<mlir::Value> inits = {unwrap(goesOn)};
  llvm::append_range(inits, unwrap(initial));
  scf::WhileOp loop = makeWhile(builder, getLocation(), inits);
  regions.push_back(loop);
  builder.setInsertionPointToEnd(loop.getAfterBody());
  return wrap(ValueRange(loop.getAfterArguments().drop_front()));
}

llvm::SmallVector<Value>
MLIREmitter::endWhile(Value goesOn, llvm::ArrayRef<Value> next,
                      llvm::ArrayRef<Outcome> outcomes) {
  auto loop = llvm::cast<scf::WhileOp>(regions.pop_back_val());
  llvm::SmallVector<mlir::Value> after = {unwrap(goesOn)};
  llvm::append_range(after, unwrap(next));
  if (!outcomes.empty()) {
    llvm::SmallVector<mlir::Value> initial(loop.getInits());
    return wrap(ValueRange(
        remakeLoop(loop, initial, after, outcomes).getResults().drop_front()));
  }
  create<scf::YieldOp>(after);
  builder.setInsertionPointAfter(loop);
  return wrap(ValueRange(loop.getResults().drop_front()));
}

/// Replaces the loop `open` by a while loop around its body, with the initial
/// values `initial`. The body has its last values but no terminator yet. The
/// outcomes, known only now, become further carried values.
scf::WhileOp MLIREmitter::remakeLoop(Operation *open,
                                     llvm::ArrayRef<mlir::Value> initial,
                                     llvm::ArrayRef<mlir::Value> next,
                                     llvm::ArrayRef<Outcome> outcomes) {
  llvm::SmallVector<mlir::Value> inits(initial), last(next);
  Block *body = &open->getRegions().back().front();
  builder.setInsertionPoint(open);
  for (const Outcome &outcome : outcomes) {
    Type type = last.emplace_back(unwrap(outcome.last)).getType();
    mlir::Value carried = body->addArgument(type, open->getLoc());
    if (outcome.initial) {
      inits.push_back(unwrap(outcome.initial));
      continue;
    }
    // No op reads this initial value. Placeholders of the type in the body are
    // replaced by the carried value, so that no iteration makes one.
    inits.push_back(makePlaceholder(type));
    placeholders.remove_if([&](Operation *other) {
      bool isSame = open->isProperAncestor(other) &&
                    other->getResult(0).getType() == type;
      if (isSame) {
        other->getResult(0).replaceAllUsesWith(carried);
        other->erase();
      }
      return isSame;
    });
  }
  builder.setInsertionPointToEnd(body);
  create<scf::YieldOp>(last);
  builder.setInsertionPointAfter(open);
  scf::WhileOp loop = makeWhile(builder, open->getLoc(), inits);
  loop.getAfter().takeBody(open->getRegions().back());
  open->erase();
  return loop;
}

void MLIREmitter::beginIf(Value condition) {
  auto branch = create<scf::IfOp>(TypeRange(), unwrap(condition),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  regions.push_back(branch);
  builder.setInsertionPointToEnd(branch.thenBlock());
}

void MLIREmitter::beginElse() {
  builder.setInsertionPointToEnd(
      llvm::cast<scf::IfOp>(regions.back()).elseBlock());
}

/// The types of the results are known only now, so a new op is created around
/// the two bodies.
llvm::SmallVector<Value> MLIREmitter::endIf(llvm::ArrayRef<Value> thenValues,
                                            llvm::ArrayRef<Value> elseValues) {
  auto open = llvm::cast<scf::IfOp>(regions.pop_back_val());
  llvm::SmallVector<Type> types;
  for (auto [onThen, onElse] : llvm::zip_equal(thenValues, elseValues))
    types.push_back(unwrap(onElse ? onElse : onThen).getType());
  auto yield = [&](Block *side, llvm::ArrayRef<Value> values) {
    builder.setInsertionPointToEnd(side);
    llvm::SmallVector<mlir::Value> operands;
    for (auto [value, type] : llvm::zip_equal(values, types)) {
      mlir::Value operand = value ? unwrap(value) : makePlaceholder(type);
      if (operand.getType() != type)
        operand = create<td::ToDeviceOp>(type, operand, /*implied=*/true,
                                         /*kept=*/false);
      operands.push_back(operand);
    }
    create<scf::YieldOp>(operands);
  };
  yield(open.thenBlock(), thenValues);
  yield(open.elseBlock(), elseValues);

  builder.setInsertionPointAfter(open);
  if (thenValues.empty()) {
    if (llvm::hasSingleElement(*open.elseBlock()))
      open.elseBlock()->erase();
    return {};
  }
  auto closed =
      scf::IfOp::create(builder, open.getLoc(), types, open.getCondition(),
                        /*addThenBlock=*/false, /*addElseBlock=*/false);
  closed.getThenRegion().takeBody(open.getThenRegion());
  closed.getElseRegion().takeBody(open.getElseRegion());
  open.erase();
  return wrap(closed.getResults());
}

mlir::Value MLIREmitter::makePlaceholder(Type type) {
  if (isa<td::StrType>(type))
    return unwrap(constantString(""));
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return getConstant(builder.getZeroAttr(type));
  llvm::SmallVector<mlir::Value> sizes(tensor.getNumDynamicDims(),
                                       unwrap(constantInt(0)));
  auto fill =
      create<td::FillOp>(tensor, unwrap(constantFloat(0)), ValueRange(sizes));
  placeholders.insert(fill);
  return fill;
}

} // namespace tdc
