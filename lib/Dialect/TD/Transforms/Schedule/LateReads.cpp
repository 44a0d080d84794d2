//===- LateReads.cpp - the host reads in the next iteration ---------------===//
//
// Software pipelining of a loop by one iteration: the host uses the results
// that an iteration computed on a GPU after it has queued the kernels of the
// next iteration. So the GPU has work while the host waits.
//
//   for t {
//     kernels of t, start(t)          td.copy_start, into one of two buffers
//     wait(t) by the GPU              later kernels overwrite the operand
//     if t > 0 {
//       wait(t - 1) by the cpu
//       reads of t - 1                .item(), prints, sums, checks
//     }
//   }
//   wait(n - 1) by the cpu
//   reads of n - 1
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Transforms/NotPipelined.h"
#include "Iterations.h"
#include "LateOps.h"
#include "Schedule.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tdc::td {
namespace {

class LateReader {
  struct Copy {
    ToDeviceOp download;
    CopyStartOp start;
    Value ticket; ///< its own, or of a later copy

    Attribute getGPU() { return download.getInput().getType().getEncoding(); }
  };

public:
  LateReader(scf::ForOp loop, const LateOps &late)
      : loop(loop), late(late), carried(late.getNumbers()) {}

  void run();

private:
  void startCopies(OpBuilder &builder);
  void waitForCopies(OpBuilder &builder);
  void carry(RewriterBase &rewriter);
  /// Emits the late ops of one iteration. `values` are all values that the loop
  /// carries for it. Returns the carried values that these ops compute.
  llvm::SmallVector<Value> read(OpBuilder &builder, ValueRange values);
  llvm::SmallVector<Value> readIf(OpBuilder &builder, Value condition,
                                  ValueRange values);
  /// Selects from the loop's carried values those that late ops compute.
  llvm::SmallVector<Value> getLate(ValueRange values) const;

  scf::ForOp loop;
  const LateOps &late;
  /// Numbers of the iteration that its late ops need.
  llvm::SmallVector<Value> carried;
  /// In the order in which they start.
  llvm::SmallVector<Copy> copies;
  llvm::SetVector<Value> tickets;
};

/// Starts each copy as soon as its operand is available.
void LateReader::startCopies(OpBuilder &builder) {
  Block *body = loop.getBody();
  builder.setInsertionPointToStart(body);
  Value iteration = getIteration(builder, loop, loop.getInductionVar());
  Operation *start = iteration.getDefiningOp();
  for (ToDeviceOp download : late.getReads()) {
    Operation *maker = download.getInput().getDefiningOp();
    if (maker && maker->getBlock() == body)
      builder.setInsertionPointAfter(maker);
    else if (start && start->getBlock() == body)
      builder.setInsertionPointAfter(start);
    else
      builder.setInsertionPointToStart(body);
    CopyStartOp copy = startCopy(builder, download, download.getInput(),
                                 /*after=*/Value(), iteration);
    copies.push_back({download, copy, copy.getTicket()});
  }
  llvm::sort(copies, [](Copy &a, Copy &b) {
    return a.start->isBeforeInBlock(b.start);
  });
  // Adjacent copies of one GPU share the ticket of the last one.
  for (size_t i = copies.size() - 1; i-- > 0;)
    if (copies[i].start->getNextNode() == copies[i + 1].start &&
        copies[i].getGPU() == copies[i + 1].getGPU())
      copies[i].ticket = copies[i + 1].ticket;
  for (Copy &copy : copies)
    tickets.insert(copy.ticket);
}

/// Makes each GPU wait for its copies at the end of the body: kernels of the
/// next iteration may overwrite their operands.
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

/// Makes the loop carry the copies of an iteration, their tickets and its
/// numbers to the next iteration.
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
  // The arguments of the loop have been replaced.
  ValueRange numbers = loop.getYieldedValues().take_back(carried.size());
  carried.assign(numbers.begin(), numbers.end());
}

llvm::SmallVector<Value> LateReader::getLate(ValueRange values) const {
  return llvm::map_to_vector(late.getResults(),
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
  map.map(carried, values.take_back(carried.size()));
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
    // A wait may report errors of kernels, so it must follow the observable ops
    // before it.
    for (Copy &copy : copies)
      if (llvm::any_of(copy.download->getUsers(), [&](Operation *reader) {
            return op.isAncestor(reader);
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
      hasIteration(loop) ? read(rewriter, loop.getResults())
                         : readIf(rewriter, askForIteration(rewriter, loop),
                                  loop.getResults());
  for (auto [use, i] : uses)
    use->set(last[i]);

  Operation *yield = loop.getBody()->getTerminator();
  rewriter.setInsertionPoint(yield);
  Value hasIterationBefore =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                            loop.getInductionVar(), loop.getLowerBound());
  llvm::SmallVector<Value> before =
      readIf(rewriter, hasIterationBefore, loop.getRegionIterArgs());
  for (auto [index, value] : llvm::zip(late.getResults(), before))
    yield->setOperand(index, value);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(*loop.getBody())))
    if (late.contains(&op))
      rewriter.eraseOp(&op);
  for (ToDeviceOp download : late.getReads())
    rewriter.eraseOp(download);
}

} // namespace

void readLate(scf::ForOp loop, HasRoom hasRoom) {
  LateOps late(loop);
  if (late.getReads().empty())
    return;
  if (!late.find())
    return late.explain();
  // The copied tensors stay on their GPUs until the end of the iteration.
  auto types = llvm::map_to_vector(late.getReads(), [](ToDeviceOp copy) {
    return copy.getInput().getType();
  });
  if (hasRoom(countBytes(types)))
    return LateReader(loop, late).run();
  for (ToDeviceOp copy : late.getReads())
    leaveNotPipelined(copy, not_pipelined::kRoom);
}

} // namespace tdc::td
