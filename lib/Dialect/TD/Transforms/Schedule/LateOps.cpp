//===- LateOps.cpp - ops that can run one iteration later -----------------===//
//
// Ops that depend on a late read are late, too. Observable ops keep their
// order: if one of them is late, or a late read may report the error of a
// kernel, all of them are late. Ops of a GPU, and ops that read or write files,
// are never late.
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

/// Returns the first op for which `isSuch` holds: this one, or one in its
/// regions.
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

/// Whether the op is observable: a print, or a check, which may end the
/// program.
static bool isSeen(Operation *op) { return isa<PrintOp>(op) || isCheck(op); }

/// Returns the first reader of a copy, or the copy itself if there is none.
static Operation *getReader(Operation *copy) {
  Operation *reader = copy;
  for (Operation *user : copy->getUsers()) // the first one is last
    reader = user;
  return reader;
}

/// The reason why a copy by itself cannot be read late; "" if it can.
static llvm::StringRef findObstacle(ToDeviceOp copy) {
  if (copy.getKept())
    return not_pipelined::kAsWritten;
  if (!copy.getType().hasStaticShape())
    return not_pipelined::kSize;
  return isPassedOn(copy.getResult()) ? not_pipelined::kPassedOn : "";
}

/// Whether the op cannot run one iteration later.
static bool isPunctual(Operation *op) {
  bool isByHost = isSeen(op) || isa<scf::IfOp, scf::YieldOp>(op) ||
                  (cannotFail(op) && !isQueued(op));
  return !isByHost || isa<ToDeviceOp>(op);
}

/// Whether the op runs on a GPU and cannot run one iteration later; reads of
/// slots do not count.
static bool isOfGPU(Operation *op) {
  return isPunctual(op) && isQueued(op) && !isa<ReadOp>(op);
}

/// Whether the op runs on the host and cannot run one iteration later; copies
/// and accesses to state do not count.
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

/// Whether the loop has GPU kernels after which the reads of an iteration can
/// wait, and no inner loop.
bool LateOps::findLoop() {
  bool hasKernels = false;
  for (Operation &op : *loop.getBody()) {
    auto kernel = dyn_cast<KernelOp>(op);
    hasKernels |= kernel && kernel.isOnGPU();
    // An inner loop takes long: users should not have to wait for a line of
    // text until the inner loop of the next iteration is queued.
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

/// Adds all ops that depend on late ones.
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

/// Whether a read may report the error of a kernel.
bool LateOps::mayKernelsFail() {
  return hasAny(loop->getParentOfType<FunctionOpInterface>(),
                [](Operation *op) {
                  auto kernel = dyn_cast<KernelOp>(op);
                  return kernel && kernel.isOnGPU() && !cannotFail(kernel);
                });
}

/// Determines whether late ops are observable, or may report errors of kernels,
/// and whether checks are late.
void LateOps::findEffects() {
  auto isAnyLate = [&](bool (*isSuch)(Operation *)) {
    return llvm::any_of(ops, [&](Operation *op) { return hasAny(op, isSuch); });
  };
  hasEffects = mayKernelsFail() || isAnyLate(isSeen);
  spread();
  hasChecks = isAnyLate(isCheck);
}

/// Refuses, because observable ops must keep their order and cannot move across
/// `op`.
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

/// Makes ops late that only late ops need: strings, labels of rows.
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

/// Whether late ops can run after the other ops of the next iteration.
bool LateOps::canBePassed() {
  auto isImpassable = [&](Operation *op) {
    // Another read by the host would report errors too early; an op with
    // run-time sizes may rely on a late check.
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

/// Finds the carried values that late ops compute; false if the loop cannot
/// carry one of them.
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

/// Finds the numbers of their iteration that late ops need; false if they need
/// other values, too.
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

/// Reads of an iteration are late together or not. So each has a reason of its
/// own, or else the reason is another read.
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
