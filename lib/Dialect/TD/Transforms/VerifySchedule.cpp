//===- VerifySchedule.cpp - td-verify-schedule: all uses wait -------------===//
//
// Shares no code with td-schedule except for CarryingLoop. It checks for each
// td.copy_start:
//
//   * Reads of the result: a wait of the reader's device must come first, on
//     every path, for a ticket that covers the copy: its own, or the ticket of
//     a later copy of the same queue, which runs in order.
//   * Earlier contents of the buffer: an upload overwrites the upload of the
//     iteration before last; all readers of that one must precede the mark
//     `after`. The host reads a download that counts iterations in the next
//     iteration, or after the loop, at the latest.
//   * Memory of the operand: the host makes the operand of the upload after
//     next in the same memory, and must have waited for this copy before, and
//     once more after the loop. A copy from a GPU needs a wait of this GPU or
//     of the host that names its operand; the memory plan then keeps the
//     operand.
//   * Memory of the result of a copy between GPUs: a wait of the target GPU
//     must name the result, before the memory is written again.
//
// A ticket that a loop or branch passes on together with a tensor covers the
// tensor if the same holds wherever both come from.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Views.h"
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

/// Memoized answers to questions that may depend on themselves through a loop:
/// a question that comes up again while it is being answered is assumed to
/// hold, and holds if nothing contradicts it.
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
    // Answers that were found meanwhile may rely on the assumption.
    while (asked.size() > count)
      answers.erase(asked.pop_back_val());
    return answers[key] = false;
  }

private:
  llvm::DenseMap<Key, bool> answers;
  llvm::SmallVector<Key> asked; ///< in the order of asking
};

class ScheduleVerifier {
public:
  explicit ScheduleVerifier(ModuleOp module) : dominance(module) {
    module->walk([&](CopyStartOp copy) { addPending(copy.getResult()); });
  }

  LogicalResult verify(CopyStartOp copy);
  /// Verifies all reads of copied values, directly or after they are passed on.
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
  /// Results of copies, and all values that they are passed on as.
  llvm::SetVector<Value> pending;
  Assumptions<Pair> covered;
  Assumptions<Value> arrived;
};

/// Returns the value that `use` passes its value on as, or null.
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

/// Adds a value and all values that it is passed on as.
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

/// Whether waiting on `ticket` makes `tensor` available.
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
  // All waits of the function that the tensor dominates count.
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

/// Whether every op that passes the tensor on has waited for it.
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
  // Every op reads a tensor on the device where the tensor is.
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

/// The loop that carries a copy to its next iteration, and the index of the
/// carried value; null if no loop does.
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

/// The td.mark of the copy's GPU that gives the ticket, or null.
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
        // After a wait of this GPU, the memory of a copy may be free.
        isInOrder |= wait && getPlace(wait.getDevice()) == gpu;
        return isInOrder ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing works on tensors of the copy's GPU from `from` up to `to`, a
/// later op of the same block.
bool isIdle(Operation *from, Operation *to, CopyStartOp copy) {
  Operation *op = from;
  while (op && op != to && !touches(op, copy.getGPU()))
    op = op->getNextNode();
  return op == to;
}

/// Whether all uses of a value, and of views of it, are in the body of `loop`
/// before `mark`.
bool isReadBefore(Value value, MarkOp mark, CarryingLoop loop) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *op = loop.getBody()->findAncestorOpInBlock(*user);
    return !isa<scf::YieldOp>(user) && !CarryingLoop(user) &&
           op->isBeforeInBlock(mark) &&
           (!isView(user) || isReadBefore(user->getResult(0), mark, loop));
  });
}

/// The induction variable of iteration number `iteration`; null if the number
/// is computed in another way.
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

/// Whether `index` is the induction variable of the loop's next iteration.
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
    // The upload for the first iteration: its buffer is new, and earlier users
    // of the memory must precede the mark.
    MarkOp mark = getMark(copy, copy.getAfter());
    Operation *here =
        mark ? mark->getBlock()->findAncestorOpInBlock(*copy) : nullptr;
    if (here && getConstantIntValue(copy.getIteration()) == 0 &&
        isIdle(mark, here, copy) &&
        (here == copy || isIdle(&copy->getBlock()->front(), copy, copy)))
      return success();
    return overwrites();
  }
  // Uploads for later iterations: readers of the buffer must precede the mark
  // that the previous iteration passes on, users from before the loop the mark
  // that the loop starts with.
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

/// Verifies that the operand of `copy` is not overwritten too early. It is made
/// in the memory of the operand of the last copy but one, so the host must
/// first wait for that copy, and after the loop for the last one. `ticket` is
/// the index of the carried ticket that the iteration waits for.
LogicalResult ScheduleVerifier::verifySource(CopyStartOp copy,
                                             CarryingLoop loop,
                                             unsigned ticket) {
  // Whether `value` is a ticket of the previous iteration: the loop yields this
  // iteration's ticket as its next value.
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
    return copy.emitOpError("may find its operand overwritten after the loop");
  return success();
}

/// Whether the device waits for the copy in the copy's block, in a wait that
/// names `tensor`: its memory is not reused until then.
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

/// Whether no op passes on the value, or a view of it.
bool staysHere(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Value receiver = getReceiver(use);
    return !receiver || (isView(use.getOwner()) && staysHere(receiver));
  });
}

/// Verifies a download with two buffers, which iterations use in alternation:
/// it must be read in its iteration, in the next one, or after the loop.
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
