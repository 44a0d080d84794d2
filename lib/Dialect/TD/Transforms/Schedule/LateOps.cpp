//===- LateOps.cpp - what can be done in the next iteration
//--------------------===//
//
// What depends on a read comes with it. What people see keeps its order: if
// some of it is late, or an error of a kernel, all is. Nothing that a GPU does
// is late, nor what reads or writes files.
//
//===----------------------------------------------------------------------===//

#include "LateOps.h"
#include "../Speculation.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/NotPipelined.h"
#include "Iterations.h"
#include "Schedule.h"

using namespace mlir;

namespace tdc::td {

/// The first such op: this one, or one in its branches.
static Operation *findAny(Operation *op,
                          llvm::function_ref<bool(Operation *)> isSuch) {
  Operation *found = nullptr;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (isSuch(inner)) {
      found = inner;
      return WalkResult::interrupt();
    }
    return isa<KernelOp>(inner) ? WalkResult::skip() : WalkResult::advance();
  });
  return found;
}

static bool hasAny(Operation *op,
                   llvm::function_ref<bool(Operation *)> isSuch) {
  return findAny(op, isSuch);
}

static bool isCheck(Operation *op) {
  return isa<AssertOp, CheckDimOp, CheckRandIntOp>(op);
}

/// Whether people see the op, or may miss what stands behind it.
static bool isSeen(Operation *op) { return isa<PrintOp>(op) || isCheck(op); }

/// Who reads what is copied: where the program asks for it.
static Operation *getReader(Operation *copy) {
  Operation *reader = copy;
  for (Operation *user : copy->getUsers()) // the first one comes last
    reader = user;
  return reader;
}

/// Why a copy cannot be read late, for itself; "" if it can.
static llvm::StringRef findObstacle(ToDeviceOp copy) {
  if (copy.getKept())
    return not_pipelined::kAsWritten;
  if (!copy.getType().hasStaticShape())
    return not_pipelined::kSize;
  return isPassedOn(copy.getResult()) ? not_pipelined::kPassedOn : "";
}

/// What of an op cannot be done one iteration later.
static bool isPunctual(Operation *op) {
  bool isByHost = isSeen(op) || isa<scf::IfOp, scf::YieldOp>(op) ||
                  (cannotFail(op) && !isQueued(op));
  return !isByHost || isa<ToDeviceOp>(op);
}

/// The same, done by a GPU, but for what it only looks up.
static bool isOfGPU(Operation *op) {
  return isPunctual(op) && isQueued(op) && !isa<ReadOp>(op);
}

/// The same, done by the host, but for copies and state.
static bool isOfHost(Operation *op) {
  return isPunctual(op) && !isQueued(op) &&
         !isa<ToDeviceOp, ReplicaGetOp, ReadOp, WriteOp, ReadHandleOp,
              WriteHandleOp, NextRandomOp>(op);
}

LateOps::LateOps(scf::ForOp loop) : loop(loop) {
  for (auto copy : loop.getBody()->getOps<ToDeviceOp>())
    if (isDownload(copy))
      reads.push_back(copy);
}

bool LateOps::refuse(llvm::StringRef why, Operation *by) {
  this->why = why;
  this->by = by;
  return false;
}

/// Whether the loop has kernels that an iteration's reads can wait behind.
bool LateOps::findLoop() {
  bool hasKernels = false;
  for (Operation &op : *loop.getBody()) {
    auto kernel = dyn_cast<KernelOp>(op);
    hasKernels |= kernel && kernel.isOnGPU();
    // What an inner loop does takes long: nobody should wait for a line of
    // text until the next iteration's is queued.
    if (Operation *inner =
            findAny(&op, [](Operation *op) { return bool(CarryingLoop(op)); }))
      return refuse(not_pipelined::kInnerLoop, inner);
  }
  return hasKernels || refuse(not_pipelined::kNoKernels);
}

bool LateOps::isLate(Operation &op) const {
  return hasAny(&op, [&](Operation *inner) {
    return (isSeen(inner) && hasEffects) ||
           llvm::any_of(inner->getOperands(),
                        [&](Value value) { return values.contains(value); });
  });
}

/// Adds all that depends on what is late.
void LateOps::spread() {
  size_t before;
  do {
    before = ops.size() + values.size();
    for (Operation &op : loop.getBody()->without_terminator())
      if (isLate(op)) {
        ops.insert(&op);
        values.insert_range(op.getResults());
      }
    for (auto [next, argument] :
         llvm::zip(loop.getYieldedValues(), loop.getRegionIterArgs()))
      if (values.contains(next))
        values.insert(argument);
  } while (ops.size() + values.size() > before);
}

/// Whether a read may bring the error of a kernel.
bool LateOps::mayKernelsFail() {
  return hasAny(loop->getParentOfType<FunctionOpInterface>(),
                [](Operation *op) {
                  auto kernel = dyn_cast<KernelOp>(op);
                  return kernel && kernel.isOnGPU() && !cannotFail(kernel);
                });
}

/// Finds what may be seen of what is late: some of it, and errors.
void LateOps::findEffects() {
  auto isAnyLate = [&](bool (*isSuch)(Operation *)) {
    return llvm::any_of(ops, [&](Operation *op) { return hasAny(op, isSuch); });
  };
  hasEffects = mayKernelsFail() || isAnyLate(isSeen);
  spread();
  hasChecks = isAnyLate(isCheck);
}

/// What is seen comes in order: neither before nor behind `op`.
bool LateOps::refuseInOrder(Operation *op, Operation *obstacle) {
  Operation *copy = findAny(op, isDownload);
  if (Operation *ofHost = findAny(op, isOfHost))
    obstacle = ofHost;
  else if (copy)
    obstacle = getReader(copy);
  return refuse(copy ? not_pipelined::kOtherRead : not_pipelined::kOrder,
                obstacle);
}

bool LateOps::findOps(llvm::ArrayRef<ToDeviceOp> roots) {
  for (ToDeviceOp copy : roots)
    values.insert(copy.getResult());
  spread();
  for (Operation *op : ops)
    if (Operation *needing = findAny(op, isOfGPU);
        needing && !hasAny(op, isDownload))
      return refuse(not_pipelined::kNeeded, needing);
  findEffects();
  for (Operation *op : ops)
    if (Operation *punctual = findAny(op, isPunctual))
      return refuseInOrder(op, punctual);
  return true;
}

/// What only they need, is late as well: strings, labels of rows.
void LateOps::sink() {
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    auto isByLate = [&](Operation *user) {
      return ops.contains(loop.getBody()->findAncestorOpInBlock(*user));
    };
    if (!op.use_empty() && mayRunUnasked(&op) && !hasAny(&op, isPunctual) &&
        llvm::all_of(op.getUsers(), isByLate))
      ops.insert(&op);
  }
}

/// Whether what is late can be done behind the other ops of the next iteration.
bool LateOps::canBePassed() {
  auto isImpassable = [&](Operation *op) {
    // With what the host reads here it would learn of errors too early; sizes
    // that a run knows may be what a check is for.
    bool isQuiet = cannotFail(op) || isQueued(op) || isStructured(op) ||
                   isa<ReadOp, WriteOp, NextRandomOp, scf::YieldOp>(op);
    return isDownload(op) || !isQuiet || (hasChecks && hasRunTimeSizes(op));
  };
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<ReplicaGetOp>(op))
      return refuse(not_pipelined::kOnDemand, &op);
    if (!hasEffects || ops.contains(&op) || llvm::is_contained(reads, &op))
      continue;
    if (Operation *obstacle = findAny(&op, isImpassable))
      return refuseInOrder(&op, obstacle);
  }
  return true;
}

/// Finds what late ops give the loop to carry; false if it cannot.
bool LateOps::findResults() {
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!values.contains(argument))
      continue;
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (tensor ? !tensor.hasStaticShape()
               : !argument.getType().isIntOrIndexOrFloat())
      return refuse(tensor ? not_pipelined::kSize : not_pipelined::kText);
    results.push_back(index);
  }
  return true;
}

/// Finds the numbers that late ops need of their iteration; false if that are
/// not numbers alone.
bool LateOps::findNumbers() {
  auto isEarly = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return value.getParentBlock() == loop.getBody() &&
           !values.contains(value) &&
           !(maker &&
             (ops.contains(maker) || llvm::is_contained(reads, maker)));
  };
  for (Operation &op : *loop.getBody()) {
    if (!ops.contains(&op))
      continue;
    Operation *reader = findAny(&op, [&](Operation *inner) {
      bool areNumbers = true;
      for (Value operand :
           llvm::make_filter_range(inner->getOperands(), isEarly)) {
        areNumbers &= operand.getType().isIntOrIndexOrFloat();
        numbers.insert(operand);
      }
      return !areNumbers;
    });
    if (reader)
      return refuse(not_pipelined::kTensors, reader);
  }
  return true;
}

bool LateOps::find(llvm::ArrayRef<ToDeviceOp> roots) {
  if (!findLoop())
    return false;
  for (ToDeviceOp copy : roots)
    if (llvm::StringRef why = findObstacle(copy); !why.empty())
      return refuse(why);
  if (!findOps(roots))
    return false;
  sink();
  return canBePassed() && findResults() && findNumbers();
}

/// Reads of an iteration are late together. So each has a reason of its own, or
/// else that another one has.
void LateOps::explain() {
  llvm::SmallVector<ToDeviceOp> others;
  Operation *first = nullptr;
  for (ToDeviceOp copy : reads) {
    LateOps alone(loop);
    if (alone.find(copy)) {
      others.push_back(copy);
      continue;
    }
    leaveNotPipelined(copy, alone.why, alone.by);
    if (!first)
      first = getReader(copy);
  }
  if (first)
    refuse(not_pipelined::kOtherRead, first);
  for (ToDeviceOp copy : others)
    leaveNotPipelined(copy, why, by);
}

} // namespace tdc::td
