//===- PeerCopies.cpp - overlap copies between GPUs with kernels ----------===//
//
// Within a block a copy from one GPU to another starts as soon as its operand
// is available. The target GPU waits before the first op that reads the result;
// the source GPU waits as late as possible: at the end of the block, or before
// the op that takes over the operand's memory in place. So both have kernels to
// run meanwhile.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Views.h"
#include "Schedule.h"

using namespace mlir;

namespace tdc::td {
namespace {

class PeerCopy {
public:
  explicit PeerCopy(ToDeviceOp transfer)
      : transfer(transfer), from(getPlace(transfer.getInput().getType())),
        to(getPlace(transfer.getType())) {}

  /// Whether the transfer is a copy between GPUs that can overlap with kernels.
  bool find();
  bool takeRoom(HasRoom hasRoom);
  void start();

private:
  Operation *findReader(Value value);
  Operation *findOverwriter();
  bool hidesCopy();
  void wait(CopyStartOp copy, const Place &gpu, Value tensor,
            Operation *before);

  ToDeviceOp transfer;
  Place from, to;
  Operation *begin = nullptr;      ///< the copy starts before this op
  Operation *reader = nullptr;     ///< the first reader of the result
  Operation *overwriter = nullptr; ///< of the operand
};

/// Whether the op, or one inside, is a kernel of the GPU.
bool hasKernel(Operation *op, const Place &gpu) {
  bool isFound = false;
  op->walk([&](KernelOp kernel) {
    isFound |=
        kernel.getNumResults() > 0 && getPlace(kernel.getResult(0)) == gpu;
  });
  return isFound;
}

/// The first op of the block that reads the value, or a view of it.
Operation *PeerCopy::findReader(Value value) {
  Block *block = transfer->getBlock();
  Operation *first = block->getTerminator();
  for (Operation *user : value.getUsers()) {
    Operation *op = isView(user) && user->getBlock() == block
                        ? findReader(user->getResult(0))
                        : block->findAncestorOpInBlock(*user);
    if (op->isBeforeInBlock(first))
      first = op;
  }
  return first;
}

/// Returns the op that could work in the operand's memory if that were free: a
/// write of the slot that the operand is read from, or the op that makes the
/// loop's next value. Else the end of the block, where the memory becomes free
/// for other tensors.
Operation *PeerCopy::findOverwriter() {
  Block *block = transfer->getBlock();
  Operation *end = block->getTerminator();
  Value source = getRoot(transfer.getInput());
  if (auto read = source.getDefiningOp<ReadOp>()) {
    auto writes = [&](Operation &op) {
      bool isFound = false;
      op.walk([&](WriteOp write) {
        isFound |= write.getSlotAttr() == read.getSlotAttr();
      });
      return isFound;
    };
    return &*std::find_if(begin->getIterator(), end->getIterator(), writes);
  }
  CarryingLoop loop = CarryingLoop::ofArgument(source);
  if (!loop || loop.getBody() != block)
    return end;
  Operation *maker = getRoot(loop.getYield()->getOperand(loop.getIndex(source)))
                         .getDefiningOp();
  bool followsBegin = maker && maker->getBlock() == block &&
                      (maker == begin || begin->isBeforeInBlock(maker));
  return followsBegin ? maker : end;
}

/// Whether the op's operands make neither the host nor another GPU than `gpu`
/// wait.
bool concernsOnly(Operation *op, const Place &gpu) {
  if (auto wait = dyn_cast<CopyWaitOp>(op))
    return getPlace(wait.getDevice()) == gpu;
  return isView(op) || isa<WriteOp, CopyStartOp>(op) ||
         (isa<KernelOp>(op) && hasKernel(op, gpu));
}

/// Whether one of the GPUs has a kernel to run during the copy.
bool PeerCopy::hidesCopy() {
  for (Operation *op = begin; op != reader; op = op->getNextNode())
    if (hasKernel(op, to))
      return true;
  // All ops after an op that needs the copy elsewhere run after the copy.
  llvm::DenseSet<Value> late;
  late.insert(transfer.getResult());
  for (Operation *op = begin; op != overwriter; op = op->getNextNode()) {
    bool isLate = false;
    op->walk([&](Operation *inner) {
      isLate |= llvm::any_of(inner->getOperands(), [&](Value operand) {
        return late.contains(operand);
      });
    });
    if (isLate && !concernsOnly(op, to))
      return false;
    if (isLate)
      late.insert_range(op->getResults());
    else if (hasKernel(op, from))
      return true;
  }
  return false;
}

bool PeerCopy::find() {
  if (from.kind != Place::Kind::Cuda || to.kind != Place::Kind::Cuda ||
      from == to || !transfer.getType().hasStaticShape() || transfer.getKept())
    return false;
  Block *block = transfer->getBlock();
  Value input = transfer.getInput();
  Operation *maker = input.getDefiningOp();
  begin = transfer;
  // If another copy makes the operand, this one must follow the wait for it.
  if (maker && maker->getBlock() == block &&
      !getRoot(input).getDefiningOp<CopyStartOp>())
    begin = maker->getNextNode();
  else if (!maker && input.getParentBlock() == block)
    begin = &block->front();
  // Copies start in the order of the program.
  while (isa<CopyStartOp>(begin))
    begin = begin->getNextNode();
  reader = findReader(transfer);
  // A result that is only passed on takes the memory of the previously passed
  // one, which does not become free earlier.
  if (reader == block->getTerminator())
    return false;
  overwriter = findOverwriter();
  return hidesCopy();
}

bool PeerCopy::takeRoom(HasRoom hasRoom) {
  return hasRoom(
      countBytes({transfer.getInput().getType(), transfer.getType()}));
}

void PeerCopy::wait(CopyStartOp copy, const Place &gpu, Value tensor,
                    Operation *before) {
  OpBuilder builder(before);
  CopyWaitOp::create(builder, transfer.getLoc(), copy.getTicket(),
                     getDevice(builder.getContext(), gpu), ValueRange{tensor});
}

void PeerCopy::start() {
  OpBuilder builder(begin);
  CopyStartOp copy = startCopy(builder, transfer, transfer.getInput());
  wait(copy, to, copy.getResult(), reader);
  wait(copy, from, copy.getInput(), overwriter);
  transfer.replaceAllUsesWith(copy.getResult());
  transfer.erase();
}

/// Whether a kernel without sums makes the operand of a copy between GPUs.
bool isSent(KernelOp kernel) {
  WalkResult sums =
      kernel.walk([](ReductionOp) { return WalkResult::interrupt(); });
  if (sums.wasInterrupted())
    return false;
  SmallVector<Value> values(kernel.getResults());
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers()) {
      auto copy = dyn_cast<CopyStartOp>(user);
      if (copy && copy.isBetweenGPUs())
        return true;
      if (isView(user))
        values.push_back(user->getResult(0));
    }
  return false;
}

/// Orders copies between several GPUs that start together by the distance of
/// the two: if each GPU sends to all others, it then sends to one, and receives
/// from one, at a time. Between such copies there may be kernels that make the
/// next one's operand, and their waits.
void spreadCopies(Block &block) {
  for (auto op = block.begin(); op != block.end();) {
    SmallVector<CopyStartOp> copies;
    llvm::DenseSet<Value> started; // results and tickets
    int32_t gpus = 0;
    auto end = op;
    for (; end != block.end(); ++end) {
      auto copy = dyn_cast<CopyStartOp>(*end);
      auto kernel = dyn_cast<KernelOp>(*end);
      if (copy && copy.isBetweenGPUs()) {
        copies.push_back(copy);
        started.insert_range(copy->getResults());
        gpus = std::max<int32_t>({gpus, int32_t(copy.getSource().ordinal) + 1,
                                  int32_t(copy.getTarget().ordinal) + 1});
        continue;
      }
      bool reads = llvm::any_of(end->getOperands(), [&](Value operand) {
        return started.contains(operand);
      });
      bool isAmong = isa<CopyWaitOp>(*end) || (kernel && isSent(kernel)) ||
                     isView(&*end) || isa<arith::ConstantOp>(*end);
      if (reads || !isAmong)
        break;
    }
    auto distance = [&](CopyStartOp copy) {
      int64_t from = copy.getSource().ordinal, to = copy.getTarget().ordinal;
      return std::make_pair((to - from + gpus) % gpus, from);
    };
    llvm::sort(copies, [&](CopyStartOp a, CopyStartOp b) {
      return distance(a) < distance(b);
    });
    if (copies.size() > 1 && end != block.end())
      for (CopyStartOp copy : copies)
        copy->moveBefore(&*end);
    op = end == block.end() ? end : std::next(end);
  }
}

} // namespace

void beginPeerCopies(Block &block, HasRoom hasRoom) {
  for (auto transfer : llvm::make_early_inc_range(block.getOps<ToDeviceOp>())) {
    PeerCopy copy(transfer);
    if (copy.find() && copy.takeRoom(hasRoom))
      copy.start();
  }
  spreadCopies(block);
  joinWaits(block);
}

} // namespace tdc::td
