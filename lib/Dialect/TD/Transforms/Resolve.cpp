//===- Resolve.cpp - td-resolve: every tensor gets a concrete place -------===//
//
// A place is part of a type, so this changes types everywhere they stand: of
// values, of slots, in the signatures of functions.
//
//===----------------------------------------------------------------------===//

#include "Dialect/TD/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace tdc::td {
#define GEN_PASS_DEF_TDRESOLVEPASS
#include "Dialect/TD/Transforms/Passes.h.inc"
} // namespace tdc::td

using namespace mlir;

namespace tdc::td {
namespace {

/// "cpu" or "cuda:1" as a place.
std::optional<Place> parseDevice(StringRef text) {
  Place place;
  place.kind = text == "cpu" ? Place::Kind::Cpu : Place::Kind::Cuda;
  if (text == "cpu")
    return place;
  if (!text.consume_front("cuda:") || text.getAsInteger(10, place.ordinal))
    return std::nullopt;
  return place;
}

class Resolver {
public:
  /// Reads "name=device". False if it is nothing of the kind.
  bool define(StringRef definition) {
    auto [name, device] = definition.split('=');
    std::optional<Place> place = parseDevice(device);
    if (place)
      symbols[name] = *place;
    return place.has_value();
  }

  Type resolve(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return type;
    Type &resolved = types[type];
    if (!resolved)
      resolved = withPlace(tensor, resolve(getPlace(tensor)));
    return resolved;
  }

  void resolve(Operation *op) {
    for (OpResult result : op->getResults())
      result.setType(resolve(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(resolve(argument.getType()));
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      if (auto value = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(value.reshape(constant.getType()));
    } else if (auto slot = dyn_cast<SlotOp>(op)) {
      slot.setType(resolve(slot.getType()));
    } else if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      auto toTypes = [&](ArrayRef<Type> types) {
        return llvm::map_to_vector(types,
                                   [&](Type type) { return resolve(type); });
      };
      function.setType(
          function.cloneTypeWith(toTypes(function.getArgumentTypes()),
                                 toTypes(function.getResultTypes())));
    }
  }

private:
  Place resolve(const Place &place) {
    Place cpu;
    cpu.kind = Place::Kind::Cpu;
    if (place.kind == Place::Kind::Free)
      return cpu;
    if (place.kind != Place::Kind::Symbol)
      return place;
    auto symbol = symbols.find(place.symbol);
    return symbol == symbols.end() ? cpu : symbol->second;
  }

  llvm::StringMap<Place> symbols;
  DenseMap<Type, Type> types;
};

struct ResolvePass : public impl::TDResolvePassBase<ResolvePass> {
  using TDResolvePassBase::TDResolvePassBase;

  void runOnOperation() override {
    Resolver resolver;
    for (const std::string &definition : symbols)
      if (!resolver.define(definition)) {
        getOperation().emitError("expected name=cpu or name=cuda:N, got '")
            << definition << "'";
        return signalPassFailure();
      }
    getOperation()->walk([&](Operation *op) { resolver.resolve(op); });
    getOperation()->walk([](MoveOp move) { move.erase(); });
    getOperation()->walk([&](ToDeviceOp transfer) {
      if (transfer.getInput().getType() != transfer.getType())
        return;
      transfer.replaceAllUsesWith(transfer.getInput());
      transfer.erase();
    });
  }
};
} // namespace
} // namespace tdc::td
