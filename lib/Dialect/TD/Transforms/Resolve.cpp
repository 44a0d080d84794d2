//===- Resolve.cpp - td-resolve: every tensor gets a concrete place -------===//
//
// A place is part of a type, so this changes types everywhere they stand: of
// values, of slots, in the signatures of functions. What the program left free
// is decided by rule, for one origin at a time: an op, a value that a loop or
// branch passes on, a slot.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/Analysis/ValueFlow.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace tdc::td {
#define GEN_PASS_DEF_TDRESOLVEPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// Gives the elements of a constant the type of its result.
void matchValue(ConstantOp op) {
  if (auto value = dyn_cast<DenseElementsAttr>(op.getValue()))
    op.setValueAttr(value.reshape(op.getType()));
}

bool isFree(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !tensor.getEncoding();
}

//===----------------------------------------------------------------------===//
// Free values
//===----------------------------------------------------------------------===//

/// What one decision is made for.
struct Origin {
  /// Free origins that it is computed from.
  SmallVector<unsigned> sources;
  /// Devices of what else it is computed from.
  SmallVector<Place> pinned;
  /// The nearest devices that it reaches, and how far they are; -1: none.
  SmallVector<Place> reached;
  int distance = -1;
  std::optional<Place> decision;
};

class FreeValues {
public:
  FreeValues(ModuleOp module, Place standard) : standard(std::move(standard)) {
    findWrittenMoves(module);
    // Slots and what regions pass on first: they are used before they are made.
    module.walk<WalkOrder::PreOrder>([&](Operation *op) { addOrigins(op); });
    module.walk<WalkOrder::PreOrder>([&](Operation *op) { connect(op); });
    spread();
    for (unsigned i = 0; i != origins.size(); ++i)
      decide(i);
  }

  /// The device of a free value.
  Place get(Value value) const {
    if (auto found = values.find(value); found != values.end())
      return *origins[found->second].decision;
    Place source = sourcePlace(value);
    return source == Place() ? standard : source;
  }
  Place get(StringAttr slot) const {
    auto found = slots.find(slot);
    return found == slots.end() ? standard : *origins[found->second].decision;
  }

private:
  unsigned add() {
    origins.emplace_back();
    return origins.size() - 1;
  }
  unsigned add(StringAttr slot) {
    auto [known, isNew] = slots.try_emplace(slot, 0);
    if (isNew)
      known->second = add();
    return known->second;
  }

  void findWrittenMoves(ModuleOp module) {
    module.walk([&](MoveOp op) {
      if (!op.getImplied())
        moved.insert(op.getSlotAttr().getAttr());
    });
  }

  void addOrigins(Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      if (isFree(read.getType()))
        values[read.getResult()] = add(read.getSlotAttr().getAttr());
      return;
    }
    if (auto transfer = dyn_cast<ToDeviceOp>(op)) {
      // Free again, but where it was: it only passes.
      if (isFree(transfer.getType()))
        if (auto found = values.find(transfer.getInput());
            found != values.end())
          values[transfer.getResult()] = found->second;
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
    std::optional<unsigned> own;
    for (Value result : op->getResults()) {
      if (!isFree(result.getType()))
        continue;
      // The results of one op are made together; those of a branch are not.
      if (!own || isa<scf::IfOp>(op))
        own = add();
      values[result] = *own;
    }
  }

  /// `value` becomes a part of `origin`, or a source of it.
  void addSource(unsigned origin, Value value) {
    auto found = values.find(value);
    if (found != values.end())
      origins[origin].sources.push_back(found->second);
    else if (isa<RankedTensorType>(value.getType()))
      origins[origin].pinned.push_back(sourcePlace(value));
  }

  /// Where a value is: one that is free again is where it was.
  static Place sourcePlace(Value value) {
    auto transfer = value.getDefiningOp<ToDeviceOp>();
    return transfer && isFree(value.getType())
               ? sourcePlace(transfer.getInput())
               : getPlace(value);
  }

  void reach(unsigned origin, const Place &place) {
    origins[origin].distance = 0;
    if (!llvm::is_contained(origins[origin].reached, place))
      origins[origin].reached.push_back(place);
  }

  void connect(Operation *op) {
    auto originOf = [&](Value value) -> std::optional<unsigned> {
      auto found = values.find(value);
      if (found == values.end())
        return std::nullopt;
      return found->second;
    };
    if (auto transfer = dyn_cast<ToDeviceOp>(op)) {
      auto from = originOf(transfer.getInput());
      if (from && transfer.getImplied() && !isFree(transfer.getType()))
        reach(*from, getPlace(transfer.getResult()));
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
        if (auto origin = originOf(argument)) {
          addSource(*origin, init.get());
          addSource(*origin, next);
        }
    } else if (isa<scf::IfOp>(op)) {
      for (OpResult result : op->getResults())
        if (auto origin = originOf(result))
          for (Region &region : op->getRegions())
            addSource(*origin, region.front().getTerminator()->getOperand(
                                   result.getResultNumber()));
    } else if (op->hasTrait<ComputeOp>()) {
      if (auto origin = originOf(op->getResult(0)))
        for (Value operand : op->getOperands())
          addSource(*origin, operand);
    }
  }

  /// A slot that the program moved is not pulled to where it went.
  void reachSlot(StringAttr slot, const Place &place) {
    if (auto found = slots.find(slot);
        found != slots.end() && !moved.contains(slot))
      reach(found->second, place);
  }

  /// Passes the nearest devices back to what their values are computed from.
  void spread() {
    SmallVector<unsigned> level, next;
    for (unsigned i = 0; i != origins.size(); ++i)
      if (origins[i].distance == 0)
        level.push_back(i);
    for (int distance = 1; !level.empty(); ++distance) {
      next.clear();
      for (unsigned i : level)
        for (unsigned source : origins[i].sources) {
          Origin &one = origins[source];
          if (one.distance >= 0 && one.distance < distance)
            continue;
          if (one.distance < 0)
            next.push_back(source);
          one.distance = distance;
          for (const Place &place : origins[i].reached)
            if (!llvm::is_contained(one.reached, place))
              one.reached.push_back(place);
        }
      std::swap(level, next);
    }
  }

  /// The one device that it reaches, else the one that it is computed from,
  /// else the standard device.
  void decide(unsigned i) {
    Origin &origin = origins[i];
    if (origin.reached.size() == 1) {
      origin.decision = origin.reached.front();
      return;
    }
    SmallVector<Place> from(origin.pinned);
    for (unsigned source : origin.sources)
      if (origins[source].decision)
        from.push_back(*origins[source].decision);
    bool isOne = !from.empty() && llvm::all_equal(from);
    origin.decision = isOne ? from.front() : standard;
  }

  Place standard;
  llvm::DenseSet<StringAttr> moved;
  std::vector<Origin> origins;
  llvm::DenseMap<Value, unsigned> values;
  llvm::MapVector<StringAttr, unsigned> slots;
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Resolver {
public:
  Resolver(ModuleOp module, llvm::StringMap<Place> symbols, Place standard)
      : module(module), symbols(std::move(symbols)),
        standard(std::move(standard)),
        gpus(module->getAttrOfType<IntegerAttr>(kGpusAttr)) {}

  void run() {
    module->walk([&](Operation *op) {
      forEachValue(op, [&](Value value) {
        if (!isFree(value.getType()))
          value.setType(resolve(value.getType()));
      });
      if (auto move = dyn_cast<MoveOp>(op))
        move.setDeviceAttr(
            getDevice(op->getContext(), resolve(getPlace(move.getDevice()))));
    });
    FreeValues places(module, standard);
    module->walk([&](Operation *op) {
      forEachValue(op, [&](Value value) {
        if (isFree(value.getType())) {
          values[value] = places.get(value);
          if (isConstructor(op))
            constructors.insert(op);
        }
      });
    });
    for (auto &[value, place] : values)
      value.setType(withPlace(cast<RankedTensorType>(value.getType()), place));
    module->walk([&](Operation *op) { finish(op); });
    module->walk([&](Operation *op) { bringOperands(op); });
    dropTransfers();
    setSlotTypes();
  }

private:
  template <typename Callback>
  static void forEachValue(Operation *op, Callback call) {
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        call(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (isa<RankedTensorType>(argument.getType()))
            call(argument);
  }

  Place resolve(const Place &place) const {
    // What the machine lacks is behind an assertion that fails: that code never
    // runs, and must not ask for a GPU.
    if (place.kind == Place::Kind::Cuda && gpus &&
        place.ordinal >= gpus.getInt())
      return getCpu();
    if (place.kind != Place::Kind::Symbol)
      return place;
    auto symbol = symbols.find(place.symbol);
    return symbol == symbols.end() ? getCpu() : symbol->second;
  }
  Type resolve(Type type) const {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? withPlace(tensor, resolve(getPlace(tensor))) : type;
  }

  /// What repeats the types of its values.
  void finish(Operation *op) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      matchValue(constant);
    } else if (auto function = dyn_cast<func::FuncOp>(op)) {
      SmallVector<Type> results =
          llvm::map_to_vector(function.getResultTypes(), [&](Type type) {
            return isFree(type)
                       ? withPlace(cast<RankedTensorType>(type), standard)
                       : resolve(type);
          });
      function.setType(function.cloneTypeWith(
          function.getBody().front().getArgumentTypes(), results));
    }
  }

  /// Gives an op its operands where it needs them.
  void bringOperands(Operation *op) {
    auto bring = [&](OpOperand &operand, const Place &place) {
      if (isa<RankedTensorType>(operand.get().getType()) &&
          getPlace(operand.get()) != place)
        operand.set(getAt(op, operand.get(), place));
    };
    auto match = [&](OpOperand &operand, Type type) {
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        bring(operand, getPlace(tensor));
    };
    if (op->hasTrait<ComputeOp>()) {
      for (OpOperand &operand : op->getOpOperands())
        bring(operand, getPlace(op->getResult(0)));
    } else if (isReadByHost(op)) {
      for (OpOperand &operand : op->getOpOperands())
        bring(operand, getCpu());
    } else if (CarryingLoop loop(op); loop) {
      for (auto [init, argument] :
           llvm::zip(loop.getInits(), loop.getArguments()))
        match(init, argument.getType());
    } else if (isa<scf::YieldOp>(op)) {
      Operation *parent = op->getParentOp();
      for (auto [i, operand] : llvm::enumerate(op->getOpOperands()))
        match(operand, parent->getResult(i).getType());
    } else if (isa<func::ReturnOp>(op)) {
      auto function = cast<func::FuncOp>(op->getParentOp());
      for (auto [operand, type] :
           llvm::zip(op->getOpOperands(), function.getResultTypes()))
        match(operand, type);
    }
  }

  /// The value at a place: a constructor runs there too, anything else is
  /// brought.
  Value getAt(Operation *op, Value value, const Place &place) {
    Operation *maker = value.getDefiningOp();
    OpBuilder builder(op);
    if (maker && constructors.contains(maker)) {
      Operation *&twin = twins[{maker, spelling(place)}];
      if (!twin) {
        builder.setInsertionPointAfter(maker);
        twin = cloneAt(builder, maker, place).getDefiningOp();
      }
      return twin->getResult(0);
    }
    Type type = withPlace(cast<RankedTensorType>(value.getType()), place);
    return ToDeviceOp::create(builder, op->getLoc(), type, value,
                              /*implied=*/true, /*kept=*/false);
  }

  /// Drops those that change nothing. A constructor that is only brought
  /// somewhere runs there instead.
  void dropTransfers() {
    module->walk([&](ToDeviceOp op) {
      Operation *maker = op.getInput().getDefiningOp();
      if (op.getPinned())
        return;
      if (op.getInput().getType() == op.getType())
        op.replaceAllUsesWith(op.getInput());
      else if (op.getImplied() && maker && constructors.contains(maker))
        op.replaceAllUsesWith(getAt(op, op.getInput(), getPlace(op)));
      else
        return;
      op.erase();
    });
    for (Operation *op : constructors)
      if (op->use_empty())
        op->erase();
  }

  /// A slot that is on one device all the time has its place.
  void setSlotTypes() {
    llvm::DenseMap<StringAttr, llvm::SetVector<Attribute>> places;
    module->walk([&](Operation *op) {
      auto add = [&](FlatSymbolRefAttr slot, Attribute place) {
        places[slot.getAttr()].insert(place);
      };
      if (auto read = dyn_cast<ReadOp>(op))
        add(read.getSlotAttr(), read.getType().getEncoding());
      else if (auto write = dyn_cast<WriteOp>(op))
        add(write.getSlotAttr(), write.getValue().getType().getEncoding());
      else if (auto move = dyn_cast<MoveOp>(op))
        add(move.getSlotAttr(), move.getDevice());
    });
    for (auto slot : module.getOps<SlotOp>()) {
      auto found = places.find(slot.getSymNameAttr());
      auto type = cast<RankedTensorType>(slot.getType());
      Place place = resolve(getPlace(type));
      if (found == places.end())
        place = place == Place() ? getCpu() : place;
      else if (found->second.size() == 1)
        place = getPlace(cast<DeviceAttr>(found->second.front()));
      slot.setType(withPlace(type, place));
    }
  }

  ModuleOp module;
  llvm::StringMap<Place> symbols;
  Place standard;
  IntegerAttr gpus; ///< of the machine; null if it has all that are named
  llvm::MapVector<Value, Place> values;
  llvm::SetVector<Operation *> constructors;
  std::map<std::pair<Operation *, std::string>, Operation *> twins;
};

struct ResolvePass : public impl::TDResolvePassBase<ResolvePass> {
  using TDResolvePassBase::TDResolvePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<Place> known;
    if (auto devices = module->getAttrOfType<DictionaryAttr>(kDevicesAttr))
      for (NamedAttribute device : devices)
        known[device.getName()] = getPlace(cast<DeviceAttr>(device.getValue()));
    for (StringRef definition : symbols) {
      auto [name, device] = definition.split('=');
      std::optional<Place> place = parseDevice(device);
      if (!place) {
        module.emitError("expected name=cpu or name=cuda:N, got '")
            << definition << "'";
        return signalPassFailure();
      }
      known[name] = *place;
    }
    auto standard = module->getAttrOfType<DeviceAttr>(kDefaultDeviceAttr);
    Resolver(module, std::move(known), standard ? getPlace(standard) : getCpu())
        .run();
  }
};
} // namespace

Value cloneAt(OpBuilder &builder, Operation *constructor, const Place &place) {
  Operation *twin = builder.clone(*constructor);
  Value result = twin->getResult(0);
  result.setType(withPlace(cast<RankedTensorType>(result.getType()), place));
  if (auto constant = dyn_cast<ConstantOp>(twin))
    matchValue(constant);
  return result;
}

} // namespace tdc::td
