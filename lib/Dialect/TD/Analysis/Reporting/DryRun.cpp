//===- DryRun.cpp - the copies of a program, counted without data ---------===//

#include "Dialect/TD/Analysis/Reporting/DryRun.h"
#include "Dialect/TD/Analysis/Frequencies.h"
#include "Dialect/TD/Analysis/Reporting/HostNumbers.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include <utility>

using namespace mlir;

namespace tdc::td {

namespace {

constexpr int kNowhere = -1;

/// The value of a dry run: a number of the host, or an instance and its device.
struct Datum {
  HostNumber number;
  uint64_t instance = 0;
  int home = kNowhere; ///< none for zeros of a slot and constructors
  int device = kNowhere;
  int64_t bytes = 0;
  bool hasKnownSize = true;
  bool isConstructed = false; ///< any device can make it
};

/// The bytes of a tensor with these sizes: 0 if it is empty, since they are
/// counted exactly if the sizes are known. estimateBytes() has at least one
/// element.
int64_t multiply(RankedTensorType type, ArrayRef<int64_t> sizes) {
  int64_t bytes = byteSize(getDType(type.getElementType()));
  for (int64_t size : sizes)
    bytes *= estimateSize(size);
  return bytes;
}

} // namespace

class DryRun::Machine {
public:
  Machine(DryRun &run, ModuleOp module, uint64_t mostIterations)
      : run(run), tOpsAreFixed(areTOpsFixed(module)),
        mostIterations(mostIterations) {
    for (auto slot : module.getOps<SlotOp>()) {
      auto handle = dyn_cast<HandleType>(slot.getType());
      auto type =
          handle ? handle.getTensor() : cast<RankedTensorType>(slot.getType());
      Datum &zeros = slots[slot.getSymNameAttr()];
      zeros.instance = nextInstance++;
      zeros.bytes = multiply(type, type.getShape());
    }
  }

  void call(func::FuncOp function) {
    for (Value argument : function.getArguments())
      define(argument, /*isMade=*/true);
    runBlock(function.front());
  }

private:
  /// The limit of steps: more take too long for a report.
  static constexpr int64_t kMostSteps = int64_t(1) << 23;

  //===--- Values ---------------------------------------------------------===//

  /// Defines a value that is new here: an instance or an assumed number.
  void define(Value value, bool isMade) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return set(value, assume(value));
    Datum datum;
    datum.instance = nextInstance++;
    datum.device = devices.getIndex(getPlace(type));
    datum.home = isMade ? datum.device : kNowhere;
    countBytes(value, type, datum);
    set(value, datum);
  }

  void countBytes(Value value, RankedTensorType type, Datum &datum) {
    auto sizes = llvm::to_vector(type.getShape());
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (!ShapedType::isDynamic(size))
        continue;
      Value known = findSize(value, dim);
      HostNumber number = known ? get(known).number : HostNumber();
      if (number.isKnown)
        size = number.value;
      datum.hasKnownSize &= number.isKnown;
    }
    datum.bytes = multiply(type, sizes);
    run.exact &= datum.hasKnownSize;
  }

  void set(Value value, Datum datum) { values[value] = datum; }
  void set(Value value, HostNumber number) {
    Datum datum;
    datum.number = number;
    set(value, datum);
  }
  Datum get(Value value) { return values.lookup(value); }
  SmallVector<Datum> get(ValueRange range) {
    return llvm::map_to_vector(range, [&](Value value) { return get(value); });
  }
  void set(ValueRange range, ArrayRef<Datum> data) {
    for (auto [value, datum] : llvm::zip(range, data))
      set(value, datum);
  }

  HostNumber assume(Value value) {
    return assumeNumber(value, ++assumed[value.getLoc()]);
  }

  //===--- Copies ---------------------------------------------------------===//

  Datum copy(Datum datum, int device, Operation *op) {
    if (datum.device == device)
      return datum;
    run.copies[op].add(datum.bytes);
    run.made.add(datum.bytes);
    if (datum.isConstructed)
      run.constructed.add(datum.bytes);
    run.sources[op] = devices.getPlace(datum.device);
    if (!datum.hasKnownSize)
      run.unsized.insert(op);
    datum.device = device;
    return datum;
  }

  void demand(const Datum &datum, int device) {
    if (datum.home != kNowhere && datum.home != device &&
        demands.insert({datum.instance, unsigned(device)}).second)
      run.least.add(datum.bytes);
  }

  void demandOperands(Operation *op) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (int need = getNeed(op, i, devices); need >= 0)
        demand(get(operand), need);
  }

  /// Copies only if the handle has no replica on the device yet.
  void getReplica(ReplicaGetOp op) {
    Datum datum = get(op.getHandle());
    int device = devices.getIndex(getPlace(op.getType()));
    DeviceSet &held = replicas[datum.instance];
    bool isZeros = datum.home == kNowhere && datum.device == kNowhere;
    if (held & deviceBit(device) || isZeros)
      datum.device = device;
    else
      datum = copy(datum, device, op);
    held |= deviceBit(device);
    set(op.getResult(), datum);
  }

  //===--- Slots ----------------------------------------------------------===//

  void read(Value result, StringAttr slot) {
    Datum datum = slots[slot];
    if (auto type = dyn_cast<RankedTensorType>(result.getType());
        type && datum.device == kNowhere)
      datum.device = devices.getIndex(getPlace(type));
    set(result, datum);
  }

  void save(SaveOp op) {
    for (auto slot : op.getSlots().getAsRange<FlatSymbolRefAttr>()) {
      const Datum &datum = slots[slot.getAttr()];
      demand(datum, 0);
      // With transfers as written, the slot stays where the program moved it.
      if (datum.device != kNowhere)
        copy(datum, 0, op);
    }
  }

  void restore(RestoreOp op) {
    for (auto slot : op.getSlots().getAsRange<FlatSymbolRefAttr>()) {
      Datum &datum = slots[slot.getAttr()];
      if (op.getLenient())
        demand(datum, 0);
      int stays = datum.device == kNowhere ? 0 : datum.device;
      datum.instance = nextInstance++;
      datum.home = datum.device = 0;
      datum = copy(datum, stays, op);
    }
  }

  //===--- Control --------------------------------------------------------===//

  /// Counts a step and returns whether it is below the limit.
  bool mayGoOn() { return run.complete &= ++steps < kMostSteps; }

  void runBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (!mayGoOn())
        return;
      runOp(&op);
    }
    demandOperands(block.getTerminator());
  }

  void note(Operation *op, int64_t taken, bool isKnown) {
    Control &control = run.control[op];
    ++control.runs;
    control.taken += taken;
    control.most = std::max(control.most, taken);
    control.isKnown &= isKnown;
    run.exact &= isKnown;
  }

  /// Sets the results of a loop or branch. Their numbers are not known unless
  /// the iterations or the condition are (`isKnown`).
  void setResults(Operation *op, SmallVector<Datum> data, bool isKnown) {
    for (Datum &datum : data)
      datum.number.isKnown &= isKnown;
    set(op->getResults(), data);
  }

  void runFor(scf::ForOp op) {
    HostNumber lower = get(op.getLowerBound()).number,
               upper = get(op.getUpperBound()).number,
               step = get(op.getStep()).number;
    bool isKnown = lower.isKnown && upper.isKnown && step.isKnown;
    SmallVector<Datum> carried = get(op.getInitArgs());
    uint64_t iterations = countIterations(lower.value, upper.value, step.value);
    auto index = static_cast<uint64_t>(lower.value);
    // Run the last iterations, so that the loop ends as in the program.
    if (iterations > mostIterations) {
      index += (iterations - mostIterations) * step.value;
      iterations = mostIterations;
      isKnown = false;
    }
    uint64_t iteration = 0;
    for (; iteration != iterations && mayGoOn();
         ++iteration, index += step.value) {
      set(op.getInductionVar(), HostNumber{static_cast<int64_t>(index),
                                           lower.isKnown && step.isKnown});
      set(op.getRegionIterArgs(), carried);
      runBlock(*op.getBody());
      carried = get(op.getBody()->getTerminator()->getOperands());
    }
    note(op, iteration, isKnown);
    setResults(op, carried, isKnown);
  }

  void runWhile(scf::WhileOp op) {
    SmallVector<Datum> carried = get(op.getInits());
    int64_t iterations = 0;
    bool isKnown = carried[0].number.isKnown;
    while (carried[0].number.value && mayGoOn()) {
      ++iterations;
      set(op.getAfterArguments(), carried);
      runBlock(*op.getAfterBody());
      carried = get(op.getAfterBody()->getTerminator()->getOperands());
      isKnown &= carried[0].number.isKnown;
    }
    note(op, iterations, isKnown);
    setResults(op, carried, isKnown);
  }

  void runIf(scf::IfOp op) {
    HostNumber condition = get(op.getCondition()).number;
    note(op, condition.value != 0, condition.isKnown);
    Region &side = condition.value ? op.getThenRegion() : op.getElseRegion();
    if (side.empty())
      return;
    runBlock(side.front());
    setResults(op, get(side.front().getTerminator()->getOperands()),
               condition.isKnown);
  }

  //===--- Ops ------------------------------------------------------------===//

  void runOp(Operation *op) {
    demandOperands(op);
    if (isa<ComputeOp>(op)) {
      bool isConstructed = isConstructor(op) && !tOpsAreFixed;
      define(op->getResult(0), !isConstructed);
      values[op->getResult(0)].isConstructed = isConstructed;
      return;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runFor(loop);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return runWhile(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return runIf(branch);
    if (auto choice = dyn_cast<arith::SelectOp>(op);
        choice && isa<RankedTensorType>(choice.getType()))
      return set(choice.getResult(), get(get(choice.getCondition()).number.value
                                             ? choice.getTrueValue()
                                             : choice.getFalseValue()));
    if (auto transfer = dyn_cast<ToDeviceOp>(op))
      return set(transfer.getResult(),
                 copy(get(transfer.getInput()),
                      devices.getIndex(getPlace(transfer.getType())), op));
    if (auto move = dyn_cast<MoveOp>(op)) {
      Datum &datum = slots[move.getSlotAttr().getAttr()];
      if (datum.device != kNowhere)
        datum = copy(datum, devices.getIndex(getPlace(move.getDevice())), op);
      return;
    }
    if (auto handle = dyn_cast<HandleOp>(op)) {
      Datum datum = get(handle.getInput());
      replicas[datum.instance] |= deviceBit(datum.device);
      return set(handle.getResult(), datum);
    }
    if (auto get = dyn_cast<ReplicaGetOp>(op))
      return getReplica(get);
    if (auto files = dyn_cast<SaveOp>(op))
      return save(files);
    if (auto files = dyn_cast<RestoreOp>(op))
      return restore(files);
    if (auto user = dyn_cast<SlotUser>(op)) {
      if (Value result = user.getReadValue())
        read(result, user.getReadSlots().front());
      if (Value value = user.getWrittenValue())
        slots[user.getWrittenSlots().front()] = get(value);
      return;
    }
    for (Value result : op->getResults()) {
      auto operand = [&](Value value) { return get(value).number; };
      if (std::optional<HostNumber> number = computeNumber(result, operand))
        set(result, *number);
      else
        define(result, isa<LoadOp>(op));
    }
  }

  DryRun &run;
  bool tOpsAreFixed;
  uint64_t mostIterations; ///< of an scf.for
  Devices devices;
  uint64_t nextInstance = 1;
  int64_t steps = 0;
  llvm::DenseMap<Value, Datum> values;
  llvm::DenseMap<StringAttr, Datum> slots;
  llvm::DenseMap<uint64_t, DeviceSet> replicas; ///< of handles' instances
  llvm::DenseSet<std::pair<uint64_t, unsigned>> demands;
  /// The number of assumptions at each location of the program.
  llvm::DenseMap<Location, unsigned> assumed;
};

DryRun::DryRun(ModuleOp module, uint64_t mostIterations) {
  Machine machine(*this, module, mostIterations);
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (main)
    machine.call(main);
  CopyCount madeByMain = made, leastOfMain = least;
  made = least = CopyCount();
  for (auto function : module.getOps<func::FuncOp>())
    if (function != main && !function.isExternal())
      machine.call(function);
  madeByExports = std::exchange(made, madeByMain);
  leastOfExports = std::exchange(least, leastOfMain);
}

int64_t DryRun::getRuns(Block *block) const {
  Operation *op = block->getParentOp();
  if (isa<func::FuncOp>(op))
    return 1;
  Control known = getControl(op);
  bool isElse = isa<scf::IfOp>(op) && block->getParent()->getRegionNumber();
  return isElse ? known.runs - known.taken : known.taken;
}

bool DryRun::isKnown(Block *block) const {
  if (!complete)
    return false;
  for (Operation *op = block->getParentOp(); !isa<func::FuncOp>(op);
       op = op->getParentOp())
    if (!getControl(op).isKnown)
      return false;
  return true;
}

} // namespace tdc::td
