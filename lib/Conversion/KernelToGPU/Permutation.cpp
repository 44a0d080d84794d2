//===- Permutation.cpp - random orders on a GPU ---------------------------===//

#include "Permutation.h"
#include "CodeGen/RandomNumbers.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

RandomOp findPermutation(KernelOp kernel) {
  auto random = kernel.getBody()
                    .front()
                    .getTerminator()
                    ->getOperand(0)
                    .getDefiningOp<RandomOp>();
  return random && random.getDistribution() == Distribution::Permutation
             ? random
             : RandomOp();
}

SmallVector<KernelOp, 2> splitPermutation(KernelOp kernel, RandomOp random) {
  OpBuilder host(kernel);
  Location loc = kernel.getLoc();
  Type type = random.getType();
  auto clone = [&](unsigned results) {
    SmallVector<Value> sizes;
    for (unsigned i = 0; i < results; ++i)
      llvm::append_range(sizes, kernel.getSizes());
    auto copy = KernelOp::create(host, loc, SmallVector<Type>(results, type),
                                 kernel.getInputs(), sizes);
    IRMapping mapping;
    kernel.getBody().cloneInto(&copy.getBody(), mapping);
    return copy;
  };
  auto addInputs = [&](KernelOp to, ValueRange inputs) {
    to.getInputsMutable().append(inputs);
    for (Value input : inputs)
      to.getBody().front().addArgument(input.getType(), loc);
  };

  KernelOp fill = clone(1), links = clone(2);
  RandomOp filled = findPermutation(fill);
  OpBuilder b(filled);
  Value none = arith::ConstantIntOp::create(b, loc, -1, 64);
  filled.replaceAllUsesWith(
      FillOp::create(b, loc, type, none, filled.getSizes()).getResult());
  filled.erase();

  Value made = findPermutation(links).getResult();
  links.getBody().front().getTerminator()->setOperands({made, made});
  addInputs(links, fill.getResults());
  addInputs(kernel, links.getResults());
  return {fill, links};
}

namespace {

class PermutationEmitter {
public:
  PermutationEmitter(KernelFunction &function, RandomOp random)
      : function(function), random(random), b(function.builder),
        loc(random.getLoc()) {}

  LaunchShape emit();

private:
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value at(Value array, Value index) {
    return LLVM::GEPOp::create(b, loc, array.getType(), b.getI64Type(), array,
                               ValueRange{index});
  }
  Value load(Value array, Value index) {
    return LLVM::LoadOp::create(b, loc, b.getI64Type(), at(array, index));
  }
  void emitLinks(Value step, Value place);
  /// The smallest step s > `step` with j(s) = `place`; `count` if there is
  /// none.
  Value findNext(Value place, Value step);
  void emitOrder(Value step, Value place);

  KernelFunction &function;
  RandomOp random;
  OpBuilder &b;
  Location loc;
  Value heads, links, count;
};

} // namespace

void PermutationEmitter::emitLinks(Value step, Value place) {
  Value before = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg,
                                           at(heads, place), step,
                                           LLVM::AtomicOrdering::monotonic);
  LLVM::StoreOp::create(b, loc, before, at(links, step));
}

Value PermutationEmitter::findNext(Value place, Value step) {
  Value zero = function.i64(0);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{b.getI64Type(), b.getI64Type()},
      ValueRange{load(heads, place), count},
      [&](OpBuilder &, Location, ValueRange state) {
        scf::ConditionOp::create(
            b, loc, compare(arith::CmpIPredicate::sge, state[0], zero), state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        Value isAbove = compare(arith::CmpIPredicate::sgt, state[0], step);
        Value candidate =
            arith::SelectOp::create(b, loc, isAbove, state[0], count);
        Value best = arith::MinSIOp::create(b, loc, candidate, state[1]);
        scf::YieldOp::create(b, loc, ValueRange{load(links, state[0]), best});
      });
  return loop.getResult(1);
}

void PermutationEmitter::emitOrder(Value step, Value place) {
  auto way = scf::WhileOp::create(
      b, loc, TypeRange{b.getI64Type(), b.getI64Type()},
      ValueRange{place, findNext(place, step)},
      [&](OpBuilder &, Location, ValueRange state) {
        scf::ConditionOp::create(
            b, loc, compare(arith::CmpIPredicate::slt, state[1], count), state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        scf::YieldOp::create(
            b, loc, ValueRange{state[1], findNext(state[1], state[1])});
      });
  LLVM::StoreOp::create(b, loc, way.getResult(0),
                        at(function.resultPointers.front(), step));
}

/// Whether the kernel builds the lists: its results are heads and links.
static bool makesLists(KernelOp kernel) { return kernel.getNumResults() == 2; }

LaunchShape PermutationEmitter::emit() {
  LaunchShape shape;
  shape.threads = shape.elements = 256;
  DeviceBuilder device(b, loc);
  auto wide = [&](Value i32) -> Value {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), i32);
  };
  Value step = arith::AddIOp::create(
      b, loc,
      arith::MulIOp::create(b, loc, wide(device.getBlock()),
                            function.i64(shape.threads)),
      wide(device.getThread()));
  count = function.getSize(random.getResult(), 0);
  auto branch =
      scf::IfOp::create(b, loc, compare(arith::CmpIPredicate::slt, step, count),
                        /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  Value end = arith::AddIOp::create(b, loc, step, function.i64(1));
  Value place = emitBelow(b, loc, function.scalars.lookup(random.getSeed()),
                          function.scalars.lookup(random.getCall()), step, end);
  if (makesLists(function.kernel)) {
    heads = function.resultPointers[0];
    links = function.resultPointers[1];
    emitLinks(step, place);
  } else {
    auto arguments = function.kernel.getBody().getArguments().take_back(2);
    heads = function.pointers.lookup(arguments[0]);
    links = function.pointers.lookup(arguments[1]);
    emitOrder(step, place);
  }
  return shape;
}

std::optional<KernelPlan> matchPermutation(KernelCandidate &kernel) {
  KernelOp op = kernel.function.kernel;
  RandomOp random = findPermutation(op);
  if (!random)
    return std::nullopt;
  KernelPlan plan;
  plan.startsAsInput = makesLists(op);
  if (plan.startsAsInput)
    plan.inPlace = {int64_t(op.getInputs().size()) - 1, 0};
  plan.emit = [random](KernelFunction &function) -> FailureOr<LaunchShape> {
    return PermutationEmitter(function, random).emit();
  };
  return plan;
}

} // namespace tdc
