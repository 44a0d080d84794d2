//===- ReverseSweep.cpp - emitting the backward pass ----------------------===//
//
// Reverses straight-line code, scf.if and scf.for. The backward pass is first
// emitted with uses of forward values wherever they are, even inside the region
// of another op; `Residuals` then makes these uses legal. So rules need not
// know about regions.
//
//===----------------------------------------------------------------------===//

#include "ReverseSweep.h"
#include "Dialect/TD/Gradients/TensorBuilder.h"
#include "Residuals.h"
#include "RuleRounding.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tdc::td {

/// Returns `gradient` on the place of `type`: a slot may be read on several
/// places.
static Value conform(TensorBuilder b, Value gradient, Type type) {
  return gradient.getType() == type ? gradient
                                    : b.make<ToDeviceOp>(type, gradient);
}

static bool isZeros(Value tensor) {
  auto made = tensor.getDefiningOp<ComputeOp>();
  Value element = made ? made.getElement() : Value();
  return element && matchPattern(element, m_AnyZeroFloat());
}

/// Returns `sum + gradient`. The gradient of a slice or a gather is zero except
/// for a part, and only that part is added: a loop over the slices of a tensor
/// must not add to the whole tensor in every iteration.
static Value addTo(TensorBuilder b, OpBuilder &builder, Value sum,
                   Value gradient) {
  auto update = gradient.getDefiningOp<UpdateOp>();
  if (update && update.getBase() && isZeros(update.getBase()))
    if (Value whole = update.addTo(builder, sum))
      return whole;
  return b.add(sum, gradient);
}

void ReverseSweep::accumulate(Adjoints &adjoints, Value value, Value gradient) {
  Value &sum = adjoints.values[value];
  TensorBuilder b(builder, gradient.getLoc());
  sum = sum ? addTo(b, builder, sum, gradient) : gradient;
}

void ReverseSweep::addSlot(Adjoints &adjoints, StringAttr slot,
                           Value gradient) {
  Value &sum = adjoints.slots[slot];
  TensorBuilder b(builder, gradient.getLoc());
  sum = sum ? b.add(sum, conform(b, gradient, sum.getType())) : gradient;
}

/// Moves the gradients of `before`, the results of an op that was replaced, to
/// `after`.
static void rename(Adjoints &adjoints, ArrayRef<Value> before,
                   ValueRange after) {
  for (auto [from, to] : llvm::zip(before, after)) {
    Value gradient = adjoints.values.lookup(from);
    if (from == to || !gradient)
      continue;
    adjoints.values.erase(from);
    adjoints.values[to] = gradient;
  }
}

LogicalResult ReverseSweep::run(ArrayRef<Operation *> ops, Adjoints &adjoints) {
  for (Operation *op : llvm::reverse(ops)) {
    LogicalResult built = success();
    if (auto branch = dyn_cast<scf::IfOp>(op))
      built = reverseIf(branch, adjoints);
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      built = reverseFor(loop, adjoints);
    else if (isa<scf::WhileOp>(op))
      built = op->emitError(
          "TD900: the gradient through a `while` loop, or one that `break` or "
          "`return` ends, is not built yet");
    else if (Value cotangent = adjoints.values.lookup(op->getResult(0)))
      reverseOp(op, cotangent, adjoints);
    if (failed(built))
      return failure();
  }
  return success();
}

static SmallVector<Value> applyRule(Operation *op, Value cotangent,
                                    OpBuilder &builder) {
  auto choice = dyn_cast<arith::SelectOp>(op);
  if (!choice)
    return cast<Differentiable>(op).buildVJP(builder, cotangent);
  TensorBuilder b(builder, op->getLoc());
  Value zero = b.zeros(cotangent), condition = choice.getCondition();
  return {Value(), b.make<arith::SelectOp>(condition, cotangent, zero),
          b.make<arith::SelectOp>(condition, zero, cotangent)};
}

void ReverseSweep::reverseOp(Operation *op, Value cotangent,
                             Adjoints &adjoints) {
  if (flow.isLeafRead(op))
    return addSlot(adjoints, cast<ReadOp>(op).getSlotAttr().getAttr(),
                   cotangent);
  if (!isDifferentiable(op))
    return;

  Block *block = builder.getInsertionBlock();
  Block::iterator at = builder.getInsertionPoint();
  Operation *before = at == block->begin() ? nullptr : &*std::prev(at);
  SmallVector<Value> gradients = applyRule(op, cotangent, builder);

  // A rule computes gradients for all operands; ops for gradients that are not
  // needed are erased at once.
  llvm::SmallPtrSet<Operation *, 4> wanted;
  for (auto [operand, gradient] :
       llvm::zip_equal(op->getOperands(), gradients)) {
    if (!flow.carries(operand))
      gradient = Value();
    else if (gradient)
      wanted.insert(gradient.getDefiningOp());
  }
  for (auto it = at; it != block->begin() && &*std::prev(it) != before;) {
    Operation *made = &*std::prev(it);
    if (made->use_empty() && !wanted.contains(made))
      made->erase();
    else
      --it;
  }
  SmallVector<Operation *> made;
  for (auto it = before ? std::next(before->getIterator()) : block->begin();
       it != at; ++it) {
    it->setLoc(getGradientLocation(it->getLoc()));
    made.push_back(&*it);
  }
  roundOnce(made, gradients);
  for (auto [operand, gradient] : llvm::zip_equal(op->getOperands(), gradients))
    if (gradient)
      accumulate(adjoints, operand, gradient);
}

LogicalResult ReverseSweep::runBody(Block &body, Adjoints &adjoints) {
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    if (llvm::any_of(op.getResults(),
                     [&](Value result) { return flow.carries(result); }))
      ops.push_back(&op);
  return run(ops, adjoints);
}

ReverseSweep::Captures ReverseSweep::findCaptures(Operation *regionOp) const {
  Captures captures;
  regionOp->walk([&](Operation *op) {
    if (op == regionOp)
      return;
    if (isUnchangedRead(op))
      captures.slots.insert(
          {cast<ReadOp>(op).getSlotAttr().getAttr(), cast<ReadOp>(op)});
    for (Value operand : op->getOperands())
      if (flow.carries(operand) &&
          !regionOp->isAncestor(operand.getParentRegion()->getParentOp()))
        captures.values.insert(operand);
  });
  return captures;
}

void ReverseSweep::appendZeros(const Captures &captures, Location loc,
                               SmallVectorImpl<Value> &values) {
  TensorBuilder b(builder, loc);
  for (Value value : captures.values)
    values.push_back(b.zeros(value));
  for (auto [slot, read] : captures.slots)
    values.push_back(b.full(0.0, read.getResult().getType()));
}

void ReverseSweep::addCaptured(const Captures &captures, ValueRange gradients,
                               Adjoints &outer) {
  size_t next = 0;
  for (Value value : captures.values)
    accumulate(outer, value, gradients[next++]);
  for (auto [slot, read] : captures.slots)
    addSlot(outer, slot, gradients[next++]);
}

//===----------------------------------------------------------------------===//
// scf.if: the backward pass of the side that was taken
//===----------------------------------------------------------------------===//

LogicalResult ReverseSweep::reverseIf(scf::IfOp branch, Adjoints &outer) {
  Location loc = branch.getLoc();
  Captures captures = findCaptures(branch);
  SmallVector<Type> types;
  for (Value value : captures.values)
    types.push_back(value.getType());
  for (auto [slot, read] : captures.slots)
    types.push_back(read.getResult().getType());

  auto reverse =
      scf::IfOp::create(builder, loc, types, branch.getCondition(),
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [forward, backward] :
       llvm::zip_equal(branch->getRegions(), reverse->getRegions())) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&backward.front());
    Adjoints inner;
    for (auto [result, yielded] :
         llvm::zip_equal(branch.getResults(),
                         forward.front().getTerminator()->getOperands()))
      if (Value cotangent = outer.values.lookup(result);
          cotangent && flow.carries(yielded))
        accumulate(inner, yielded, cotangent);
    if (failed(runBody(forward.front(), inner)))
      return failure();

    TensorBuilder b(builder, loc);
    SmallVector<Value> gradients;
    for (Value value : captures.values) {
      Value gradient = inner.values.lookup(value);
      gradients.push_back(gradient ? gradient : b.zeros(value));
    }
    for (auto [slot, read] : captures.slots) {
      Type type = read.getResult().getType();
      Value gradient = inner.slots.lookup(slot);
      gradients.push_back(gradient ? conform(b, gradient, type)
                                   : b.full(0.0, cast<RankedTensorType>(type)));
    }
    scf::YieldOp::create(builder, loc, gradients);
  }

  SmallVector<Value> results(branch.getResults());
  scf::IfOp extended = exportResiduals(
      branch, reverse, [&](Operation *op) { return isUnchangedRead(op); });
  rename(outer, results, extended.getResults());
  addCaptured(captures, reverse.getResults(), outer);
  return success();
}

//===----------------------------------------------------------------------===//
// scf.for: a loop over the iterations in reverse
//===----------------------------------------------------------------------===//

LogicalResult ReverseSweep::reverseFor(scf::ForOp loop, Adjoints &outer) {
  Location loc = loop.getLoc();
  if (!loop.getInductionVar().getType().isInteger(64))
    return loop.emitError("TD900: gradient through this loop is not built yet");
  Captures captures = findCaptures(loop);
  SmallVector<unsigned> carried;
  for (unsigned index = 0; index < loop.getNumResults(); ++index)
    if (flow.carries(loop.getResult(index)) ||
        flow.carries(loop.getRegionIterArg(index)))
      carried.push_back(index);

  // The reverse loop carries the gradients of the forward loop's carried
  // values, then the sums for the values and slots that the body uses from
  // outside.
  TensorBuilder b(builder, loc);
  SmallVector<Value> initial;
  for (unsigned index : carried) {
    Value cotangent = outer.values.lookup(loop.getResult(index));
    initial.push_back(cotangent ? cotangent : b.zeros(loop.getResult(index)));
  }
  appendZeros(captures, loc, initial);
  LoopTrip trip(loop);
  auto reverse = scf::ForOp::create(builder, loc, b.constantInt(0),
                                    trip.getCount(), b.constantInt(1), initial);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(reverse.getBody());
    Adjoints inner;
    size_t next = 0;
    for (unsigned index : carried) {
      Value cotangent = reverse.getRegionIterArg(next++);
      if (Value yielded = loop.getYieldedValues()[index]; flow.carries(yielded))
        accumulate(inner, yielded, cotangent);
    }
    for (Value value : captures.values)
      accumulate(inner, value, reverse.getRegionIterArg(next++));
    for (auto [slot, read] : captures.slots)
      addSlot(inner, slot, reverse.getRegionIterArg(next++));
    if (failed(runBody(*loop.getBody(), inner)))
      return failure();

    SmallVector<Value> yielded;
    for (unsigned index : carried) {
      Value arg = loop.getRegionIterArg(index);
      Value gradient = inner.values.lookup(arg);
      yielded.push_back(gradient ? gradient : b.zeros(arg));
    }
    for (Value value : captures.values)
      yielded.push_back(inner.values.lookup(value));
    for (auto [slot, read] : captures.slots)
      yielded.push_back(inner.slots.lookup(slot));
    scf::YieldOp::create(builder, loc, yielded);
  }

  SmallVector<Value> results(loop.getResults());
  FailureOr<scf::ForOp> extended = stackResiduals(
      loop, reverse, trip, [&](Operation *op) { return isUnchangedRead(op); });
  if (failed(extended))
    return failure();
  rename(outer, results, extended->getResults());
  for (auto [position, index] : llvm::enumerate(carried))
    if (Value init = extended->getInitArgs()[index]; flow.carries(init))
      accumulate(outer, init, reverse.getResult(position));
  addCaptured(captures, reverse.getResults().drop_front(carried.size()), outer);
  return success();
}

} // namespace tdc::td
