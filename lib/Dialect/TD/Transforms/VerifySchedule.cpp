//===- VerifySchedule.cpp - td-verify-schedule: nobody comes too early ----===//
//
// Shares nothing with what schedules but what a loop is. It asks of each
// td.copy_start
//
//   * who reads the result: a wait of that device must come before, on every
//     way there, for a ticket that covers the copy: its own, or a later one of
//     the same queue, which runs in order;
//   * who may still read what it overwrites: one to a GPU is written over what
//     the iteration before the last has copied, whose readers must stand in
//     front of the mark `after`; one from a GPU that counts iterations is read
//     by the host in the next one at the latest;
//   * who overwrites the operand while it is read: the host makes the next but
//     one upload in the same place, and must have waited for this copy before,
//     and once more behind the loop; a copy from a GPU needs a wait of
//     this GPU or of the host that names its operand, which the memory plan
//     then keeps;
//   * of one between GPUs, who writes the result's memory next: a wait of the
//     GPU that it goes to must name the result.
//
// A ticket that a loop or branch passes on covers a tensor that it passes on
// beside it if it does so wherever both come from.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDVERIFYSCHEDULEPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// A tensor and a ticket.
using Pair = std::pair<Value, Value>;

/// Answers to questions that a loop leads back to themselves: what is asked
/// again on the way is assumed to hold, and holds if nothing speaks against it.
template <class Key> class Assumptions {
public:
  bool ask(const Key &key, llvm::function_ref<bool()> find) {
    auto [entry, isNew] = answers.try_emplace(key, true);
    if (!isNew)
      return entry->second;
    asked.push_back(key);
    size_t count = asked.size();
    if (find())
      return true;
    // What was found meanwhile may rest on it.
    while (asked.size() > count)
      answers.erase(asked.pop_back_val());
    return answers[key] = false;
  }

private:
  llvm::DenseMap<Key, bool> answers;
  llvm::SmallVector<Key> asked; ///< in this order
};

class ScheduleVerifier {
public:
  explicit ScheduleVerifier(ModuleOp module) : dominance(module) {
    module->walk([&](CopyStartOp copy) { addPending(copy.getResult()); });
  }

  LogicalResult verify(CopyStartOp copy);
  /// All reads of values that are copied, as themselves or passed on.
  LogicalResult verifyReads();

private:
  void addPending(Value tensor);
  bool covers(Value tensor, Value ticket);
  bool coversAnew(Value tensor, Value ticket);
  LogicalResult verifyRead(Value tensor, OpOperand &use);
  bool isWaitedFor(Value tensor, Operation *reader, const Place &device);
  bool isArrived(Value tensor);
  bool isArrivedAnew(Value tensor);
  LogicalResult verifyIteration(CopyStartOp copy);
  LogicalResult verifySource(CopyStartOp copy, CarryingLoop loop,
                             unsigned ticket);
  bool isKept(CopyStartOp copy, Value tensor, const Place &by);
  LogicalResult verifyFromGPU(CopyStartOp copy);
  LogicalResult verifyLateReads(CopyStartOp copy);

  DominanceInfo dominance;
  /// Values that are copies or may be.
  llvm::SetVector<Value> pending;
  Assumptions<Pair> covered;
  Assumptions<Value> arrived;
};

/// What `use` passes its value on to, or null.
Value getReceiver(OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  if (CarryingLoop loop(op); loop)
    return index < loop.getFirstInit()
               ? Value()
               : loop.getArguments()[index - loop.getFirstInit()];
  if (isa<scf::YieldOp>(op)) {
    if (CarryingLoop loop(op->getParentOp()); loop)
      return loop.getArguments()[index];
    return op->getParentOp()->getResult(index);
  }
  return isView(op) ? Value(op->getResult(0)) : Value();
}

/// Adds a value with all that it becomes.
void ScheduleVerifier::addPending(Value tensor) {
  if (!pending.insert(tensor))
    return;
  for (OpOperand &use : tensor.getUses())
    if (Value receiver = getReceiver(use)) {
      addPending(receiver);
      if (CarryingLoop loop = CarryingLoop::ofArgument(receiver); loop)
        addPending(loop.getResults()[loop.getIndex(receiver)]);
    }
}

//===----------------------------------------------------------------------===//
// Tickets
//===----------------------------------------------------------------------===//

bool ScheduleVerifier::covers(Value tensor, Value ticket) {
  return covered.ask({tensor, ticket},
                     [&] { return coversAnew(tensor, ticket); });
}

/// Whether who has waited for the ticket finds the tensor there.
bool ScheduleVerifier::coversAnew(Value tensor, Value ticket) {
  if (!pending.contains(tensor) || tensor.getDefiningOp<ub::PoisonOp>())
    return true;
  if (Value viewed = getViewed(tensor))
    return covers(viewed, ticket);
  if (auto copy = tensor.getDefiningOp<CopyStartOp>()) {
    auto other = ticket.getDefiningOp<CopyStartOp>();
    return other && other->getBlock() == copy->getBlock() &&
           !other->isBeforeInBlock(copy) && other.sharesQueueWith(copy);
  }
  auto result = dyn_cast<OpResult>(tensor);
  Operation *op = result ? result.getOwner()
                         : CarryingLoop::ofArgument(tensor).getOperation();
  if (!op)
    return false;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (ticket.getDefiningOp() != op)
      return false;
    unsigned what = result.getResultNumber(),
             by = cast<OpResult>(ticket).getResultNumber();
    return covers(branch.thenYield().getOperand(what),
                  branch.thenYield().getOperand(by)) &&
           covers(branch.elseYield().getOperand(what),
                  branch.elseYield().getOperand(by));
  }
  CarryingLoop loop(op);
  if (!loop)
    return false;
  auto getIndex = [&](Value value) -> std::optional<unsigned> {
    if (auto one = dyn_cast<OpResult>(value))
      return one.getOwner() == op ? std::optional(one.getResultNumber())
                                  : std::nullopt;
    CarryingLoop own = CarryingLoop::ofArgument(value);
    return own.getOperation() == op ? std::optional(own.getIndex(value))
                                    : std::nullopt;
  };
  std::optional<unsigned> what = getIndex(tensor), by = getIndex(ticket);
  if (!what || !by || isa<OpResult>(tensor) != isa<OpResult>(ticket))
    return false;
  return covers(loop.getInits()[*what].get(), loop.getInits()[*by].get()) &&
         covers(loop.getYield()->getOperand(*what),
                loop.getYield()->getOperand(*by));
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

bool ScheduleVerifier::isWaitedFor(Value tensor, Operation *reader,
                                   const Place &device) {
  // Waits of the function, where the tensor is known.
  auto function = reader->getParentOfType<FunctionOpInterface>();
  return function
      ->walk([&](CopyWaitOp wait) {
        bool isIt = getPlace(wait.getDevice()) == device &&
                    dominance.properlyDominates(wait, reader) &&
                    dominance.properlyDominates(tensor, wait) &&
                    covers(tensor, wait.getTicket());
        return isIt ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether whoever passes the tensor on has waited for it.
bool ScheduleVerifier::isArrived(Value tensor) {
  return !pending.contains(tensor) ||
         arrived.ask(tensor, [&] { return isArrivedAnew(tensor); });
}

bool ScheduleVerifier::isArrivedAnew(Value tensor) {
  Place device = getPlace(cast<RankedTensorType>(tensor.getType()));
  bool hasSource = false, isArrivedThere = true;
  auto look = [&](Value source, Operation *passing) {
    hasSource = true;
    isArrivedThere &= isWaitedFor(source, passing, device) || isArrived(source);
  };
  CarryingLoop loop = CarryingLoop::ofArgument(tensor);
  auto result = dyn_cast<OpResult>(tensor);
  if (result && !loop)
    loop = CarryingLoop(result.getOwner());
  if (Value viewed = getViewed(tensor)) {
    look(viewed, tensor.getDefiningOp());
  } else if (auto branch = tensor.getDefiningOp<scf::IfOp>()) {
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()})
      look(yield.getOperand(result.getResultNumber()), yield);
  } else if (loop) {
    unsigned index = result ? result.getResultNumber() : loop.getIndex(tensor);
    look(loop.getInits()[index].get(), loop.getOperation());
    look(loop.getYield()->getOperand(index), loop.getYield());
  }
  return hasSource && isArrivedThere;
}

LogicalResult ScheduleVerifier::verifyRead(Value tensor, OpOperand &use) {
  Operation *reader = use.getOwner();
  if (isa<CopyWaitOp, DimOp>(reader) || getReceiver(use))
    return success();
  // Everything reads on the device where the tensor is.
  Place device = getPlace(cast<RankedTensorType>(tensor.getType()));
  if (isWaitedFor(tensor, reader, device) || isArrived(tensor))
    return success();
  auto error = reader->emitOpError("reads what is still being copied to ")
               << spelling(device);
  error.attachNote(tensor.getLoc()) << "the copy";
  return error;
}

LogicalResult ScheduleVerifier::verifyReads() {
  for (Value tensor : pending)
    for (OpOperand &use : tensor.getUses())
      if (failed(verifyRead(tensor, use)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The loop that carries a copy to its next iteration, and as which of its
/// values; null if no loop does.
std::pair<CarryingLoop, unsigned> findCarrier(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (!isa<scf::YieldOp>(use.getOwner()))
      continue;
    Operation *parent = use.getOwner()->getParentOp();
    if (CarryingLoop loop(parent); loop)
      return {loop, use.getOperandNumber()};
    return findCarrier(parent->getResult(use.getOperandNumber()));
  }
  return {CarryingLoop(nullptr), 0};
}

/// The mark of the copy's GPU that makes the ticket, or null.
MarkOp getMark(CopyStartOp copy, Value ticket) {
  auto mark = ticket.getDefiningOp<MarkOp>();
  return mark && getPlace(mark.getDevice()) == copy.getGPU() ? mark : MarkOp();
}

LogicalResult ScheduleVerifier::verify(CopyStartOp copy) {
  return copy.isUpload() ? verifyIteration(copy) : verifyFromGPU(copy);
}

/// Whether the op, or one inside, works on tensors of the GPU in order.
bool touches(Operation *op, const Place &gpu) {
  auto isThere = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && getPlace(tensor) == gpu;
  };
  return op
      ->walk([&](Operation *inner) {
        auto wait = dyn_cast<CopyWaitOp>(inner);
        bool isInOrder = !isa<CopyStartOp, CopyWaitOp, scf::IfOp, scf::YieldOp,
                              ub::PoisonOp>(inner) &&
                         (llvm::any_of(inner->getOperandTypes(), isThere) ||
                          llvm::any_of(inner->getResultTypes(), isThere));
        // Behind its own waits memory is free that a copy had.
        isInOrder |= wait && getPlace(wait.getDevice()) == gpu;
        return isInOrder ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing works on tensors of the copy's GPU between `from` and `to`,
/// which stands behind it in the same block.
bool isIdle(Operation *from, Operation *to, CopyStartOp copy) {
  Operation *op = from;
  while (op && op != to && !touches(op, copy.getGPU()))
    op = op->getNextNode();
  return op == to;
}

/// Whether a value, or a view of it, is used by `loop` alone before `mark`.
bool isReadBefore(Value value, MarkOp mark, CarryingLoop loop) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
    return !isa<scf::YieldOp>(user) && !CarryingLoop(user) &&
           op->isBeforeInBlock(mark) &&
           (!isView(user) || isReadBefore(user->getResult(0), mark, loop));
  });
}

/// The index of the previous iteration which there were so many; null if the
/// number is computed in another way.
Value getIndex(Value iteration, scf::ForOp loop) {
  if (getConstantIntValue(loop.getStep()) != 1) {
    auto quotient = iteration.getDefiningOp<arith::DivSIOp>();
    if (!quotient || quotient.getRhs() != loop.getStep())
      return {};
    iteration = quotient.getLhs();
  }
  if (getConstantIntValue(loop.getLowerBound()) != 0) {
    auto difference = iteration.getDefiningOp<arith::SubIOp>();
    if (!difference || difference.getRhs() != loop.getLowerBound())
      return {};
    iteration = difference.getLhs();
  }
  return iteration;
}

/// Whether it is that of the iteration behind the one of the loop's index.
bool isNext(Value index, scf::ForOp loop) {
  auto sum = index ? index.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  return sum && sum.getLhs() == loop.getInductionVar() &&
         sum.getRhs() == loop.getStep();
}

LogicalResult ScheduleVerifier::verifyIteration(CopyStartOp copy) {
  auto overwrites = [&] {
    return copy.emitOpError("may overwrite what is still read");
  };
  auto [loop, index] = findCarrier(copy.getResult());
  if (!loop || !loop->isProperAncestor(copy)) {
    // The first iteration: its buffer is new. Who had the memory before stands
    // in front of the mark.
    MarkOp mark = getMark(copy, copy.getAfter());
    Operation *here =
        mark ? mark->getBlock()->findAncestorOpInBlock(*copy) : nullptr;
    if (here && getConstantIntValue(copy.getIteration()) == 0 &&
        isIdle(mark, here, copy) &&
        (here == copy || isIdle(&copy->getBlock()->front(), copy, copy)))
      return success();
    return overwrites();
  }
  // Later iterations: who reads the buffer stands in front of the mark that the
  // iteration before hands on; who had it before the loop in front of the
  // loop's.
  CarryingLoop handedOn = CarryingLoop::ofArgument(copy.getAfter());
  if (handedOn.getOperation() != loop.getOperation())
    return overwrites();
  unsigned after = loop.getIndex(copy.getAfter());
  MarkOp first = getMark(copy, loop.getInits()[after].get()),
         mark = getMark(copy, loop.getYield()->getOperand(after));
  Value argument = loop.getArguments()[index];
  auto counted = dyn_cast<scf::ForOp>(loop.getOperation());
  if (!counted || !isNext(getIndex(copy.getIteration(), counted), counted) ||
      !first || first->getBlock() != loop->getBlock() ||
      !isIdle(first, loop.getOperation(), copy) || !mark ||
      mark->getBlock() != loop.getBody() || !isReadBefore(argument, mark, loop))
    return overwrites();
  for (auto [i, ticket] : llvm::enumerate(loop.getArguments()))
    if (isa<TicketType>(ticket.getType()) && covers(argument, ticket))
      return verifySource(copy, loop, i);
  return copy.emitOpError("is carried around a loop without a ticket");
}

/// What the operand of `copy` is made of lies where the previous iteration last
/// has made its own: the host waits for that one's copy before, and behind the
/// loop for the last. `ticket` is the carried value that the iteration waits
/// for.
LogicalResult ScheduleVerifier::verifySource(CopyStartOp copy,
                                             CarryingLoop loop,
                                             unsigned ticket) {
  // Tickets of the previous iteration: carried values that become those of this
  // one.
  auto isBefore = [&](Value value) {
    CarryingLoop own = CarryingLoop::ofArgument(value);
    return own.getOperation() == loop.getOperation() &&
           loop.getYield()->getOperand(own.getIndex(value)) ==
               loop.getArguments()[ticket];
  };
  auto isByHost = [](CopyWaitOp wait) {
    return wait.getDevice().getKind() == DeviceKind::CPU;
  };
  Operation *maker = copy.getInput().getDefiningOp();
  if (!maker || !loop->isProperAncestor(maker))
    return success();
  bool isGuarded = false, isFinished = false;
  for (Operation *op = maker->getPrevNode(); op; op = op->getPrevNode())
    if (auto wait = dyn_cast<CopyWaitOp>(op))
      isGuarded |= isByHost(wait) && isBefore(wait.getTicket());
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
    if (auto wait = dyn_cast<CopyWaitOp>(op);
        wait && wait.getTicket().getDefiningOp() == loop.getOperation()) {
      unsigned index = cast<OpResult>(wait.getTicket()).getResultNumber();
      isFinished |= isByHost(wait) && isBefore(loop.getArguments()[index]);
    }
  if (!isGuarded)
    return copy.emitOpError("may find its operand overwritten in the iteration "
                            "after next");
  if (!isFinished)
    return copy.emitOpError("may find its operand overwritten behind the loop");
  return success();
}

/// Whether the device waits for the copy in the copy's block, and names one of
/// its tensors, whose memory is nobody else's until then.
bool ScheduleVerifier::isKept(CopyStartOp copy, Value tensor, const Place &by) {
  return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
    auto wait = dyn_cast<CopyWaitOp>(user);
    return wait && wait->getBlock() == copy->getBlock() &&
           copy->isBeforeInBlock(wait) && getPlace(wait.getDevice()) == by &&
           covers(copy.getResult(), wait.getTicket());
  });
}

LogicalResult ScheduleVerifier::verifyFromGPU(CopyStartOp copy) {
  if (!isKept(copy, copy.getInput(), getCpu()) &&
      !isKept(copy, copy.getInput(), copy.getSource()))
    return copy.emitOpError("may find its operand overwritten");
  if (copy.isBetweenGPUs() && !isKept(copy, copy.getResult(), copy.getTarget()))
    return copy.emitOpError("may come when its result's memory is another's");
  return copy.getIteration() ? verifyLateReads(copy) : success();
}

/// Whether nobody hands the value on, or a view of it.
bool staysHere(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Value receiver = getReceiver(use);
    return !receiver || (isView(use.getOwner()) && staysHere(receiver));
  });
}

/// Iterations use one of two buffers each: who reads it does so in this
/// iteration or the next, or behind the loop.
LogicalResult ScheduleVerifier::verifyLateReads(CopyStartOp copy) {
  auto loop = dyn_cast<scf::ForOp>(copy->getParentOp());
  if (!loop || getIndex(copy.getIteration(), loop) != loop.getInductionVar())
    return copy.emitOpError("has two buffers and no iterations of a loop");
  for (OpOperand &use : copy.getResult().getUses()) {
    Value next = getReceiver(use);
    CarryingLoop carrier =
        next ? CarryingLoop::ofArgument(next) : CarryingLoop(nullptr);
    bool isRead = carrier
                      ? carrier.getOperation() == loop && staysHere(next) &&
                            staysHere(loop.getResult(carrier.getIndex(next)))
                      : !next || staysHere(next);
    if (!isRead)
      return copy.emitOpError("may be overwritten before it is read");
  }
  return success();
}

struct VerifySchedulePass
    : public impl::TDVerifySchedulePassBase<VerifySchedulePass> {
  void runOnOperation() override {
    ScheduleVerifier verifier(getOperation());
    if (failed(verifier.verifyReads()))
      return signalPassFailure();
    WalkResult walked = getOperation()->walk([&](CopyStartOp copy) {
      return failed(verifier.verify(copy)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tdc::td
