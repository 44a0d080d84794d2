//===- ValueFlow.cpp - the flow of values between devices -----------------===//

#include "Dialect/TD/Analysis/Placement/ValueFlow.h"
#include "Dialect/TD/Analysis/Frequencies.h"
#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "FlowNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <cmath>

using namespace mlir;

namespace tdc::td {

unsigned Devices::getIndex(const Place &place) {
  auto found = llvm::find(places, place);
  if (found != places.end())
    return found - places.begin();
  places.push_back(place);
  return places.size() - 1;
}

SmallVector<Place> getDevices(ModuleOp module) {
  Devices devices;
  auto addDevice = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (Place place = getPlace(tensor); place != Place())
        devices.getIndex(place);
  };
  module.walk([&](Operation *op) {
    if (auto slot = dyn_cast<SlotOp>(op))
      addDevice(slot.getType());
    llvm::for_each(op->getResultTypes(), addDevice);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArgumentTypes(), addDevice);
  });
  SmallVector<Place> places;
  for (unsigned i = 0; i != devices.size(); ++i)
    places.push_back(devices.getPlace(i));
  return places;
}

int getNeed(Operation *op, unsigned operand, Devices &devices) {
  Value value = op->getOperand(operand);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return kNothing;
  if (isa<ComputeOp>(op))
    return devices.getIndex(
        getPlace(cast<RankedTensorType>(op->getResult(0).getType())));
  if (isa<DimOp>(op))
    return kShape;
  if (op->hasTrait<HostReaderOp>())
    return 0;
  if (isa<func::ReturnOp>(op))
    return devices.getIndex(getPlace(type));
  return kNothing;
}

Capacity ValueFlow::getCost(double bytes) const {
  return {int64_t(std::ceil(bytes * unitsPerByte)), 0};
}

Capacity ValueFlow::getCopyCost(unsigned edge) const {
  constexpr int64_t oneMorePlace = 1 << 20;
  return {getCost(getBytes(edge)).cost, oneMorePlace};
}

namespace {

class Builder {
public:
  Builder(ModuleOp module, ValueFlow &flow,
          llvm::function_ref<bool(Operation *)> isMovable)
      : flow(flow), names(module, flow, isMovable), isMovable(isMovable),
        tOpsAreFixed(areTOpsFixed(module)) {}

  void run(ModuleOp module) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (main)
      runFunction(main, /*isMain=*/true);
    for (auto function : module.getOps<func::FuncOp>())
      if (function != main && !function.isExternal())
        runFunction(function, /*isMain=*/false);
  }

private:
  /// The current nodes of the names at one point of a block.
  struct State {
    llvm::MapVector<unsigned, unsigned> nodes; ///< by name
    unsigned segment = 0;
    /// Names that are live after the op around the block.
    llvm::DenseSet<unsigned> goOn;
  };
  using Outcome = FlowEdge::Outcome;

  unsigned addNode(unsigned name) {
    FlowNode node;
    node.name = name;
    flow.nodes.push_back(node);
    return flow.nodes.size() - 1;
  }

  void addEdge(unsigned from, unsigned to, double frequency, TransferSite site,
               Outcome outcome = Outcome::Always, bool moves = true) {
    flow.nodes[from].out.push_back(flow.edges.size());
    flow.nodes[to].in.push_back(flow.edges.size());
    flow.edges.push_back({from, to, frequency, site, outcome, moves});
  }

  static TransferSite before(Operation *op) {
    return {TransferSite::Before, op, nullptr};
  }
  static TransferSite after(Operation *op) {
    return {TransferSite::After, op, nullptr};
  }
  static TransferSite at(TransferSite::Kind kind, Block *block) {
    return {kind, nullptr, block};
  }

  /// Adds a value that is made here: its node, and the first node that it
  /// passes.
  void define(Value value, State &state, double frequency, TransferSite site) {
    std::optional<unsigned> name = names.find(value);
    if (!name)
      return;
    unsigned made = addNode(*name);
    Operation *maker = value.getDefiningOp();
    if (maker && isMovable && isMovable(maker))
      flow.nodes[made].mover = maker;
    else if (!maker || !isConstructor(maker) || tOpsAreFixed)
      flow.nodes[made].home = names.getHome(value);
    flow.nodes[made].isHomeless =
        !flow.nodes[made].home && !flow.nodes[made].mover;
    unsigned first = addNode(*name);
    addEdge(made, first, frequency, site);
    state.nodes[*name] = first;
  }

  void runFunction(func::FuncOp function, bool isMain) {
    Block &body = function.getBody().front();
    State state;
    double frequency = isMain ? 1 : kCallsOfExports;
    for (Value argument : body.getArguments())
      define(argument, state, frequency, at(TransferSite::Start, &body));
    // A slot keeps its content between functions: an export finds what @main or
    // another export left in it.
    for (auto slot : function->getParentOfType<ModuleOp>().getOps<SlotOp>()) {
      std::optional<unsigned> name = names.find(slot.getSymNameAttr());
      if (!name)
        continue;
      unsigned first = addNode(*name);
      if (isMain)
        flow.nodes[first].isHomeless = true;
      else
        addEdge(getBetween(*name), first, frequency,
                at(TransferSite::Start, &body), Outcome::Then);
      state.nodes[*name] = first;
    }
    bool hasExports =
        llvm::count_if(
            function->getParentOfType<ModuleOp>().getOps<func::FuncOp>(),
            [](func::FuncOp other) { return !other.isExternal(); }) > 1;
    runBlock(body, frequency, state);
    if (!hasExports)
      return;
    for (auto [name, node] : state.nodes)
      if (flow.names[name].slot)
        addEdge(node, getBetween(name), frequency,
                at(TransferSite::End, &body));
  }

  /// The node of a slot while no function runs. It is a branch, since the slot
  /// may never be read again.
  unsigned getBetween(unsigned name) {
    auto [known, isNew] = between.try_emplace(name, 0);
    if (isNew) {
      known->second = addNode(name);
      flow.nodes[known->second].fork = FlowNode::Branch;
    }
    return known->second;
  }

  void runBlock(Block &block, double frequency, State &state) {
    for (Operation &op : block) {
      for (auto [i, operand] : llvm::enumerate(op.getOperands()))
        if (int need = getNeed(&op, i, flow.devices); need != kNothing)
          addNeed(&op, i, operand, need, state);
      if (isStructured(&op)) {
        runRegions(&op, frequency, state);
        continue;
      }
      if (auto read = dyn_cast<ReadOp>(op)) {
        runRead(read, frequency, state);
        continue;
      }
      if (auto write = dyn_cast<WriteOp>(op))
        runWrite(write, frequency, state);
      else if (auto save = dyn_cast<SaveOp>(op))
        runSave(save, state);
      else if (auto restore = dyn_cast<RestoreOp>(op))
        runRestore(restore, frequency, state);
      else if (isa<ToDeviceOp>(op))
        continue;
      for (Value result : op.getResults())
        define(result, state, frequency, after(&op));
    }
  }

  void addNeed(Operation *op, unsigned operand, Value value, int need,
               State &state) {
    std::optional<unsigned> name = names.find(value);
    if (!name)
      return;
    unsigned node = state.nodes.find(*name)->second;
    flow.uses.push_back({op, operand, node,
                         need == kShape ? std::optional<unsigned>()
                                        : std::optional<unsigned>(need)});
  }

  //===--- Slots ----------------------------------------------------------===//

  void runRead(ReadOp op, double frequency, State &state) {
    std::optional<unsigned> slot = names.find(op.getSlotAttr().getAttr());
    if (!slot)
      return;
    unsigned name = *names.find(op.getResult());
    unsigned from = state.nodes[*slot], to = addNode(name);
    addEdge(from, to, frequency, before(op));
    state.nodes[name] = to;
    flow.accesses.push_back({op, from, to});
  }

  void runWrite(WriteOp op, double frequency, State &state) {
    std::optional<unsigned> slot = names.find(op.getSlotAttr().getAttr());
    if (!slot)
      return;
    unsigned from = state.nodes[*names.find(op.getValue())];
    unsigned to = addNode(*slot);
    addEdge(from, to, frequency, before(op));
    state.nodes[*slot] = to;
    flow.accesses.push_back({op, to, from});
  }

  void runSave(SaveOp op, State &state) {
    for (auto [i, slot] :
         llvm::enumerate(op.getSlots().getAsRange<FlatSymbolRefAttr>()))
      if (std::optional<unsigned> name = names.find(slot.getAttr()))
        flow.uses.push_back({op, unsigned(i), state.nodes[*name], 0});
  }

  void runRestore(RestoreOp op, double frequency, State &state) {
    SmallVector<unsigned> made;
    for (auto slot : op.getSlots().getAsRange<FlatSymbolRefAttr>()) {
      std::optional<unsigned> name = names.find(slot.getAttr());
      if (!name)
        continue;
      // A slot that the file does not have keeps its content.
      if (op.getLenient())
        flow.nodes[state.nodes[*name]].needs |= deviceBit(0);
      unsigned node = addNode(*name), first = addNode(*name);
      flow.nodes[node].home = 0;
      addEdge(node, first, frequency, after(op));
      state.nodes[*name] = first;
      made.push_back(node);
    }
    flow.restored[op] = std::move(made);
  }

  //===--- Loops and branches ---------------------------------------------===//

  void runRegions(Operation *op, double frequency, State &state) {
    for (auto &[name, node] : state.nodes)
      flow.nodes[node].fork =
          isa<scf::IfOp>(op) ? FlowNode::Branch : FlowNode::None;
    if (auto branch = dyn_cast<scf::IfOp>(op))
      runBranch(branch, frequency, state);
    else
      runLoop(CarryingLoop(op), frequency, state);
  }

  /// The names that enter a block of `op`, each with a new node.
  State enter(Operation *op, Block &block, double frequency,
              const State &outside, Outcome outcome) {
    State inside;
    const SlotAccess &slots = names.getSlotAccess(op);
    for (auto [name, node] : outside.nodes) {
      StringAttr slot = flow.names[name].slot;
      bool goesIn =
          slot ? slots.read.contains(slot) || slots.written.contains(slot)
               : names.isLive(name, &block, 0);
      if (!goesIn)
        continue;
      unsigned first = addNode(name);
      addEdge(node, first, frequency, at(TransferSite::Start, &block), outcome);
      inside.nodes[name] = first;
      if (outside.goOn.contains(name) ||
          names.isLive(name, op->getBlock(), outside.segment + 1))
        inside.goOn.insert(name);
    }
    return inside;
  }

  /// Continues after `op`: names that are still needed pass it.
  void leave(Operation *op, double frequency, State &state,
             ArrayRef<const State *> ends) {
    State rest;
    rest.segment = state.segment + 1;
    rest.goOn = state.goOn;
    const SlotAccess &slots = names.getSlotAccess(op);
    for (auto [name, node] : state.nodes) {
      StringAttr slot = flow.names[name].slot;
      bool stays = slot ? !slots.written.contains(slot)
                        : state.goOn.contains(name) ||
                              names.isLive(name, op->getBlock(), rest.segment);
      if (!stays)
        continue;
      unsigned next = addNode(name);
      addEdge(node, next, frequency, after(op));
      rest.nodes[name] = next;
      // The value inside of `op` was the same.
      for (const State *end : ends)
        if (auto inside = end->nodes.find(name); inside != end->nodes.end())
          addEdge(inside->second, next, 0, {}, Outcome::Leave,
                  /*moves=*/false);
    }
    state = std::move(rest);
  }

  void runBranch(scf::IfOp op, double frequency, State &state) {
    SmallVector<State, 2> ends;
    SmallVector<double, 2> runs;
    for (Region &region : op->getRegions()) {
      bool isThen = region.getRegionNumber() == 0;
      runs.push_back(frequency * getRunsOfRegion(op, isThen ? 0 : 1));
      State inside;
      Outcome outcome = isThen ? Outcome::Then : Outcome::Else;
      if (!region.empty()) {
        inside = enter(op, region.front(), runs.back(), state, outcome);
        runBlock(region.front(), runs.back(), inside);
      }
      ends.push_back(std::move(inside));
    }
    State before = state;
    leave(op, frequency, state, {&ends[0], &ends[1]});
    for (OpResult result : op.getResults()) {
      std::optional<unsigned> name = names.find(result);
      if (!name)
        continue;
      FlowJoin join{
          op, result.getResultNumber(), {}, addNode(*name), addNode(*name), {}};
      for (auto [region, end, run] : llvm::zip(op->getRegions(), ends, runs)) {
        Value value = region.front().getTerminator()->getOperand(join.index);
        join.ends.push_back(end.nodes[*names.find(value)]);
        addEdge(join.ends.back(), join.node, run,
                at(TransferSite::End, &region.front()));
      }
      finishJoin(join, frequency, state);
    }
    for (StringAttr slot : names.getSlotAccess(op).written) {
      std::optional<unsigned> name = names.find(slot);
      if (!name)
        continue;
      FlowJoin join{op, 0, slot, addNode(*name), addNode(*name), {}};
      for (auto [region, end, run] : llvm::zip(op->getRegions(), ends, runs)) {
        auto inside = end.nodes.find(*name);
        bool hasBlock = inside != end.nodes.end();
        join.ends.push_back(hasBlock ? inside->second : before.nodes[*name]);
        // Without an else region the slot keeps its content.
        addEdge(join.ends.back(), join.node, run,
                hasBlock ? at(TransferSite::End, &region.front()) : after(op),
                hasBlock ? Outcome::Always : Outcome::Else);
      }
      finishJoin(join, frequency, state);
    }
  }

  void finishJoin(FlowJoin join, double frequency, State &state) {
    addEdge(join.node, join.result, frequency, after(join.op));
    state.nodes[flow.nodes[join.result].name] = join.result;
    flow.joins.push_back(std::move(join));
  }

  void runLoop(CarryingLoop loop, double frequency, State &state) {
    Operation *op = loop.getOperation();
    Block *body = loop.getBody();
    double iterations = frequency * getRunsOfRegion(op, 0);
    SmallVector<FlowJoin> carried;
    for (auto [i, argument] : llvm::enumerate(loop.getArguments()))
      if (std::optional<unsigned> name = names.find(argument)) {
        unsigned init = state.nodes[*names.find(loop.getInits()[i].get())];
        carried.push_back({op, unsigned(i), {}, addNode(*name), 0, {}, init});
      }
    for (StringAttr slot : names.getSlotAccess(op).written)
      if (std::optional<unsigned> name = names.find(slot))
        carried.push_back(
            {op, 0, slot, addNode(*name), 0, {}, state.nodes[*name]});

    State inside = enter(op, *body, iterations, withoutWritten(op, state),
                         Outcome::Always);
    for (const FlowJoin &join : carried) {
      addEdge(join.init, join.node, frequency, before(op));
      unsigned name = flow.nodes[join.node].name, first = addNode(name);
      addEdge(join.node, first, iterations, at(TransferSite::Start, body));
      inside.nodes[name] = first;
    }
    llvm::MapVector<unsigned, unsigned> starts = inside.nodes;
    runBlock(*body, iterations, inside);

    for (auto [name, node] : inside.nodes)
      flow.nodes[node].fork = FlowNode::IterationEnd;
    for (auto [name, node] : starts)
      if (flow.names[name].value &&
          flow.names[name].value.getParentBlock() != body)
        addEdge(inside.nodes[name], node, 0, {}, Outcome::Again,
                /*moves=*/false);
    leave(op, frequency, state, {&inside});
    for (FlowJoin &join : carried) {
      unsigned name;
      if (join.slot) {
        name = *names.find(join.slot);
        join.ends = {inside.nodes[name]};
      } else {
        name = *names.find(op->getResult(join.index));
        Value next = loop.getYield()->getOperand(join.index);
        join.ends = {inside.nodes[*names.find(next)]};
      }
      join.result = addNode(name);
      addEdge(join.ends[0], join.node, iterations - frequency,
              at(TransferSite::IterationEnd, body), Outcome::Again);
      addEdge(join.ends[0], join.result, frequency, after(op), Outcome::Leave);
      state.nodes[name] = join.result;
      flow.joins.push_back(join);
    }
  }

  /// The state without the slots that the loop writes: the loop carries these.
  State withoutWritten(Operation *op, const State &state) {
    State rest = state;
    rest.nodes.clear();
    for (auto [name, node] : state.nodes)
      if (!flow.names[name].slot ||
          !names.getSlotAccess(op).written.contains(flow.names[name].slot))
        rest.nodes[name] = node;
    return rest;
  }

  static constexpr double kCallsOfExports = 10;

  ValueFlow &flow;
  FlowNames names;
  llvm::function_ref<bool(Operation *)> isMovable;
  bool tOpsAreFixed;
  llvm::DenseMap<unsigned, unsigned> between;
};

} // namespace

/// Finds the nodes that are read, and the devices that read them. An op with a
/// result that reaches no use needs nothing.
void ValueFlow::findRead(llvm::function_ref<bool(Operation *)> isMovable) {
  llvm::DenseMap<unsigned, Operation *> makers;
  llvm::DenseMap<Operation *, SmallVector<unsigned>> operands;
  for (unsigned node = 0; node != nodes.size(); ++node) {
    const FlowNode &info = nodes[node];
    Value value = nameOf(node).value;
    Operation *maker = value ? value.getDefiningOp() : nullptr;
    bool isMade = info.home || info.isHomeless || info.mover;
    if (isMade && maker && isa<ComputeOp>(maker)) {
      makers[node] = maker;
      operands[maker];
    }
  }

  SmallVector<unsigned> worklist;
  auto mark = [&](unsigned node) {
    if (!nodes[node].isRead) {
      nodes[node].isRead = true;
      worklist.push_back(node);
    }
  };
  for (const FlowUse &use : uses)
    if (auto own = operands.find(use.op); own != operands.end())
      own->second.push_back(use.node);
    else
      mark(use.node);
  // A slot that a checkpoint may leave unchanged has needs, but no operand.
  for (unsigned node = 0; node != nodes.size(); ++node)
    if (nodes[node].needs)
      mark(node);
  llvm::DenseSet<Operation *> isNeeded;
  while (!worklist.empty()) {
    unsigned node = worklist.pop_back_val();
    for (unsigned edge : nodes[node].in)
      if (edges[edge].moves)
        mark(edges[edge].from);
    if (auto maker = makers.find(node);
        maker != makers.end() && isNeeded.insert(maker->second).second)
      llvm::for_each(operands[maker->second], mark);
  }

  llvm::erase_if(uses, [&](const FlowUse &use) {
    return operands.contains(use.op) && !isNeeded.contains(use.op);
  });
  for (const FlowUse &use : uses)
    if (!use.device)
      nodes[use.node].needsShape = true;
    else if (!isMovable || !isMovable(use.op))
      nodes[use.node].needs |= deviceBit(*use.device);
}

ValueFlow::ValueFlow(ModuleOp module,
                     llvm::function_ref<bool(Operation *)> isMovable) {
  Builder(module, *this, isMovable).run(module);
  findRead(isMovable);
  double sum = 0;
  for (unsigned edge = 0; edge != edges.size(); ++edge)
    sum += getBytes(edge);
  unitsPerByte = std::min(64.0, 0x1p58 / std::max(sum, 1.0));
}

} // namespace tdc::td
