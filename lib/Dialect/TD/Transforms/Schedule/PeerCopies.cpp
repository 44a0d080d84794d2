//===- PeerCopies.cpp - copies between GPUs run beside kernels ------------===//
//
// Within a block a copy from one GPU to another begins as soon as its source is
// there. The GPU that it goes to waits for it in front of the first op that
// reads it; the one that it comes from as late as possible: at the end of the
// block, or in front of what takes the source's memory in place. So both have
// kernels to run meanwhile.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/Placement/ValueFlow.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Schedule.h"

using namespace mlir;

namespace tdc::td {
namespace {

class PeerCopy {
public:
  explicit PeerCopy(ToDeviceOp transfer)
      : transfer(transfer), from(getPlace(transfer.getInput().getType())),
        to(getPlace(transfer.getType())) {}

  /// Whether it is one that can run by itself.
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
  Operation *begin = nullptr;      ///< in front of what it begins
  Operation *reader = nullptr;     ///< the first of the result
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

/// What could work in the operand's memory if that were free: a write of the
/// slot that it is read of, or what makes the loop's next one. Else the end of
/// the block, where memory is free for others.
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
  bool isBehind = maker && maker->getBlock() == block &&
                  (maker == begin || begin->isBeforeInBlock(maker));
  return isBehind ? maker : end;
}

/// Whether neither the host nor another GPU than `gpu` waits for what the op
/// needs.
bool concernsOnly(Operation *op, const Place &gpu) {
  if (auto wait = dyn_cast<CopyWaitOp>(op))
    return getPlace(wait.getDevice()) == gpu;
  return isView(op) || isa<WriteOp, CopyStartOp>(op) ||
         (isa<KernelOp>(op) && hasKernel(op, gpu));
}

/// Whether one of the GPUs has a kernel to run meanwhile.
bool PeerCopy::hidesCopy() {
  for (Operation *op = begin; op != reader; op = op->getNextNode())
    if (hasKernel(op, to))
      return true;
  // Behind what needs the copy elsewhere, all comes behind the copy.
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
  // Behind another copy is where somebody waits for that.
  if (maker && maker->getBlock() == block &&
      !getRoot(input).getDefiningOp<CopyStartOp>())
    begin = maker->getNextNode();
  else if (!maker && input.getParentBlock() == block)
    begin = &block->front();
  // In the order of the program.
  while (isa<CopyStartOp>(begin))
    begin = begin->getNextNode();
  reader = findReader(transfer);
  // What is handed on has the memory of what was handed on before, which is
  // not free any earlier.
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

} // namespace

void beginPeerCopies(Block &block, HasRoom hasRoom) {
  for (auto transfer : llvm::make_early_inc_range(block.getOps<ToDeviceOp>())) {
    PeerCopy copy(transfer);
    if (copy.find() && copy.takeRoom(hasRoom))
      copy.start();
  }
  joinWaits(block);
}

} // namespace tdc::td
