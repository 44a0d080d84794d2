//===- FlowNames.cpp - names of values and slots, and their webs ----------===//

#include "FlowNames.h"
#include "Dialect/TD/Analysis/Sizes.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tdc::td {

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

FlowNames::FlowNames(ModuleOp module, ValueFlow &flow,
                     llvm::function_ref<bool(Operation *)> isMovable)
    : flow(flow) {
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { nameOp(op); });
  // The values that bodies yield have names now.
  module.walk([&](Operation *op) {
    if (CarryingLoop loop(op); loop) {
      for (auto [argument, next] :
           llvm::zip(loop.getArguments(), loop.getYield()->getOperands()))
        join(argument, next);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region &region : branch->getRegions())
        if (!region.empty())
          for (auto [result, value] :
               llvm::zip(branch.getResults(),
                         region.front().getTerminator()->getOperands()))
            join(result, value);
    }
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    for (Block &block : function.getBody())
      number(block);
    collectSlots(function);
  }
  findActive(module, isMovable);
  findLastUses(module);
}

unsigned FlowNames::add(Value value) {
  unsigned name = flow.names.size();
  auto type = withPlace(cast<RankedTensorType>(value.getType()), Place());
  flow.names.push_back({value, {}, type, value.getLoc(), estimateBytes(type)});
  touched.push_back(false);
  values[value] = name;
  webs.insert(name);
  return name;
}

unsigned FlowNames::add(StringAttr slot) {
  auto [known, isNew] = slots.try_emplace(slot, flow.names.size());
  if (isNew) {
    flow.names.push_back({{}, slot, {}, {}});
    touched.push_back(false);
    webs.insert(known->second);
  }
  return known->second;
}

void FlowNames::join(Value a, Value b) {
  if (isTensor(a) && values.count(b))
    webs.unionSets(values.at(a), values.at(b));
}

void FlowNames::nameOp(Operation *op) {
  if (auto transfer = dyn_cast<ToDeviceOp>(op)) {
    unsigned name = values.at(transfer.getInput());
    values[transfer.getResult()] = name;
    touched[name] =
        touched[name] || transfer.getInput().getType() != transfer.getType();
    return;
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (isTensor(argument))
          add(argument);
  for (Value result : op->getResults())
    if (isTensor(result))
      add(result);
  if (CarryingLoop loop(op); loop) {
    for (auto [init, argument, result] :
         llvm::zip(loop.getInits(), loop.getArguments(), loop.getResults())) {
      join(argument, init.get());
      join(argument, result);
    }
    // The condition of a while loop passes its arguments on.
    if (auto repeat = dyn_cast<scf::WhileOp>(op))
      for (auto [before, argument] :
           llvm::zip(repeat.getBeforeArguments(), loop.getArguments()))
        join(before, argument);
  } else if (auto read = dyn_cast<ReadOp>(op)) {
    webs.unionSets(values.at(read.getResult()),
                   add(read.getSlotAttr().getAttr()));
  } else if (auto write = dyn_cast<WriteOp>(op)) {
    webs.unionSets(values.at(write.getValue()),
                   add(write.getSlotAttr().getAttr()));
  } else if (auto move = dyn_cast<MoveOp>(op)) {
    touched[add(move.getSlotAttr().getAttr())] = true;
  } else if (auto slot = dyn_cast<SlotOp>(op)) {
    FlowName &name = flow.names[add(slot.getSymNameAttr())];
    name.type = withPlace(cast<RankedTensorType>(slot.getType()), Place());
    name.location = slot.getLoc();
    name.bytes = estimateBytes(name.type);
  }
}

void FlowNames::number(Block &block) {
  unsigned segment = 0;
  for (Operation &op : block) {
    segments[&op] = segment;
    if (!isStructured(&op))
      continue;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    ++segment;
  }
}

/// Collects, for every op with regions, the slots that the ops in them access.
void FlowNames::collectSlots(Operation *op) {
  SlotAccess own;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps()) {
      // A td.move does not change the content of a slot.
      if (auto user = dyn_cast<SlotUser>(inner); user && !isa<MoveOp>(inner)) {
        own.read.insert_range(user.getReadSlots());
        own.written.insert_range(user.getWrittenSlots());
      } else if (isStructured(&inner)) {
        collectSlots(&inner);
        const SlotAccess &nested = accesses[&inner];
        own.read.insert(nested.read.begin(), nested.read.end());
        own.written.insert(nested.written.begin(), nested.written.end());
      }
    }
  accesses[op] = std::move(own);
}

std::optional<unsigned> FlowNames::getHome(Value value) {
  Place place = getPlace(cast<RankedTensorType>(value.getType()));
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (isa<ComputeOp>(op) || isa<func::FuncOp>(op))
    return flow.devices.getIndex(place);
  if (isa<LoadOp>(op))
    return 0;
  return std::nullopt;
}

void FlowNames::findActive(ModuleOp module,
                           llvm::function_ref<bool(Operation *)> isMovable) {
  std::vector<DeviceSet> devices(flow.names.size(), 0);
  std::vector<bool> isTouched(flow.names.size(), false);
  auto lead = [&](unsigned name) { return webs.getLeaderValue(name); };
  for (unsigned name = 0; name != flow.names.size(); ++name) {
    if (touched[name])
      isTouched[lead(name)] = true;
    if (Value value = flow.names[name].value)
      if (std::optional<unsigned> home = getHome(value))
        devices[lead(name)] |= deviceBit(*home);
  }
  module.walk([&](Operation *op) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      int need = getNeed(op, i, flow.devices);
      if (need >= 0)
        devices[lead(values.at(operand))] |= deviceBit(need);
    }
    // The host reads and writes files.
    if (isa<RestoreOp, SaveOp>(op))
      for (StringAttr slot : cast<SlotUser>(op).getReadSlots())
        devices[lead(slots.at(slot))] |= deviceBit(0);
  });
  // Names that reach a transfer through ops that can move matter as well.
  llvm::EquivalenceClasses<unsigned> groups;
  for (unsigned name = 0; name != flow.names.size(); ++name)
    groups.insert(lead(name));
  module.walk([&](Operation *op) {
    if (!isMovable || !isMovable(op))
      return;
    for (Value operand : op->getOperands())
      if (isTensor(operand))
        groups.unionSets(lead(values.at(op->getResult(0))),
                         lead(values.at(operand)));
  });
  auto leadGroup = [&](unsigned name) {
    return groups.getLeaderValue(lead(name));
  };
  std::vector<bool> matters(flow.names.size(), false);
  for (unsigned name = 0; name != flow.names.size(); ++name)
    if (isTouched[lead(name)] || llvm::popcount(devices[lead(name)]) > 1)
      matters[leadGroup(name)] = true;
  llvm::DenseMap<unsigned, unsigned> numbers;
  active.resize(flow.names.size());
  for (unsigned name = 0; name != flow.names.size(); ++name) {
    unsigned leader = lead(name);
    active[name] = matters[leadGroup(name)];
    if (active[name])
      flow.names[name].web =
          numbers.try_emplace(leader, numbers.size()).first->second;
  }
  flow.numWebs = numbers.size();
}

void FlowNames::findLastUses(ModuleOp module) {
  for (auto [value, name] : values) {
    if (!active[name])
      continue;
    // The result of a transfer is live in the block of its name.
    Block *home = flow.names[name].value.getParentBlock();
    for (Operation *user : value.getUsers()) {
      if (isa<ToDeviceOp>(user))
        continue;
      Operation *at = user;
      while (true) {
        Block *block = at->getBlock();
        Operation *parent = block->getParentOp();
        unsigned segment = segments.lookup(at);
        // The next iteration needs a value from outside of the loop again.
        if (block != home && CarryingLoop(parent))
          segment = segments.lookup(block->getTerminator());
        unsigned &last = lastUse.try_emplace({name, block}, 0).first->second;
        last = std::max(last, segment);
        if (block == home)
          break;
        at = parent;
      }
    }
  }
}

std::optional<unsigned> FlowNames::find(Value value) const {
  auto found = values.find(value);
  if (found == values.end() || !active[found->second])
    return std::nullopt;
  return found->second;
}

std::optional<unsigned> FlowNames::find(StringAttr slot) const {
  auto found = slots.find(slot);
  if (found == slots.end() || !active[found->second])
    return std::nullopt;
  return found->second;
}

} // namespace tdc::td
