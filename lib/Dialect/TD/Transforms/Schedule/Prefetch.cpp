//===- Prefetch.cpp - uploads one iteration ahead -------------------------===//
//
// Software pipelining of a loop by one iteration: the ops that make the first
// upload are cloned before the loop; each iteration waits for its own upload,
// queues its kernels on the GPU, then makes and copies the upload of the next
// iteration, if there is one. So a batch is copied exactly as often as before,
// into one of two buffers.
//
//   mark(-1)
//   start(0) after mark(-1)           start, wait: td.copy_start, td.copy_wait
//   for t {
//     wait(t) by the GPU
//     kernels of t
//     mark(t)                         after the last reader of the buffer
//     if t + 1 < n {
//       wait(t - 1) by the cpu        before its source is overwritten
//       start(t + 1) after mark(t - 1)
//     }
//   }
//   wait(n - 1) by the cpu
//
//===----------------------------------------------------------------------===//

#include "../Speculation.h"
#include "Dialect/TD/Transforms/NotPipelined.h"
#include "Iterations.h"
#include "Schedule.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tdc::td {

//===----------------------------------------------------------------------===//
// What can be made one iteration ahead
//===----------------------------------------------------------------------===//

namespace {

class LoopPrefetcher {
public:
  explicit LoopPrefetcher(scf::ForOp loop) : loop(loop) {}

  /// Finds the uploads; false if there are none.
  bool find();
  /// Marks the uploads that were found as not pipelined, with the reason.
  void leave(llvm::StringRef why);
  /// The bytes that a second buffer for each upload takes, by GPU.
  BytesByGPU countBytes();
  void run();

private:
  using Ops = llvm::SetVector<Operation *>;

  llvm::StringRef addMakers(Value value, Ops &makers);
  llvm::StringRef findObstacle(ToDeviceOp upload);
  bool isUsedWithin(const Ops &ops, const Ops &all) const;
  bool hasGuards();
  Operation *findPlace();
  Operation *getCopy(CopyWaitOp wait);
  Operation *findHostWait(DeviceAttr gpu);
  /// Makes the tensors that the iteration with induction variable `index`
  /// uploads, and starts to copy them. Returns the results, then the tickets by
  /// GPU.
  llvm::SmallVector<Value> start(OpBuilder &builder, Location loc, Value index,
                                 ValueRange after);
  llvm::SmallVector<Value> startFirst(OpBuilder &builder, ValueRange marks);
  llvm::SmallVector<Value> startNext(OpBuilder &builder, ValueRange before,
                                     ValueRange after);
  llvm::SmallVector<Value>
  startIf(OpBuilder &builder, Location loc, Value condition,
          llvm::function_ref<llvm::SmallVector<Value>(OpBuilder &)> body);
  Value mark(OpBuilder &builder, Location loc, DeviceAttr gpu);
  Operation *findLastReader(DeviceAttr gpu);
  DeviceAttr getHost() { return td::getDevice(loop.getContext(), getCpu()); }

  scf::ForOp loop;
  llvm::SmallVector<ToDeviceOp> uploads;
  /// The ops that make the operands of all uploads, in the order of the loop.
  llvm::SmallVector<Operation *> makers;
  /// The GPUs of the uploads.
  llvm::SmallVector<DeviceAttr> gpus;
};

/// The reason why an op cannot run ahead of its iteration; "" if it can.
static llvm::StringRef findObstacle(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  if (isa<ToDeviceOp, ReplicaGetOp>(op) || (kernel && kernel.isOnGPU()))
    return not_pipelined::kGPUResult;
  if (kernel)
    return cannotFail(op) ? "" : not_pipelined::kCheck;
  if (op->getNumRegions() > 0)
    return not_pipelined::kBranch;
  if (isa<NextRandomOp>(op))
    return not_pipelined::kRandom;
  if (isa<LoadOp>(op))
    return not_pipelined::kFile;
  if (isa<ReadOp, ReadHandleOp>(op))
    return not_pipelined::kPreviousIteration;
  return cannotFail(op) ? "" : not_pipelined::kEffect;
}

/// Adds the ops of the body that a value needs. Returns the reason if one of
/// them cannot run ahead, else "".
llvm::StringRef LoopPrefetcher::addMakers(Value value, Ops &into) {
  if (value == loop.getInductionVar() ||
      !loop.getRegion().isAncestor(value.getParentRegion()))
    return "";
  Operation *op = value.getDefiningOp();
  if (!op)
    return not_pipelined::kPreviousIteration;
  if (llvm::StringRef why = td::findObstacle(op); !why.empty())
    return why;
  for (Value operand : op->getOperands())
    if (llvm::StringRef why = addMakers(operand, into); !why.empty())
      return why;
  into.insert(op);
  return "";
}

/// The reason why an upload by itself cannot run ahead; "" if it can.
llvm::StringRef LoopPrefetcher::findObstacle(ToDeviceOp upload) {
  if (!upload.getType().hasStaticShape())
    return not_pipelined::kSize;
  if (isPassedOn(upload))
    return not_pipelined::kPassedOn;
  Ops ops;
  return addMakers(upload.getInput(), ops);
}

/// Whether only `all` and uploads read the tensors that `ops` make. Numbers can
/// be computed twice, tensors are not.
bool LoopPrefetcher::isUsedWithin(const Ops &ops, const Ops &all) const {
  auto isWithin = [&](Operation *user) {
    return all.contains(user) || llvm::is_contained(uploads, user);
  };
  return llvm::all_of(ops, [&](Operation *op) {
    return !isa<KernelOp>(op) || llvm::all_of(op->getUsers(), isWithin);
  });
}

void LoopPrefetcher::leave(llvm::StringRef why) {
  for (ToDeviceOp upload : uploads)
    leaveNotPipelined(upload, why);
}

bool LoopPrefetcher::find() {
  auto isOnGPU = [](KernelOp kernel) { return kernel.isOnGPU(); };
  bool hasKernels = llvm::any_of(loop.getBody()->getOps<KernelOp>(), isOnGPU);
  for (auto upload : loop.getBody()->getOps<ToDeviceOp>()) {
    if (!isUpload(upload) || upload.getKept())
      continue;
    llvm::StringRef why = not_pipelined::kNoKernels;
    if (hasKernels)
      why = findObstacle(upload);
    if (why.empty())
      uploads.push_back(upload);
    else
      leaveNotPipelined(upload, why);
  }
  // An upload that drops out may have been the reason why another one could
  // stay.
  Ops all;
  auto isShared = [&](ToDeviceOp upload) {
    Ops ops;
    addMakers(upload.getInput(), ops);
    if (isUsedWithin(ops, all))
      return false;
    leaveNotPipelined(upload, not_pipelined::kUsedByHost);
    return true;
  };
  do {
    all.clear();
    for (ToDeviceOp upload : uploads)
      addMakers(upload.getInput(), all);
    size_t count = uploads.size();
    llvm::erase_if(uploads, isShared);
    if (count == uploads.size())
      break;
  } while (true);
  makers.assign(all.begin(), all.end());
  llvm::sort(makers,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::SetVector<DeviceAttr> found;
  for (ToDeviceOp upload : uploads)
    found.insert(cast<DeviceAttr>(upload.getType().getEncoding()));
  gpus = found.takeVector();
  if (uploads.empty() || !hasGuards())
    return !uploads.empty();
  leave(not_pipelined::kCheck);
  return false;
}

/// Adds the values that a value is computed from, down to values that no op
/// computes; constants are left out.
static void addOrigins(Value value, llvm::SetVector<Value> &origins) {
  if (matchPattern(value, m_Constant()) || !origins.insert(value))
    return;
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      addOrigins(operand, origins);
  });
}

/// Whether a check may be the reason why makers stay within tensors of run-time
/// sizes: it precedes them, in no branch, and both depend on one value. For
/// example, the check is "slice 0:32 is out of range for size 7", and a maker
/// takes these rows.
bool LoopPrefetcher::hasGuards() {
  llvm::SetVector<Value> ofMakers, ofChecks;
  Operation *last = nullptr;
  for (Operation *op : llvm::make_filter_range(makers, hasRunTimeSizes)) {
    for (Value operand : op->getOperands())
      addOrigins(operand, ofMakers);
    last = op;
  }
  for (Operation &op : *loop.getBody())
    if (last && op.isBeforeInBlock(last) &&
        isa<AssertOp, CheckDimOp, CheckRandIntOp>(op))
      for (Value operand : op.getOperands())
        addOrigins(operand, ofChecks);
  return llvm::any_of(ofChecks,
                      [&](Value value) { return ofMakers.contains(value); });
}

BytesByGPU LoopPrefetcher::countBytes() {
  return td::countBytes(llvm::map_to_vector(
      uploads, [](ToDeviceOp upload) { return upload.getType(); }));
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Whether the op takes the host only a short time.
static bool isShort(Operation *op) {
  constexpr int64_t kFewElements = 64; // an optimizer's step, a learning rate
  auto isSmall = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor ||
           (tensor.hasStaticShape() && tensor.getNumElements() <= kFewElements);
  };
  bool isKnown =
      isa<KernelOp, ReadOp, WriteOp, AssertOp, CheckDimOp, CheckRandIntOp,
          PrintOp>(op) ||
      (op->getNumRegions() == 0 && cannotFail(op) && !isa<ToDeviceOp>(op));
  return isKnown && llvm::all_of(op->getOperandTypes(), isSmall) &&
         llvm::all_of(op->getResultTypes(), isSmall);
}

/// Returns the op before which the next iteration's uploads are started: after
/// as many kernels as can be queued before the host waits for something or has
/// work of its own.
Operation *LoopPrefetcher::findPlace() {
  bool followsKernel = false;
  for (Operation &op : *loop.getBody()) {
    auto kernel = dyn_cast<KernelOp>(op);
    followsKernel |= kernel && kernel.isOnGPU();
    if (followsKernel && !isQueued(&op) && !isShort(&op))
      return &op;
  }
  return loop.getBody()->getTerminator();
}

/// Returns the copy that is waited for: the wait is in the copy's block, or
/// after this loop, which has started the copy.
Operation *LoopPrefetcher::getCopy(CopyWaitOp wait) {
  Value ticket = wait.getTicket();
  if (auto result = dyn_cast<OpResult>(ticket);
      result && result.getOwner() == loop)
    ticket = loop.getYieldedValues()[result.getResultNumber()];
  return ticket.getDefiningOp();
}

/// Returns an op after the loop at which the host waits for the GPU anyway, or
/// else the loop.
Operation *LoopPrefetcher::findHostWait(DeviceAttr gpu) {
  for (Operation *op = loop->getNextNode();
       op && (op->getNumRegions() == 0 || isa<KernelOp>(op));
       op = op->getNextNode()) {
    auto wait = dyn_cast<CopyWaitOp>(op);
    Operation *copy = wait ? getCopy(wait) : op;
    if (isa_and_nonnull<ToDeviceOp, CopyStartOp>(copy) && !isQueued(op) &&
        cast<RankedTensorType>(copy->getOperand(0).getType()).getEncoding() ==
            gpu)
      return op;
  }
  return loop;
}

Value LoopPrefetcher::mark(OpBuilder &builder, Location loc, DeviceAttr gpu) {
  return MarkOp::create(builder, loc, TicketType::get(builder.getContext()),
                        gpu);
}

/// The last op of the body that reads a tensor that is uploaded to the GPU.
Operation *LoopPrefetcher::findLastReader(DeviceAttr gpu) {
  Operation *last = nullptr;
  for (ToDeviceOp upload : uploads) {
    if (upload.getType().getEncoding() != gpu)
      continue;
    forEachReader(upload, [&](Operation *reader) {
      Operation *op = loop.getBody()->findAncestorOpInBlock(*reader);
      if (!last || last->isBeforeInBlock(op))
        last = op;
    });
  }
  return last;
}

llvm::SmallVector<Value> LoopPrefetcher::start(OpBuilder &builder, Location loc,
                                               Value index, ValueRange after) {
  IRMapping map;
  map.map(loop.getInductionVar(), index);
  Value iteration = getIteration(builder, loop, index);
  for (Operation *op : makers)
    builder.clone(*op, map);
  llvm::SmallVector<Value> results;
  llvm::SmallVector<Value> tickets(gpus.size());
  for (ToDeviceOp upload : uploads) {
    unsigned gpu =
        llvm::find(gpus, upload.getType().getEncoding()) - gpus.begin();
    CopyStartOp copy =
        startCopy(builder, upload, map.lookupOrDefault(upload.getInput()),
                  after[gpu], iteration);
    results.push_back(copy.getResult());
    // Copies to one GPU are made in order: the last one's ticket covers all.
    tickets[gpu] = copy.getTicket();
  }
  llvm::append_range(results, tickets);
  return results;
}

llvm::SmallVector<Value> LoopPrefetcher::startIf(
    OpBuilder &builder, Location loc, Value condition,
    llvm::function_ref<llvm::SmallVector<Value>(OpBuilder &)> body) {
  llvm::SmallVector<Type> types;
  for (ToDeviceOp upload : uploads)
    types.push_back(upload.getType());
  types.append(gpus.size(), TicketType::get(builder.getContext()));
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder inner = branch.getThenBodyBuilder();
  scf::YieldOp::create(inner, loc, body(inner));
  inner = branch.getElseBodyBuilder();
  llvm::SmallVector<Value> none;
  for (Type type : types)
    none.push_back(isa<TicketType>(type)
                       ? Value(NoTicketOp::create(inner, loc, type))
                       : Value(ub::PoisonOp::create(inner, loc, type)));
  scf::YieldOp::create(inner, loc, none);
  return llvm::to_vector_of<Value>(branch.getResults());
}

llvm::SmallVector<Value> LoopPrefetcher::startFirst(OpBuilder &builder,
                                                    ValueRange marks) {
  Location loc = loop.getLoc();
  auto first = [&](OpBuilder &b) {
    return start(b, loc, loop.getLowerBound(), marks);
  };
  if (hasIteration(loop))
    return first(builder);
  return startIf(builder, loc, askForIteration(builder, loop), first);
}

llvm::SmallVector<Value> LoopPrefetcher::startNext(OpBuilder &builder,
                                                   ValueRange before,
                                                   ValueRange after) {
  Location loc = loop.getLoc();
  Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                     loop.getStep());
  Value goesOn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       next, loop.getUpperBound());
  return startIf(builder, loc, goesOn, [&](OpBuilder &b) {
    for (Value ticket : before)
      CopyWaitOp::create(b, loc, ticket, getHost(), ValueRange());
    return start(b, loc, next, after);
  });
}

void LoopPrefetcher::run() {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  // The loop carries the tensors that an iteration reads, the tickets of their
  // copies, and the tickets and marks of the previous iteration.
  llvm::SmallVector<Value> firstMarks;
  for (DeviceAttr gpu : gpus)
    firstMarks.push_back(mark(rewriter, loc, gpu));
  llvm::SmallVector<Value> inits = startFirst(rewriter, firstMarks);
  for (size_t i = 0; i < gpus.size(); ++i)
    inits.push_back(NoTicketOp::create(rewriter, loc,
                                       TicketType::get(rewriter.getContext())));
  llvm::append_range(inits, firstMarks);
  auto yieldSame = [](OpBuilder &, Location,
                      ArrayRef<BlockArgument> arguments) {
    return llvm::to_vector_of<Value>(arguments);
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yieldSame));
  size_t count = uploads.size(), devices = gpus.size();
  ValueRange carried = loop.getRegionIterArgs().take_back(inits.size());
  ValueRange tensors = carried.take_front(count);
  ValueRange tickets = carried.slice(count, devices);
  ValueRange before = carried.slice(count + devices, devices);
  ValueRange marks = carried.take_back(devices);
  auto getOf = [&](ValueRange values, DeviceAttr gpu) {
    llvm::SmallVector<Value> found;
    for (auto [value, upload] : llvm::zip(values, uploads))
      if (upload.getType().getEncoding() == gpu)
        found.push_back(value);
    return found;
  };

  Operation *place = findPlace();
  rewriter.setInsertionPointToStart(loop.getBody());
  for (auto [gpu, ticket] : llvm::zip(gpus, tickets))
    CopyWaitOp::create(rewriter, loc, ticket, gpu, getOf(tensors, gpu));
  rewriter.setInsertionPoint(place);
  llvm::SmallVector<Value> next = startNext(rewriter, before, marks);
  llvm::append_range(next, tickets);
  for (DeviceAttr gpu : gpus) {
    rewriter.setInsertionPointAfter(findLastReader(gpu));
    next.push_back(mark(rewriter, loc, gpu));
  }
  loop.getBody()->getTerminator()->setOperands(
      loop.getNumRegionIterArgs() - inits.size(), inits.size(), next);

  for (auto [gpu, ticket] :
       llvm::zip(gpus, loop.getResults().take_back(2 * devices))) {
    rewriter.setInsertionPointAfter(findHostWait(gpu));
    CopyWaitOp::create(
        rewriter, loc, ticket, getHost(),
        getOf(loop.getResults().take_back(inits.size()).take_front(count),
              gpu));
  }

  for (auto [upload, tensor] : llvm::zip(uploads, tensors))
    rewriter.replaceOp(upload, tensor);
  for (Operation *op : llvm::reverse(makers))
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

} // namespace

void prefetch(scf::ForOp loop, HasRoom hasRoom) {
  LoopPrefetcher prefetcher(loop);
  if (!prefetcher.find())
    return;
  if (!hasRoom(prefetcher.countBytes()))
    return prefetcher.leave(not_pipelined::kRoom);
  prefetcher.run();
}

} // namespace tdc::td
