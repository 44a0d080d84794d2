//===- Place.cpp - td-place: transfers where they cost least --------------===//
//
// The program's own transfers are discarded. The plan says which devices hold
// each value at each point, and every op gets its operands from there. Values
// for which only a run can tell the needed copies become handles.
//
//===----------------------------------------------------------------------===//

#include "../PlacementRemarks.h"
#include "../Simplify.h"
#include "Dialect/TD/Analysis/Placement/PlacementPlan.h"
#include "Dialect/TD/Analysis/Reporting/UserNames.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/IR/Locations.h"
#include "Dialect/TD/IR/Views.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "Regions.h"
#include "Slots.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDPLACEPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

class Placer {
public:
  explicit Placer(ModuleOp module)
      : module(module), flow(module), plan(flow), slots(module, flow.devices) {
    for (auto [i, join] : llvm::enumerate(flow.joins)) {
      if (!join.slot)
        joinOf[join.node] = i;
      if (CarryingLoop(join.op))
        joinOf[join.result] = i;
    }
    for (auto [i, access] : llvm::enumerate(flow.accesses))
      if (isa<ReadOp>(access.op))
        readOf[access.value] = i;
    SymbolTable symbols(module);
    for (const FlowNode &node : flow.nodes) {
      const FlowName &name = flow.names[node.name];
      locations.try_emplace(
          node.name, name.value
                         ? getCopyLocation(name.value)
                         : getCopyLocation(symbols.lookup<SlotOp>(name.slot),
                                           name.location));
    }
    for (const FlowNode &node : flow.nodes)
      if (Value value = flow.names[node.name].value;
          value && (node.home || node.isHomeless))
        homes[node.name] = flow.devices.getIndex(
            getPlace(cast<RankedTensorType>(value.getType())));
    findWritten();
  }

  void run() {
    makeHandleSlots();
    widenRegions();
    for (const PlannedCopy &copy : plan.copies)
      if (flow.nameOf(flow.edges[copy.edge].to).slot)
        copySlot(copy);
    for (const ValueFlow::Access &access : flow.accesses)
      if (auto write = dyn_cast<WriteOp>(access.op))
        placeWrite(write, access);
    for (auto &[op, nodes] : flow.restored)
      placeRestore(cast<RestoreOp>(op), nodes);
    fillJoins();
    for (const FlowUse &use : flow.uses)
      placeUse(use);
    cleanUp();
  }

private:
  bool isConditional(unsigned node) const {
    return plan.isConditional[flow.webOf(node)];
  }

  Type getType(unsigned node, unsigned device) const {
    return withPlace(flow.nameOf(node).type, flow.devices.getPlace(device));
  }
  Type getHandleType(unsigned node) {
    return HandleType::get(module.getContext(), flow.nameOf(node).type);
  }
  static unsigned lowest(DeviceSet set) { return llvm::countr_zero(set); }

  //===--- Sites ----------------------------------------------------------===//

  Operation *current(Operation *op) const {
    auto found = replaced.find(op);
    return found == replaced.end() ? op : found->second;
  }

  OpBuilder builderAt(const TransferSite &site) {
    OpBuilder builder(module.getContext());
    switch (site.kind) {
    case TransferSite::Before:
      builder.setInsertionPoint(current(site.op));
      break;
    case TransferSite::After:
      builder.setInsertionPointAfter(current(site.op));
      break;
    case TransferSite::Start:
      builder.setInsertionPointToStart(site.block);
      break;
    case TransferSite::End:
    case TransferSite::IterationEnd:
      builder.setInsertionPoint(site.block->getTerminator());
      break;
    }
    return builder;
  }

  /// Returns an i1 at the end of `body`: whether another iteration follows.
  Value getAgain(Block *body) {
    Value &again = agains[body];
    if (again)
      return again;
    OpBuilder builder(body->getTerminator());
    auto loop = dyn_cast<scf::ForOp>(body->getParentOp());
    if (!loop)
      return again = body->getTerminator()->getOperand(0);
    Location loc = loop.getLoc();
    Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(),
                                       loop.getStep());
    return again =
               arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                     next, loop.getUpperBound());
  }

  /// Creates a copy of `value`: the value of a node on a device, copied from
  /// another device.
  Value createCopy(OpBuilder &builder, Value value, unsigned node,
                   unsigned device) {
    auto copy =
        ToDeviceOp::create(builder, getLocation(node), getType(node, device),
                           value, isImplied(node, device), /*kept=*/false);
    copy.setRole(roles.lookup({flow.webOf(node), device}));
    return copy;
  }

  /// Whether the program itself never takes the value, or another value of its
  /// web, to the device.
  bool isImplied(unsigned node, unsigned device) const {
    return !written.contains({flow.webOf(node), device});
  }

  /// Records the transfers that the program writes, and those of DataParallel,
  /// before they are discarded.
  void findWritten() {
    llvm::DenseMap<Value, unsigned> values;
    llvm::DenseMap<StringAttr, unsigned> slotWebs;
    for (const FlowName &name : flow.names)
      if (name.web == FlowName::kNoWeb)
        continue;
      else if (name.value)
        values[name.value] = name.web;
      else
        slotWebs[name.slot] = name.web;
    auto find = [&](const auto &webs, auto name, const Place &device) {
      auto web = webs.find(name);
      return std::pair(web == webs.end() ? FlowName::kNoWeb : web->second,
                       flow.devices.getIndex(device));
    };
    module.walk([&](Operation *op) {
      if (auto copy = dyn_cast<ToDeviceOp>(op)) {
        auto web = find(values, getContent(copy), getPlace(copy.getType()));
        if (copy.getRole())
          roles[web] = copy.getRole();
        if (!copy.getImplied())
          written.insert(web);
      } else if (auto move = dyn_cast<MoveOp>(op); move && !move.getImplied()) {
        written.insert(find(slotWebs, move.getSlotAttr().getAttr(),
                            getPlace(move.getDevice())));
      }
    });
  }

  /// Copies a value at the end of an iteration if another iteration follows;
  /// gives poison otherwise.
  Value copyForNextIteration(Block *body, Value value, unsigned node,
                             unsigned device) {
    Location loc = getLocation(node);
    OpBuilder builder(module.getContext());
    Value again = getAgain(body);
    builder.setInsertionPoint(body->getTerminator());
    auto branch = scf::IfOp::create(
        builder, loc, again,
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc,
                               createCopy(inner, value, node, device));
        },
        [&](OpBuilder &inner, Location) {
          Value nothing =
              ub::PoisonOp::create(inner, loc, getType(node, device));
          scf::YieldOp::create(inner, loc, nothing);
        });
    return branch.getResult(0);
  }

  //===--- Values ---------------------------------------------------------===//

  /// Returns the location for copies of a node, for messages: the line and the
  /// name of the value.
  Location getLocation(unsigned node) const {
    return locations.at(flow.nodes[node].name);
  }

  /// The value of a node on a device that holds it.
  Value valueAt(unsigned node, unsigned device) {
    if (Value known = values.lookup({node, device}))
      return known;
    Value value = findValue(node, device);
    values[{node, device}] = value;
    return value;
  }

  Value findValue(unsigned node, unsigned device) {
    const FlowNode &info = flow.nodes[node];
    if (info.home || info.isHomeless)
      return madeAt(info.name, device);
    if (auto join = joinOf.find(node); join != joinOf.end())
      return joinValue(flow.joins[join->second], node, device);
    unsigned wayIn = getWayIn(node);
    const FlowEdge &edge = flow.edges[wayIn];
    std::optional<unsigned> source = plan.getSource(wayIn, device);
    unsigned from = source.value_or(device);
    Value value;
    if (auto read = readOf.find(node); read != readOf.end()) {
      auto op = cast<ReadOp>(flow.accesses[read->second].op);
      OpBuilder builder(op);
      value = ReadOp::create(builder, op.getLoc(), getType(node, from),
                             slots.get(op.getSlotAttr().getAttr(), from));
    } else {
      value = valueAt(edge.from, from);
    }
    if (!source)
      return value;
    OpBuilder builder = builderAt(edge.site);
    return createCopy(builder, value, node, device);
  }

  /// Returns the value on the device where it is made; on any other device, its
  /// constructor is cloned.
  Value madeAt(unsigned name, unsigned device) {
    Value value = flow.names[name].value;
    if (homes.lookup(name) == device)
      return value;
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfterValue(value);
    return cloneAt(builder, value.getDefiningOp(),
                   flow.devices.getPlace(device));
  }

  /// Returns the only moving edge to a node at which no value is made and no
  /// edges meet.
  unsigned getWayIn(unsigned node) const {
    for (unsigned edge : flow.nodes[node].in)
      if (flow.edges[edge].moves)
        return edge;
    llvm_unreachable("a node that passes a value on has a way in");
  }

  /// Returns the value of a loop or branch for the device: its argument or
  /// result, or a copy after the loop.
  Value joinValue(const FlowJoin &join, unsigned node, unsigned device) {
    Operation *op = current(join.op);
    CarryingLoop loop(op);
    if (loop && node == join.node)
      return loop.getArguments()[positions.lookup({node, device})];
    if (!loop)
      return op->getResult(positions.lookup({join.node, device}));
    if (plan.held[join.ends[0]] & deviceBit(device))
      return op->getResult(positions.lookup({join.node, device}));
    unsigned from = lowest(plan.held[join.ends[0]]);
    Value value = op->getResult(positions.lookup({join.node, from}));
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfter(op);
    return createCopy(builder, value, node, device);
  }

  //===--- Handles --------------------------------------------------------===//

  Value handleAt(unsigned node) {
    if (Value known = handles.lookup(node))
      return known;
    Value handle = findHandle(node);
    handles[node] = handle;
    return handle;
  }

  Value findHandle(unsigned node) {
    const FlowNode &info = flow.nodes[node];
    Value value = flow.nameOf(node).value;
    if (info.home || info.isHomeless) {
      OpBuilder builder(module.getContext());
      builder.setInsertionPointAfterValue(value);
      return HandleOp::create(builder, value.getLoc(), getHandleType(node),
                              value);
    }
    if (auto join = joinOf.find(node); join != joinOf.end()) {
      const FlowJoin &at = flow.joins[join->second];
      unsigned position = positions.lookup({at.node, kHandle});
      CarryingLoop loop(current(at.op));
      return loop && node == at.node
                 ? Value(loop.getArguments()[position])
                 : Value(current(at.op)->getResult(position));
    }
    if (auto read = readOf.find(node); read != readOf.end()) {
      auto op = cast<ReadOp>(flow.accesses[read->second].op);
      OpBuilder builder(op);
      return ReadHandleOp::create(builder, op.getLoc(), getHandleType(node),
                                  op.getSlotAttr());
    }
    return handleAt(flow.edges[getWayIn(node)].from);
  }

  /// Returns a replica for an op, or the value itself if `device` is its home.
  Value replicaAt(unsigned node, unsigned device, Operation *op) {
    if (Value known = values.lookup({node, device}))
      return known;
    unsigned name = flow.nodes[node].name;
    auto home = homes.find(name);
    Value replica;
    if (home != homes.end() && home->second == device) {
      replica = flow.names[name].value;
    } else {
      OpBuilder builder(op);
      replica = ReplicaGetOp::create(builder, getLocation(node),
                                     getType(node, device), handleAt(node));
      if (isImplied(node, device))
        replica.getDefiningOp()->setAttr(kImpliedAttr, builder.getUnitAttr());
    }
    return values[{node, device}] = replica;
  }

  //===--- Loops and branches ---------------------------------------------===//

  /// Returns the devices on which a loop or branch must pass a value on.
  DeviceSet getPassed(const FlowJoin &join) const {
    DeviceSet passed = plan.held[join.node];
    if (!CarryingLoop(current(join.op)))
      return passed;
    DeviceSet end = plan.held[join.ends[0]];
    for (DeviceSet rest = plan.held[join.result]; rest; rest &= rest - 1)
      passed |= end & deviceBit(lowest(rest)) ? deviceBit(lowest(rest))
                                              : deviceBit(lowest(end));
    return passed;
  }

  void widenRegions() {
    llvm::MapVector<Operation *, SmallVector<const FlowJoin *>> byOp;
    for (const FlowJoin &join : flow.joins)
      if (!join.slot && getPassed(join))
        byOp[join.op].push_back(&join);
    for (auto &[op, joins] : byOp) {
      SmallVector<Type> types;
      unsigned next = op->getNumResults();
      for (const FlowJoin *join : joins) {
        if (isConditional(join->node)) {
          positions[{join->node, kHandle}] = next++;
          types.push_back(getHandleType(join->node));
          continue;
        }
        for (DeviceSet rest = getPassed(*join); rest; rest &= rest - 1) {
          positions[{join->node, lowest(rest)}] = next++;
          types.push_back(getType(join->node, lowest(rest)));
        }
      }
      replaced[op] = addPassedValues(op, types);
    }
  }

  void fillJoins() {
    for (const FlowJoin &join : flow.joins) {
      if (join.slot)
        continue;
      DeviceSet passed = getPassed(join);
      if (passed && isConditional(join.node)) {
        fillWithHandles(join);
        continue;
      }
      for (; passed; passed &= passed - 1)
        fillForDevice(join, lowest(passed));
    }
  }

  void fillWithHandles(const FlowJoin &join) {
    Operation *op = current(join.op);
    unsigned position = positions.lookup({join.node, kHandle});
    if (CarryingLoop loop(op); loop) {
      loop.getYield()->setOperand(position, handleAt(join.ends[0]));
      // Otherwise only the value after the last iteration is needed.
      if (plan.held[join.node])
        loop.getInits()[position].set(handleAt(join.init));
      return;
    }
    for (auto [region, end] : llvm::zip(op->getRegions(), join.ends))
      region.front().getTerminator()->setOperand(position, handleAt(end));
  }

  void fillForDevice(const FlowJoin &join, unsigned device) {
    Operation *op = current(join.op);
    unsigned position = positions.lookup({join.node, device});
    CarryingLoop loop(op);
    if (!loop) {
      for (auto [region, end] : llvm::zip(op->getRegions(), join.ends)) {
        Operation *yield = region.front().getTerminator();
        OpBuilder builder(yield);
        yield->setOperand(position, bring(builder, end, device));
      }
      return;
    }
    bool isCarried = plan.held[join.node] & deviceBit(device);
    if (isCarried) {
      OpBuilder builder(op);
      loop.getInits()[position].set(bring(builder, join.init, device));
    }
    DeviceSet end = plan.held[join.ends[0]];
    Value next = end & deviceBit(device)
                     ? valueAt(join.ends[0], device)
                     : copyForNextIteration(loop.getBody(),
                                            valueAt(join.ends[0], lowest(end)),
                                            join.node, device);
    loop.getYield()->setOperand(position, next);
  }

  /// Returns the value of `node` on the device, copied at the builder's
  /// insertion point if the device does not hold it.
  Value bring(OpBuilder &builder, unsigned node, unsigned device) {
    DeviceSet held = plan.held[node];
    if (held & deviceBit(device))
      return valueAt(node, device);
    return createCopy(builder, valueAt(node, lowest(held)), node, device);
  }

  //===--- Slots ----------------------------------------------------------===//

  void makeHandleSlots() {
    for (unsigned node = 0; node != flow.nodes.size(); ++node)
      if (StringAttr slot = flow.nameOf(node).slot; slot && isConditional(node))
        slots.makeHandle(slot);
  }

  /// Copies the content of a slot to the slot of another device.
  void copySlot(const PlannedCopy &copy) {
    const FlowEdge &edge = flow.edges[copy.edge];
    StringAttr slot = flow.nameOf(edge.to).slot;
    if (isConditional(edge.to) || !flow.nameOf(edge.from).slot)
      return;
    OpBuilder builder = builderAt(edge.site);
    Location loc = getLocation(edge.to);
    if (edge.site.kind == TransferSite::IterationEnd) {
      Value again = getAgain(edge.site.block);
      builder.setInsertionPoint(edge.site.block->getTerminator());
      auto branch = scf::IfOp::create(builder, loc, again);
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    Value value = ReadOp::create(builder, loc, slots.getType(slot, copy.from),
                                 slots.get(slot, copy.from));
    value = createCopy(builder, value, edge.to, copy.to);
    WriteOp::create(builder, loc, value, slots.get(slot, copy.to));
  }

  void placeWrite(WriteOp op, const ValueFlow::Access &access) {
    StringAttr slot = op.getSlotAttr().getAttr();
    OpBuilder builder(op);
    if (isConditional(access.slot)) {
      if (plan.held[access.slot])
        WriteHandleOp::create(builder, op.getLoc(), handleAt(access.value),
                              op.getSlotAttr());
    } else {
      for (DeviceSet rest = plan.held[access.slot]; rest; rest &= rest - 1)
        WriteOp::create(builder, op.getLoc(),
                        bring(builder, access.value, lowest(rest)),
                        slots.get(slot, lowest(rest)));
    }
    op.erase();
  }

  /// Makes a td.restore read the file into the slot on the cpu.
  void placeRestore(RestoreOp op, ArrayRef<unsigned> nodes) {
    llvm::DenseMap<StringAttr, FlatSymbolRefAttr> onCpu;
    OpBuilder builder(op);
    for (unsigned node : nodes) {
      StringAttr slot = flow.nameOf(node).slot;
      FlatSymbolRefAttr own = onCpu[slot] = slots.get(slot, 0);
      if (!isConditional(node))
        continue;
      if (op.getLenient()) {
        builder.setInsertionPoint(op);
        fetchHandle(builder, op.getLoc(), slot);
      }
      builder.setInsertionPointAfter(op);
      Value value =
          ReadOp::create(builder, op.getLoc(), slots.getType(slot, 0), own);
      HandleType type = slots.getHandleType(slot);
      Value handle = HandleOp::create(builder, op.getLoc(), type, value);
      WriteHandleOp::create(builder, op.getLoc(), handle,
                            FlatSymbolRefAttr::get(slot));
    }
    op.setSlotsAttr(replaceSlots(op.getSlots(), onCpu));
  }

  /// Copies the value of a slot of handles to its slot on the cpu, and returns
  /// this slot.
  FlatSymbolRefAttr fetchHandle(OpBuilder &builder, Location loc,
                                StringAttr slot) {
    FlatSymbolRefAttr own = slots.get(slot, 0);
    Value handle = ReadHandleOp::create(builder, loc, slots.getHandleType(slot),
                                        FlatSymbolRefAttr::get(slot));
    Value value =
        ReplicaGetOp::create(builder, loc, slots.getType(slot, 0), handle);
    value.getDefiningOp()->setAttr(kImpliedAttr, builder.getUnitAttr());
    WriteOp::create(builder, loc, value, own);
    return own;
  }

  static ArrayAttr
  replaceSlots(ArrayAttr names,
               const llvm::DenseMap<StringAttr, FlatSymbolRefAttr> &by) {
    SmallVector<Attribute> result;
    for (auto slot : names.getAsRange<FlatSymbolRefAttr>()) {
      FlatSymbolRefAttr other = by.lookup(slot.getAttr());
      result.push_back(other ? other : slot);
    }
    return ArrayAttr::get(names.getContext(), result);
  }

  //===--- Uses -----------------------------------------------------------===//

  void placeUse(const FlowUse &use) {
    if (auto save = dyn_cast<SaveOp>(use.op)) {
      StringAttr slot = flow.nameOf(use.node).slot;
      OpBuilder builder(save);
      FlatSymbolRefAttr own = isConditional(use.node)
                                  ? fetchHandle(builder, save.getLoc(), slot)
                                  : slots.get(slot, 0);
      SmallVector<Attribute> names(save.getSlots().getValue());
      names[use.operand] = own;
      save.setSlotsAttr(ArrayAttr::get(module.getContext(), names));
      return;
    }
    unsigned device = use.device.value_or(lowest(plan.held[use.node]));
    use.op->setOperand(use.operand, isConditional(use.node)
                                        ? replicaAt(use.node, device, use.op)
                                        : valueAt(use.node, device));
  }

  void cleanUp() {
    SmallVector<Operation *> moves;
    module.walk([&](MoveOp op) { moves.push_back(op); });
    for (Operation *op : moves)
      op->erase();
    sweepDead(module);
  }

  static constexpr unsigned kHandle = ~0u;

  ModuleOp module;
  ValueFlow flow;
  PlacementPlan plan;
  PlacedSlots slots;
  llvm::DenseMap<unsigned, unsigned> joinOf, readOf;
  llvm::DenseMap<unsigned, unsigned> homes; ///< by name, of values
  /// By name; collected before values change.
  llvm::DenseMap<unsigned, Location> locations;
  /// The index of a join's value for a device (or of its handle) among the
  /// values that its op passes on.
  llvm::DenseMap<std::pair<unsigned, unsigned>, unsigned> positions;
  llvm::DenseMap<Operation *, Operation *> replaced;
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> values;
  llvm::DenseMap<unsigned, Value> handles;
  llvm::DenseMap<Block *, Value> agains;
  /// Webs, with the devices that the program takes them to.
  llvm::DenseSet<std::pair<unsigned, unsigned>> written;
  /// What DataParallel takes a web to a device for.
  llvm::DenseMap<std::pair<unsigned, unsigned>, std::optional<CopyRole>> roles;
};

struct PlacePass : public impl::TDPlacePassBase<PlacePass> {
  void runOnOperation() override {
    if (!needsPlacement(getOperation()))
      return;
    TransferRemarks remarks(getOperation());
    // Values that are not needed must not be copied anywhere.
    sweepDead(getOperation());
    Placer(getOperation()).run();
    remarks.emit(getOperation());
  }
};

} // namespace
} // namespace tdc::td
