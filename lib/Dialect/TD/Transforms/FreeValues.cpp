//===- FreeValues.cpp - devices for tensors without a place ---------------===//

#include "FreeValues.h"
#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <deque>

using namespace mlir;

namespace tdc::td {

bool isFree(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding();
}

/// The place of a value: the result of a transfer without a target is where the
/// transfer's operand is.
static Place sourcePlace(Value value) {
  auto transfer = value.getDefiningOp<ToDeviceOp>();
  return transfer && isFree(value.getType()) ? sourcePlace(transfer.getInput())
                                             : getPlace(value);
}

/// Adds the places that `places` does not have yet; returns whether it added
/// any.
static bool merge(SmallVectorImpl<Place> &places, ArrayRef<Place> more) {
  size_t before = places.size();
  for (const Place &place : more)
    if (!llvm::is_contained(places, place))
      places.push_back(place);
  return places.size() != before;
}

FreeValues::FreeValues(ModuleOp module, Place standard)
    : standard(std::move(standard)) {
  findWrittenMoves(module);
  // All origins first: loops and slots pass on values that are defined later.
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { addOrigins(op); });
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { connect(op); });
  spreadReached();
  spreadPins();
  spreadLoaders();
}

Place FreeValues::get(Value value) const {
  std::optional<unsigned> found = find(value);
  if (!found) {
    Place source = sourcePlace(value);
    return source == Place() ? standard : source;
  }
  return getDecision(origins[*found]);
}

Place FreeValues::get(StringAttr slot) const {
  return getDecision(origins[slots.find(slot)->second]);
}

Place FreeValues::getDecision(const Origin &origin) const {
  if (origin.pins.size() == 1)
    return origin.pins.front();
  return origin.isForLoader ? getCpu() : standard;
}

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

unsigned FreeValues::add() {
  origins.emplace_back();
  return origins.size() - 1;
}

unsigned FreeValues::add(StringAttr slot) {
  auto [known, isNew] = slots.try_emplace(slot, 0);
  if (isNew) {
    known->second = add();
    origins.back().isSlot = true;
  }
  return known->second;
}

std::optional<unsigned> FreeValues::find(Value value) const {
  auto found = values.find(value);
  if (found == values.end())
    return std::nullopt;
  return found->second;
}

void FreeValues::findWrittenMoves(ModuleOp module) {
  module.walk([&](MoveOp op) {
    if (!op.getImplied())
      moved.insert(op.getSlotAttr().getAttr());
  });
}

void FreeValues::addOrigins(Operation *op) {
  if (auto read = dyn_cast<ReadOp>(op)) {
    if (isFree(read.getType()))
      values[read.getResult()] = add(read.getSlotAttr().getAttr());
    return;
  }
  if (auto transfer = dyn_cast<ToDeviceOp>(op)) {
    // A transfer without a target only passes the value on.
    if (isFree(transfer.getType()))
      if (auto found = find(transfer.getInput()))
        values[transfer.getResult()] = *found;
    return;
  }
  if (CarryingLoop loop(op); loop) {
    for (auto [argument, result] :
         llvm::zip(loop.getArguments(), loop.getResults()))
      if (isFree(argument.getType()))
        values[argument] = values[result] = add();
    if (auto repeat = dyn_cast<scf::WhileOp>(op))
      for (auto [before, result] :
           llvm::zip(repeat.getBeforeArguments(), op->getResults()))
        if (isFree(before.getType()))
          values[before] = values[result];
    return;
  }
  if (auto function = dyn_cast<func::FuncOp>(op))
    for (BlockArgument argument : function.getArguments())
      if (isFree(argument.getType()))
        values[argument] = add();
  for (Value result : op->getResults()) {
    if (!isFree(result.getType()))
      continue;
    values[result] = add();
    origins.back().isComputed = isa<ComputeOp>(op);
    origins.back().isConstructed = isConstructor(op);
  }
}

/// Records that `origin` is computed from `value`, or passes it on.
void FreeValues::addSource(unsigned origin, Value value) {
  if (auto found = find(value))
    return origins[origin].sources.push_back(*found);
  auto transfer = value.getDefiningOp<ToDeviceOp>();
  bool isAtHome = transfer && transfer.getHome();
  if (isa<RankedTensorType>(value.getType()) && !isAtHome)
    merge(origins[origin].pins, sourcePlace(value));
}

void FreeValues::connect(Operation *op) {
  if (auto transfer = dyn_cast<ToDeviceOp>(op)) {
    connectTransfer(transfer);
  } else if (auto write = dyn_cast<WriteOp>(op)) {
    StringAttr slot = write.getSlotAttr().getAttr();
    if (isFree(write.getValue().getType()))
      addSource(add(slot), write.getValue());
    else
      reachSlot(slot, getPlace(write.getValue()));
  } else if (auto read = dyn_cast<ReadOp>(op)) {
    if (!isFree(read.getType()))
      reachSlot(read.getSlotAttr().getAttr(), getPlace(read.getResult()));
  } else if (auto move = dyn_cast<MoveOp>(op)) {
    reachSlot(move.getSlotAttr().getAttr(), getPlace(move.getDevice()));
  } else if (CarryingLoop loop(op); loop) {
    for (auto [init, argument, next] :
         llvm::zip(loop.getInits(), loop.getArguments(),
                   loop.getYield()->getOperands()))
      if (auto origin = find(argument)) {
        addSource(*origin, init.get());
        addSource(*origin, next);
      }
  } else if (isa<scf::IfOp>(op)) {
    for (OpResult result : op->getResults())
      if (auto origin = find(result))
        for (Region &region : op->getRegions())
          addSource(*origin, region.front().getTerminator()->getOperand(
                                 result.getResultNumber()));
  } else if (isa<ComputeOp>(op) || isa<arith::SelectOp>(op)) {
    if (auto origin = find(op->getResult(0)))
      for (Value operand : op->getOperands())
        addSource(*origin, operand);
  }
}

/// Records that an implied transfer takes a free value to a device, or to a
/// loader. A value that is returned to a caller counts for neither: it is read
/// back from wherever it is, like a printed one.
void FreeValues::connectTransfer(ToDeviceOp op) {
  auto from = find(op.getInput());
  if (!from || !op.getImplied() || isFree(op.getType()))
    return;
  if (!op.getHome())
    reach(*from, getPlace(op.getResult()));
  else if (!llvm::all_of(op->getUsers(), llvm::IsaPred<func::ReturnOp>))
    origins[*from].isForLoader = true;
}

void FreeValues::reach(unsigned origin, const Place &place) {
  origins[origin].distance = 0;
  merge(origins[origin].reached, place);
}

/// Records that a slot reaches a place. A slot that the program moved is not
/// pulled to the target of the move.
void FreeValues::reachSlot(StringAttr slot, const Place &place) {
  if (auto found = slots.find(slot);
      found != slots.end() && !moved.contains(slot))
    reach(found->second, place);
}

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

/// Passes the reached devices back to the values that a value is computed from,
/// the nearest first.
void FreeValues::spreadReached() {
  std::deque<unsigned> next;
  for (unsigned i = 0; i != origins.size(); ++i)
    if (origins[i].distance == 0)
      next.push_back(i);
  while (!next.empty()) {
    const Origin &user = origins[next.front()];
    next.pop_front();
    int distance = user.distance + user.isComputed;
    for (unsigned i : user.sources) {
      Origin &source = origins[i];
      if (source.distance >= 0 && source.distance < distance)
        continue;
      if (source.distance > distance)
        source.reached.clear();
      source.distance = distance;
      if (!merge(source.reached, user.reached))
        continue;
      if (user.isComputed)
        next.push_back(i);
      else
        next.push_front(i);
    }
  }
}

/// Passes pins on to the values that are computed from a pinned one.
void FreeValues::spreadPins() {
  for (Origin &origin : origins)
    if (origin.reached.size() == 1)
      origin.pins = origin.reached;
  for (bool changes = true; changes;) {
    changes = false;
    for (Origin &origin : origins)
      if (origin.reached.size() != 1)
        for (unsigned i : origin.sources)
          if (!origins[i].isConstructed)
            changes |= merge(origin.pins, origins[i].pins);
  }
}

/// Marks all values from which a loader is made. Slots are left out: state has
/// other uses.
void FreeValues::spreadLoaders() {
  SmallVector<unsigned> work;
  for (unsigned i = 0; i != origins.size(); ++i)
    if (origins[i].isForLoader)
      work.push_back(i);
  while (!work.empty())
    for (unsigned i : origins[work.pop_back_val()].sources)
      if (!origins[i].isForLoader && !origins[i].isSlot) {
        origins[i].isForLoader = true;
        work.push_back(i);
      }
}

} // namespace tdc::td
