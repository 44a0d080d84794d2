//===- GridLoops.cpp - a thread's positions in a nest's loops -------------===//

#include "GridLoops.h"
#include "FlatLoops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tdc::td;

namespace tdc {

GridLoops::GridLoops(KernelFunction &function, const LoopNest &nest,
                     GridSchedule chosen)
    : KernelLoops(function, nest, /*lanes=*/1, chosen.factors),
      schedule(std::move(chosen)), device(function.builder, function.loc) {
  if (schedule.getSharers() != 1)
    factors.push_back(1);
  evaluator.positions.resize(factors.size());
  evaluator.steps.assign(factors.begin(), factors.end());
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Value GridLoops::emitStepCount(ArrayRef<unsigned> loops) {
  if (std::optional<int64_t> count = countSteps(nest, schedule, loops))
    return function.index(*count);
  Value count = function.index(1);
  for (unsigned loop : loops) {
    const Loop &info = nest.getLoops()[loop];
    Value size = ShapedType::isDynamic(info.extent)
                     ? function.getExtent(info)
                     : function.index(info.extent / factors[loop]);
    count = arith::MulIOp::create(b, function.loc, count, size);
  }
  return count;
}

GridLoops::Values GridLoops::openAt(ArrayRef<unsigned> loops, Value number,
                                    Operation *entry, ValueRange carried,
                                    Body body) {
  SmallVector<Value> outer = evaluator.positions;
  auto sizes = llvm::map_to_vector(loops, [&](unsigned loop) {
    return loop == loops.front() ? Value() : emitStepCount(loop);
  });
  for (auto [loop, position] :
       llvm::zip(loops, splitNumber(b, function.loc, number, sizes))) {
    if (factors[loop] != 1)
      position = arith::MulIOp::create(b, function.loc, position,
                                       function.index(factors[loop]));
    evaluator.positions[loop] = position;
  }
  for (unsigned loop : loops)
    evaluator.pushScope(loop, std::exchange(entry, nullptr));
  Values results = body(carried);
  for (size_t i = 0; i < loops.size(); ++i)
    evaluator.popScope();
  evaluator.positions = outer;
  return results;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

Value GridLoops::numberGroup(Value block) {
  Location loc = function.loc;
  Value thread = device.getThread();
  int64_t groups = schedule.getGroups();
  member = device.i32(0);
  group = thread;
  if (groups == 1) {
    member = thread;
    group = device.i32(0);
  } else if (schedule.groupSize != 1) {
    Value divisor =
        device.i32(schedule.interleaved ? groups : schedule.groupSize);
    member = arith::RemUIOp::create(b, loc, thread, divisor);
    group = arith::DivUIOp::create(b, loc, thread, divisor);
    if (schedule.interleaved)
      std::swap(member, group);
  }
  return arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, block, function.index(groups)),
      function.toIndex(group));
}

void GridLoops::openGrid(llvm::function_ref<void()> body) {
  Location loc = function.loc;
  int64_t groups = schedule.getGroups();
  Value block = function.toIndex(device.getBlock());
  Value number = numberGroup(block);
  Value positions = emitStepCount(schedule.outer), end = positions;
  if (schedule.getSharers() != 1)
    end = arith::MulIOp::create(b, loc, positions,
                                function.index(schedule.getSharers()));

  auto at = [&](Value number, Operation *entry) {
    if (schedule.getSharers() != 1) {
      unsigned loop = getSharerLoop();
      evaluator.positions[loop] =
          arith::DivUIOp::create(b, loc, number, positions);
      number = arith::RemUIOp::create(b, loc, number, positions);
      evaluator.pushScope(loop, std::exchange(entry, nullptr));
    }
    openAt(schedule.outer, number, entry, {}, [&](ValueRange) {
      body();
      return Values();
    });
    if (schedule.getSharers() != 1)
      evaluator.popScope();
  };
  // Members of a group synchronize in its reductions: all threads must get
  // there.
  auto atMeeting = [&](Value number, Operation *entry) {
    isReal =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, end);
    Value last = arith::SubIOp::create(b, loc, end, function.index(1));
    at(arith::SelectOp::create(b, loc, isReal, number, last), entry);
  };
  std::optional<int64_t> count = countSteps(nest, schedule, schedule.outer);
  if (count == 0)
    return;
  if (count && !schedule.isPart) { // the grid covers all positions
    *count *= schedule.getSharers();
    if (schedule.groupSize != 1) {
      if (*count % groups != 0)
        return atMeeting(number, nullptr);
      return at(number, nullptr);
    }
    if (*count % groups == 0)
      return at(number, nullptr);
    auto branch = scf::IfOp::create(
        b, loc,
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, end),
        /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    return at(number, branch);
  }

  // All threads of a block execute the same number of iterations.
  Value offset = function.toIndex(group);
  Value first = arith::MulIOp::create(b, loc, block, function.index(groups));
  Value step = arith::MulIOp::create(
      b, loc, function.toIndex(device.getBlockCount()), function.index(groups));
  auto loop = scf::ForOp::create(b, loc, first, end, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  number = arith::AddIOp::create(b, loc, loop.getInductionVar(), offset);
  if (schedule.groupSize != 1) {
    atMeeting(number, loop);
    device.wait(); // the next iteration uses the shared memory again
    return;
  }
  auto branch = scf::IfOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, end),
      /*withElseRegion=*/false);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  at(number, loop);
}

void GridLoops::openFlat(llvm::function_ref<void()> body) {
  Location loc = function.loc;
  int64_t &factor = factors[0];
  Value number = arith::AddIOp::create(
      b, loc,
      arith::MulIOp::create(b, loc, function.toIndex(device.getBlock()),
                            function.index(schedule.threads)),
      function.toIndex(device.getThread()));
  Value width = function.index(factor);
  Value start = arith::MulIOp::create(b, loc, number, width);
  Value next = arith::AddIOp::create(b, loc, start, width);
  Value end = function.toIndex(function.flatSize);
  auto at = [&](Value position, Operation *entry) {
    evaluator.positions[0] = position;
    evaluator.pushScope(0, entry);
    body();
    evaluator.popScope();
  };
  auto branch = scf::IfOp::create(
      b, loc,
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, next, end),
      /*withElseRegion=*/factor != 1);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  at(start, branch);
  if (factor == 1)
    return;
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  auto rest = scf::ForOp::create(b, loc, start, end, function.index(1));
  b.setInsertionPoint(rest.getBody()->getTerminator());
  int64_t whole = std::exchange(factor, 1);
  evaluator.steps[0] = 1;
  at(rest.getInductionVar(), branch);
  evaluator.steps[0] = factor = whole;
}

void GridLoops::openIf(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, function.loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  evaluator.pushBranch(branch);
  body();
  evaluator.popScope();
}

//===----------------------------------------------------------------------===//
// Loops of a group and of a thread
//===----------------------------------------------------------------------===//

GridLoops::Values GridLoops::open(ArrayRef<unsigned> loops, Part part,
                                  ValueRange carried, Body body,
                                  const PartialSums *sums) {
  Location loc = function.loc;
  std::optional<int64_t> count = countSteps(nest, schedule, loops);
  Value end = emitStepCount(loops);
  if (part.sections != 1) {
    count = llvm::alignTo(llvm::divideCeil(*count, part.sections), part.step);
    Value length = function.index(*count);
    Value first = arith::MulIOp::create(
        b, loc, evaluator.positions[getSharerLoop()], length);
    part.start = arith::AddIOp::create(b, loc, first, part.start);
    end = arith::MinUIOp::create(
        b, loc, arith::AddIOp::create(b, loc, first, length), end);
  } else if (count == part.step) { // one iteration per thread: no loop
    return openAt(loops, part.start, /*entry=*/nullptr, carried, body);
  }
  if (count == 0)
    return Values(carried);

  bool isOneChain = !sums || (count && *count <= kLongestChain * part.step);
  // A thread that takes all positions runs the loops inside each other, so that
  // no linear number must be split.
  if (loops.size() > 1 && isOneChain && part.step == 1 && part.sections == 1)
    return open(
        loops.take_front(), part, carried,
        [&](ValueRange inner) {
          return openSerial(loops.drop_front(), inner, body);
        },
        /*sums=*/nullptr);
  ArrayRef<int64_t> lengths(kLongestChain);
  return openRange({part.start, end, part.step},
                   {sums, lengths.drop_front(isOneChain ? 1 : 0)}, carried,
                   [&](Value number, Operation *entry, ValueRange before) {
                     return openAt(loops, number, entry, before, body);
                   });
}

GridLoops::Values GridLoops::openShared(ArrayRef<unsigned> loops,
                                        ValueRange carried, Body body,
                                        const PartialSums *sums) {
  return open(loops,
              {function.toIndex(member), schedule.groupSize, schedule.sections},
              carried, body, sums);
}

GridLoops::Values GridLoops::openSerial(ArrayRef<unsigned> loops,
                                        ValueRange carried, Body body) {
  return open(loops, {function.index(0), 1}, carried, body, /*sums=*/nullptr);
}

} // namespace tdc
