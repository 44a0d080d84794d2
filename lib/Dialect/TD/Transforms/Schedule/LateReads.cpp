//===- LateReads.cpp - the host reads in the next turn --------------------===//
//
// Software pipelining of a loop by one turn: what the host does with what a
// turn computed on a GPU, it does when it has given the GPU the kernels of the
// next one. So the GPU has work while the host waits.
//
//   for t {
//     kernels of t, start(t)          td.copy_start, into one of two buffers
//     wait(t) by the GPU              behind it kernels overwrite what is
//     copied if t > 0 {
//       wait(t - 1) by the cpu
//       reads of t - 1                .item(), prints, sums, checks
//     }
//   }
//   wait(n - 1) by the cpu
//   reads of n - 1
//
//===----------------------------------------------------------------------===//

#include "../Speculation.h"
#include "Dialect/TD/Analysis/ValueFlow.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/InLine.h"
#include "Schedule.h"
#include "Turns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tdc::td {
namespace {

class LateReader {
  struct Copy {
    ToDeviceOp download;
    CopyStartOp start;
    Value ticket; ///< its own, or of one behind it

    Attribute getGPU() { return download.getInput().getType().getEncoding(); }
  };

public:
  explicit LateReader(scf::ForOp loop);

  bool hasReads() const { return !downloads.empty(); }
  /// Finds what can be done one turn later if all is that the turn reads;
  /// false if it cannot.
  bool find() { return find(downloads); }
  /// Says of each read why it stays in its turn, when that was found.
  void explain();
  void leave(llvm::StringRef why, Operation *by = nullptr);
  /// Bytes that stay on each GPU until a turn is over.
  BytesByGPU countBytes();
  void run();

private:
  bool find(llvm::ArrayRef<ToDeviceOp> reads);
  bool refuse(llvm::StringRef why, Operation *by = nullptr);
  bool refuseInOrder(Operation *op, Operation *obstacle);
  bool findLoop();
  bool findLate(llvm::ArrayRef<ToDeviceOp> reads);
  void findEffects();
  Operation *findAnyUntold(Operation *op,
                           llvm::function_ref<bool(Operation *)> isSuch) const;
  bool isLate(Operation &op) const;
  void spread();
  void sink();
  bool canBePassed();
  bool findLateResults();
  bool findCarried();
  void startCopies(OpBuilder &builder);
  void waitForCopies(OpBuilder &builder);
  void carry(RewriterBase &rewriter);
  /// Does what is late of one turn: `values` is all that the loop carries of
  /// it. The results are what its reads make of that.
  llvm::SmallVector<Value> read(OpBuilder &builder, ValueRange values);
  llvm::SmallVector<Value> readIf(OpBuilder &builder, Value condition,
                                  ValueRange values);
  /// Of values that the loop carries, those that its reads make.
  llvm::SmallVector<Value> getLate(ValueRange values) const;

  scf::ForOp loop;
  llvm::SmallVector<ToDeviceOp> downloads;
  llvm::StringRef why; ///< it cannot be, one of in_line
  Operation *by = nullptr;

  llvm::SetVector<Operation *> late; ///< causes first
  /// What is there only when they have run; also what the loop carries of it.
  llvm::DenseSet<Value> lateValues;
  /// What is seen in a turn comes behind what is late of the turn before.
  bool hasLateEffects = false, hasLateChecks = false;
  /// Null, or the GPU whose errors are all that can be seen late: who reads
  /// from it in the turn is told of them.
  Attribute teller;
  /// Which values of the loop these are.
  llvm::SmallVector<unsigned> lateResults;
  /// Numbers of the turn that its reads need.
  llvm::SetVector<Value> carried;
  /// In the order in which they begin.
  llvm::SmallVector<Copy> copies;
  llvm::SetVector<Value> tickets;
};

/// The first such op: this one, or one in its branches.
Operation *findAny(Operation *op,
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

bool hasAny(Operation *op, llvm::function_ref<bool(Operation *)> isSuch) {
  return findAny(op, isSuch);
}

bool isCheck(Operation *op) {
  return isa<AssertOp, CheckDimOp, CheckRandIntOp>(op);
}

/// Whether people see the op, or may miss what stands behind it.
bool isSeen(Operation *op) { return isa<PrintOp>(op) || isCheck(op); }

Attribute getSource(Operation *download) {
  return cast<ToDeviceOp>(download).getInput().getType().getEncoding();
}

/// Who reads what is copied: where the program asks for it.
Operation *getReader(Operation *copy) {
  Operation *reader = copy;
  for (Operation *user : copy->getUsers()) // the first one comes last
    reader = user;
  return reader;
}

LateReader::LateReader(scf::ForOp loop) : loop(loop) {
  for (auto copy : loop.getBody()->getOps<ToDeviceOp>())
    if (isDownload(copy))
      downloads.push_back(copy);
}

//===----------------------------------------------------------------------===//
// What can be late
//===----------------------------------------------------------------------===//

bool LateReader::refuse(llvm::StringRef why, Operation *by) {
  this->why = why;
  this->by = by;
  return false;
}

/// Why a copy cannot be read late, for itself; "" if it can.
llvm::StringRef findObstacle(ToDeviceOp copy) {
  if (copy.getKept())
    return in_line::kAsWritten;
  if (!copy.getType().hasStaticShape())
    return in_line::kSize;
  return isPassedOn(copy.getResult()) ? in_line::kPassedOn : "";
}

/// Whether the loop has kernels that a turn's reads can wait behind.
bool LateReader::findLoop() {
  bool hasKernels = false;
  for (Operation &op : *loop.getBody()) {
    auto kernel = dyn_cast<KernelOp>(op);
    hasKernels |= kernel && kernel.isOnGPU();
    // What an inner loop does takes long: nobody should wait for a line of
    // text until the next turn's is queued.
    if (Operation *inner =
            findAny(&op, [](Operation *op) { return bool(CarryingLoop(op)); }))
      return refuse(in_line::kInnerLoop, inner);
  }
  return hasKernels || refuse(in_line::kNoKernels);
}

/// What of an op cannot be done one turn later.
bool isPunctual(Operation *op) {
  bool isByHost = isSeen(op) || isa<scf::IfOp, scf::YieldOp>(op) ||
                  (cannotFail(op) && !isQueued(op));
  return !isByHost || isa<ToDeviceOp>(op);
}

/// The same, done by a GPU, but for what it only looks up.
bool isOfGPU(Operation *op) {
  return isPunctual(op) && isQueued(op) && !isa<ReadOp>(op);
}

/// The same, done by the host.
bool isOfHost(Operation *op) {
  return isPunctual(op) && !isQueued(op) &&
         !isa<ReadOp, WriteOp, ToDeviceOp>(op);
}

/// As findAny, but for what stands behind a read that tells of errors.
Operation *
LateReader::findAnyUntold(Operation *op,
                          llvm::function_ref<bool(Operation *)> isSuch) const {
  if (isSuch(op))
    return op;
  if (isa<KernelOp>(op))
    return nullptr;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps()) {
      if (teller && isDownload(&inner) && getSource(&inner) == teller)
        break;
      if (Operation *found = findAnyUntold(&inner, isSuch))
        return found;
    }
  return nullptr;
}

bool LateReader::isLate(Operation &op) const {
  return (hasLateEffects && findAnyUntold(&op, isSeen)) ||
         hasAny(&op, [&](Operation *inner) {
           return llvm::any_of(inner->getOperands(), [&](Value value) {
             return lateValues.contains(value);
           });
         });
}

/// Adds all that depends on what is late.
void LateReader::spread() {
  size_t before;
  do {
    before = late.size() + lateValues.size();
    for (Operation &op : loop.getBody()->without_terminator())
      if (isLate(op)) {
        late.insert(&op);
        lateValues.insert_range(op.getResults());
      }
    for (auto [next, argument] :
         llvm::zip(loop.getYieldedValues(), loop.getRegionIterArgs()))
      if (lateValues.contains(next))
        lateValues.insert(argument);
  } while (late.size() + lateValues.size() > before);
}

/// Finds what may be seen of what is late: some of it, and errors of kernels,
/// which a read may bring.
void LateReader::findEffects() {
  llvm::DenseSet<Attribute> failing;
  hasAny(loop->getParentOfType<FunctionOpInterface>(), [&](Operation *op) {
    auto kernel = dyn_cast<KernelOp>(op);
    if (kernel && kernel.isOnGPU() && !cannotFail(kernel))
      failing.insert(
          cast<RankedTensorType>(kernel.getResult(0).getType()).getEncoding());
    return false;
  });
  auto isAnyLate = [&](bool (*isSuch)(Operation *)) {
    return llvm::any_of(late,
                        [&](Operation *op) { return hasAny(op, isSuch); });
  };
  bool isAnySeen = isAnyLate(isSeen);
  hasLateEffects = isAnySeen || !failing.empty();
  if (!isAnySeen && failing.size() == 1)
    teller = *failing.begin();
  for (Operation &op : *loop.getBody())
    if (findAnyUntold(&op, isSeen))
      teller = nullptr;
  spread();
  hasLateChecks = isAnyLate(isCheck);
}

/// What is seen comes in order: neither before nor behind `op`.
bool LateReader::refuseInOrder(Operation *op, Operation *obstacle) {
  Operation *copy = findAny(op, isDownload);
  if (Operation *ofHost = findAny(op, isOfHost))
    obstacle = ofHost;
  else if (copy)
    obstacle = getReader(copy);
  return refuse(copy ? in_line::kOtherRead : in_line::kOrder, obstacle);
}

bool LateReader::findLate(llvm::ArrayRef<ToDeviceOp> reads) {
  for (ToDeviceOp copy : reads)
    lateValues.insert(copy.getResult());
  spread();
  for (Operation *op : late)
    if (Operation *needing = findAny(op, isOfGPU);
        needing && !hasAny(op, isDownload))
      return refuse(in_line::kNeeded, needing);
  findEffects();
  for (Operation *op : late)
    if (Operation *punctual = findAny(op, isPunctual))
      return refuseInOrder(op, punctual);
  return true;
}

/// What only they need, is late as well: strings, labels of rows.
void LateReader::sink() {
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    auto isByLate = [&](Operation *user) {
      return late.contains(loop.getBody()->findAncestorOpInBlock(*user));
    };
    if (!op.use_empty() && mayRunUnasked(&op) && !hasAny(&op, isPunctual) &&
        llvm::all_of(op.getUsers(), isByLate))
      late.insert(&op);
  }
}

/// Whether what is late can be done behind the other ops of the next turn.
bool LateReader::canBePassed() {
  auto isImpassable = [&](Operation *op) {
    // With what the host reads here it would learn of errors too early; sizes
    // that a run knows may be what a check is for.
    bool isQuiet = cannotFail(op) || isQueued(op) || isStructured(op) ||
                   isa<ReadOp, WriteOp, NextRandomOp, scf::YieldOp>(op);
    return isDownload(op) || !isQuiet || (hasLateChecks && hasRunTimeSizes(op));
  };
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isa<ReplicaGetOp>(op))
      return refuse(in_line::kOnDemand, &op);
    if (!hasLateEffects || late.contains(&op) ||
        llvm::is_contained(downloads, &op))
      continue;
    if (Operation *obstacle = findAnyUntold(&op, isImpassable))
      return refuseInOrder(&op, obstacle);
  }
  return true;
}

/// Finds what late ops give the loop to carry; false if it cannot.
bool LateReader::findLateResults() {
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!lateValues.contains(argument))
      continue;
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (tensor ? !tensor.hasStaticShape()
               : !argument.getType().isIntOrIndexOrFloat())
      return refuse(tensor ? in_line::kSize : in_line::kText);
    lateResults.push_back(index);
  }
  return true;
}

/// Finds the numbers that late ops need of their turn; false if that are not
/// numbers alone.
bool LateReader::findCarried() {
  auto isEarly = [&](Value value) {
    Operation *maker = value.getDefiningOp();
    return value.getParentBlock() == loop.getBody() &&
           !lateValues.contains(value) &&
           !(maker &&
             (late.contains(maker) || llvm::is_contained(downloads, maker)));
  };
  for (Operation &op : *loop.getBody()) {
    if (!late.contains(&op))
      continue;
    Operation *reader = findAny(&op, [&](Operation *inner) {
      bool areNumbers = true;
      for (Value operand :
           llvm::make_filter_range(inner->getOperands(), isEarly)) {
        areNumbers &= operand.getType().isIntOrIndexOrFloat();
        carried.insert(operand);
      }
      return !areNumbers;
    });
    if (reader)
      return refuse(in_line::kTensors, reader);
  }
  return true;
}

bool LateReader::find(llvm::ArrayRef<ToDeviceOp> reads) {
  if (!findLoop())
    return false;
  for (ToDeviceOp copy : reads)
    if (llvm::StringRef why = findObstacle(copy); !why.empty())
      return refuse(why);
  if (!findLate(reads))
    return false;
  sink();
  return canBePassed() && findLateResults() && findCarried();
}

void LateReader::leave(llvm::StringRef why, Operation *by) {
  for (ToDeviceOp copy : downloads)
    leaveInLine(copy, why, by);
}

/// Reads of a turn are late together. So each has a reason of its own, or else
/// that another one has.
void LateReader::explain() {
  llvm::SmallVector<ToDeviceOp> others;
  Operation *first = nullptr;
  for (ToDeviceOp copy : downloads) {
    LateReader alone(loop);
    if (alone.find(copy)) {
      others.push_back(copy);
      continue;
    }
    leaveInLine(copy, alone.why, alone.by);
    if (!first)
      first = getReader(copy);
  }
  if (first)
    refuse(in_line::kOtherRead, first);
  for (ToDeviceOp copy : others)
    leaveInLine(copy, why, by);
}

BytesByGPU LateReader::countBytes() {
  BytesByGPU bytes;
  for (ToDeviceOp copy : downloads) {
    RankedTensorType type = copy.getInput().getType();
    bytes[spelling(getPlace(type))] += estimateBytes(type);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Each copy begins as soon as there is something to copy.
void LateReader::startCopies(OpBuilder &builder) {
  Block *body = loop.getBody();
  builder.setInsertionPointToStart(body);
  Value turn = getTurn(builder, loop, loop.getInductionVar());
  Operation *start = turn.getDefiningOp();
  for (ToDeviceOp download : downloads) {
    Operation *maker = download.getInput().getDefiningOp();
    if (maker && maker->getBlock() == body)
      builder.setInsertionPointAfter(maker);
    else if (start && start->getBlock() == body)
      builder.setInsertionPointAfter(start);
    else
      builder.setInsertionPointToStart(body);
    auto copy = CopyStartOp::create(
        builder, download.getLoc(), download.getType(), download.getInput(),
        /*after=*/Value(), turn, download.getImplied());
    copy->setDiscardableAttrs(download->getDiscardableAttrDictionary());
    copies.push_back({download, copy, copy.getTicket()});
  }
  llvm::sort(copies, [](Copy &a, Copy &b) {
    return a.start->isBeforeInBlock(b.start);
  });
  // The last stands for those that begin with it.
  for (size_t i = copies.size() - 1; i-- > 0;)
    if (copies[i].start->getNextNode() == copies[i + 1].start &&
        copies[i].getGPU() == copies[i + 1].getGPU())
      copies[i].ticket = copies[i + 1].ticket;
  for (Copy &copy : copies)
    tickets.insert(copy.ticket);
}

/// Kernels of the next turn may overwrite what is copied.
void LateReader::waitForCopies(OpBuilder &builder) {
  llvm::MapVector<Attribute, llvm::SmallVector<Value>> sources;
  llvm::DenseMap<Attribute, Value> last;
  for (Copy &copy : copies) {
    sources[copy.getGPU()].push_back(copy.start.getInput());
    last[copy.getGPU()] = copy.ticket;
  }
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  for (auto &[gpu, copied] : sources)
    CopyWaitOp::create(builder, loop.getLoc(), last[gpu], cast<DeviceAttr>(gpu),
                       copied);
}

/// Gives the loop the copies of a turn, their tickets and its numbers to carry
/// to the next one.
void LateReader::carry(RewriterBase &rewriter) {
  Location loc = loop.getLoc();
  llvm::SmallVector<Value> inits, next;
  rewriter.setInsertionPoint(loop);
  for (Copy &copy : copies) {
    next.push_back(copy.start.getResult());
    inits.push_back(ub::PoisonOp::create(rewriter, loc, next.back().getType()));
  }
  for (Value ticket : tickets) {
    next.push_back(ticket);
    inits.push_back(NoTicketOp::create(rewriter, loc, ticket.getType()));
  }
  for (Value number : carried) {
    next.push_back(number);
    inits.push_back(arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(number.getType())));
  }
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return next; }));
  // Arguments of the loop are others now.
  ValueRange numbers = loop.getYieldedValues().take_back(carried.size());
  carried = {numbers.begin(), numbers.end()};
}

llvm::SmallVector<Value> LateReader::getLate(ValueRange values) const {
  return llvm::map_to_vector(lateResults,
                             [&](unsigned index) { return values[index]; });
}

llvm::SmallVector<Value> LateReader::read(OpBuilder &builder,
                                          ValueRange values) {
  ValueRange copied = values.drop_back(tickets.size() + carried.size());
  copied = copied.take_back(copies.size());
  ValueRange awaited = values.drop_back(carried.size());
  awaited = awaited.take_back(tickets.size());
  IRMapping map;
  for (auto [copy, value] : llvm::zip(copies, copied))
    map.map(copy.download.getResult(), value);
  map.map(carried.getArrayRef(), values.take_back(carried.size()));
  map.map(getLate(loop.getRegionIterArgs()), getLate(values));
  llvm::DenseSet<Value> arrived;
  auto waitFor = [&](Value ticket) {
    if (!arrived.insert(ticket).second)
      return;
    llvm::SmallVector<Value> of;
    for (auto [copy, value] : llvm::zip(copies, copied))
      if (copy.ticket == ticket)
        of.push_back(value);
    size_t index = llvm::find(tickets, ticket) - tickets.begin();
    CopyWaitOp::create(builder, loop.getLoc(), awaited[index],
                       td::getDevice(builder.getContext(), getCpu()), of);
  };
  for (Operation &op : *loop.getBody()) {
    if (!late.contains(&op))
      continue;
    // What is told with a copy, errors of kernels, comes behind what is seen
    // before.
    for (Copy &copy : copies)
      if (hasAny(&op, [&](Operation *inner) {
            return llvm::is_contained(inner->getOperands(),
                                      copy.download.getResult());
          }))
        waitFor(copy.ticket);
    builder.clone(op, map);
  }
  return llvm::map_to_vector(
      getLate(loop.getYieldedValues()),
      [&](Value value) { return map.lookupOrDefault(value); });
}

llvm::SmallVector<Value> LateReader::readIf(OpBuilder &builder, Value condition,
                                            ValueRange values) {
  Location loc = loop.getLoc();
  llvm::SmallVector<Value> before = getLate(values);
  bool hasResults = !before.empty();
  auto branch =
      scf::IfOp::create(builder, loc, ValueRange(before).getTypes(), condition,
                        /*addThenBlock=*/true, /*addElseBlock=*/hasResults);
  OpBuilder inner = OpBuilder::atBlockEnd(branch.thenBlock());
  scf::YieldOp::create(inner, loc, read(inner, values));
  if (hasResults) {
    inner = OpBuilder::atBlockEnd(branch.elseBlock());
    scf::YieldOp::create(inner, loc, before);
  }
  return llvm::to_vector_of<Value>(branch.getResults());
}

void LateReader::run() {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  startCopies(rewriter);
  waitForCopies(rewriter);
  carry(rewriter);

  llvm::SmallVector<std::pair<OpOperand *, size_t>> uses;
  for (auto [i, result] : llvm::enumerate(getLate(loop.getResults())))
    for (OpOperand &use : result.getUses())
      uses.push_back({&use, i});
  rewriter.setInsertionPointAfter(loop);
  llvm::SmallVector<Value> last =
      hasTurn(loop)
          ? read(rewriter, loop.getResults())
          : readIf(rewriter, askForTurn(rewriter, loop), loop.getResults());
  for (auto [use, i] : uses)
    use->set(last[i]);

  Operation *yield = loop.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  Value hasTurnBefore =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                            loop.getInductionVar(), loop.getLowerBound());
  llvm::SmallVector<Value> before =
      readIf(rewriter, hasTurnBefore, loop.getRegionIterArgs());
  for (auto [index, value] : llvm::zip(lateResults, before))
    yield->setOperand(index, value);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (late.contains(&op))
      rewriter.eraseOp(&op);
  for (ToDeviceOp download : downloads)
    rewriter.eraseOp(download);
}

} // namespace

void readLate(scf::ForOp loop, HasRoom hasRoom) {
  LateReader reader(loop);
  if (!reader.hasReads())
    return;
  if (!reader.find())
    return reader.explain();
  if (!hasRoom(reader.countBytes()))
    return reader.leave(in_line::kRoom);
  reader.run();
}

} // namespace tdc::td
