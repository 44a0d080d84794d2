//===- Permutation.cpp - random orders on a GPU ---------------------------===//

#include "Permutation.h"
#include "CodeGen/RandomNumbers.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

/// `random`, if it is a permutation; else null.
static RandomOp asPermutation(RandomOp random) {
  return random && random.getDistribution() == Distribution::Permutation
             ? random
             : RandomOp();
}

RandomOp findPermutation(KernelOp kernel) {
  return asPermutation(getOnlyRoot<RandomOp>(kernel));
}

/// The permutation of a kernel that builds the lists; null for other kernels.
/// Such a kernel yields the permutation for both results, heads and links.
static RandomOp findListed(KernelOp kernel) {
  Operation *yield = kernel.getBody().front().getTerminator();
  if (yield->getNumOperands() != 2 ||
      yield->getOperand(0) != yield->getOperand(1))
    return {};
  return asPermutation(yield->getOperand(0).getDefiningOp<RandomOp>());
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
  void emitLinks(Value step, Value position);
  /// The smallest step s > `step` with j(s) = `position`; `count` if there is
  /// none.
  Value findNext(Value position, Value step);
  void emitOrder(Value step, Value position);

  KernelFunction &function;
  RandomOp random;
  OpBuilder &b;
  Location loc;
  Value heads, links, count;
};

} // namespace

void PermutationEmitter::emitLinks(Value step, Value position) {
  Value before = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg,
                                           at(heads, position), step,
                                           LLVM::AtomicOrdering::monotonic);
  LLVM::StoreOp::create(b, loc, before, at(links, step));
}

Value PermutationEmitter::findNext(Value position, Value step) {
  Value zero = function.i64(0);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{b.getI64Type(), b.getI64Type()},
      ValueRange{load(heads, position), count},
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

void PermutationEmitter::emitOrder(Value step, Value position) {
  auto way = scf::WhileOp::create(
      b, loc, TypeRange{b.getI64Type(), b.getI64Type()},
      ValueRange{position, findNext(position, step)},
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

LaunchShape PermutationEmitter::emit() {
  LaunchShape shape;
  shape.threads = shape.elements = kBlockThreads;
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
  Value position =
      emitBelow(b, loc, function.scalars.lookup(random.getSeed()),
                function.scalars.lookup(random.getCall()), step, end);
  if (findListed(function.kernel)) {
    heads = function.resultPointers[0];
    links = function.resultPointers[1];
    emitLinks(step, position);
  } else {
    auto arguments = function.kernel.getBody().getArguments().take_back(2);
    heads = function.pointers.lookup(arguments[0]);
    links = function.pointers.lookup(arguments[1]);
    emitOrder(step, position);
  }
  return shape;
}

std::optional<KernelPlan> matchPermutation(KernelCandidate &kernel) {
  KernelOp op = kernel.function.kernel;
  RandomOp listed = findListed(op);
  RandomOp random = listed ? listed : findPermutation(op);
  if (!random)
    return std::nullopt;
  KernelPlan plan;
  plan.startsAsInput = bool(listed);
  if (listed)
    plan.inPlace = {int64_t(op.getInputs().size()) - 1, 0};
  plan.emit = [random](KernelFunction &function) -> FailureOr<LaunchShape> {
    return PermutationEmitter(function, random).emit();
  };
  return plan;
}

} // namespace tdc
