//===- CheckOptions.cpp - options and callbacks of a front end's check ----===//

#include "Frontend/CheckOptions.h"
#include "llvm/ADT/STLExtras.h"

using namespace tdc;

static constexpr llvm::StringRef placementNames[] = {"insert", "warn", "strict",
                                                     "optimize", "off"};

llvm::ArrayRef<llvm::StringRef> tdc::getPlacementNames() {
  return placementNames;
}

std::optional<Placement> tdc::parsePlacement(llvm::StringRef name) {
  const auto *found = llvm::find(placementNames, name);
  if (found == std::end(placementNames))
    return std::nullopt;
  return static_cast<Placement>(found - std::begin(placementNames));
}

std::optional<Place> tdc::getChosenDevice(llvm::StringRef device) {
  return device == "cuda" ? getCuda(0) : parseDevice(device);
}
