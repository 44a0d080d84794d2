//===- Resolve.cpp - td-resolve: every tensor gets a concrete place -------===//
//
// A place is part of a type, so this pass changes types everywhere: of values,
// of slots, in the signatures of functions. FreeValues decides the places of
// tensors that the program left free.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Analysis/TOps.h"
#include "Dialect/TD/IR/CarryingLoop.h"
#include "Dialect/TD/Transforms/Passes.h"
#include "FreeValues.h"
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
void matchValue(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  if (!constant)
    return;
  if (auto value = dyn_cast<DenseElementsAttr>(constant.getValue()))
    constant.setValueAttr(value.reshape(constant.getType()));
}

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
      if (auto write = dyn_cast<WriteOp>(op);
          write && isFree(write.getValue().getType()))
        writes[write] = places.get(write.getSlotAttr().getAttr());
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
    // Code for a GPU that the machine lacks follows an assertion that fails: it
    // never runs, and must not require the GPU.
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

  /// Updates constants and functions, which repeat the types of their values.
  void finish(Operation *op) {
    matchValue(op);
    if (auto function = dyn_cast<func::FuncOp>(op)) {
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

  /// Brings the operands of an op to the places where it needs them.
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
    if (isa<ComputeOp>(op)) {
      for (OpOperand &operand : op->getOpOperands())
        bring(operand, getPlace(op->getResult(0)));
    } else if (op->hasTrait<HostReaderOp>()) {
      for (OpOperand &operand : op->getOpOperands())
        bring(operand, getCpu());
    } else if (auto found = writes.find(op); found != writes.end()) {
      bring(op->getOpOperand(0), found->second);
    } else if (auto choice = dyn_cast<arith::SelectOp>(op)) {
      match(choice.getTrueValueMutable(), choice.getType());
      match(choice.getFalseValueMutable(), choice.getType());
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

  /// Returns the value at a place: a constructor also runs there, any other
  /// value is transferred before `op`.
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
                              /*implied=*/true,
                              /*kept=*/module->hasAttr(kAsWrittenAttr));
  }

  /// Removes transfers that change nothing. A constructor runs on the target of
  /// an implied transfer instead.
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
        return op.setHome(false);
      op.erase();
    });
    for (Operation *op : constructors)
      if (op->use_empty())
        op->erase();
  }

  /// Gives each slot that is always on one device its place.
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
  IntegerAttr gpus; ///< of the machine; null if it has all named ones
  llvm::MapVector<Value, Place> values;
  llvm::DenseMap<Operation *, Place> writes; ///< of free values: the targets
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
  matchValue(twin);
  return result;
}

} // namespace tdc::td
