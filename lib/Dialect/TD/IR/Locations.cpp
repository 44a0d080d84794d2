//===- Locations.cpp - locations in the user's program --------------------===//

#include "Dialect/TD/IR/Locations.h"

using namespace mlir;
using namespace tdc;

FileLineColLoc td::getUserLocation(Location location) {
  if (auto own = dyn_cast<FileLineColLoc>(location))
    return own.getFilename().strref().starts_with("<") ? FileLineColLoc() : own;
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    FileLineColLoc callee = getUserLocation(call.getCallee());
    return callee ? callee : getUserLocation(call.getCaller());
  }
  if (auto named = dyn_cast<NameLoc>(location))
    return getUserLocation(named.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc user = getUserLocation(part))
        return user;
  return {};
}

llvm::StringRef td::getVariableName(Location location) {
  auto named = dyn_cast<NameLoc>(location);
  return named ? named.getName().strref() : llvm::StringRef();
}

Location td::withoutName(Location location) {
  auto named = dyn_cast<NameLoc>(location);
  return named ? named.getChildLoc() : location;
}

Location td::getGradientLocation(Location forward) {
  MLIRContext *context = forward.getContext();
  return isOfGradient(forward) ? forward
                               : FusedLoc::get({withoutName(forward)},
                                               UnitAttr::get(context), context);
}

bool td::isOfGradient(Location location) {
  return isa<FusedLocWith<UnitAttr>>(location);
}

Location td::withWords(Location location, llvm::StringRef words) {
  MLIRContext *context = location.getContext();
  return FusedLoc::get({location}, StringAttr::get(context, words), context);
}

StringAttr td::getWords(Location location) {
  auto fused = dyn_cast<FusedLocWith<StringAttr>>(location);
  return fused ? fused.getMetadata() : StringAttr();
}

LocationAttr td::getSite(Location location) {
  FileLineColLoc user = getUserLocation(location);
  StringAttr words = getWords(location);
  return user && words ? LocationAttr(withWords(user, words)) : user;
}

Location td::fuseResults(llvm::ArrayRef<Location> results) {
  if (results.size() == 1)
    return results.front();
  llvm::SmallVector<Attribute> all(results.begin(), results.end());
  MLIRContext *context = results.front().getContext();
  return FusedLoc::get(results, ArrayAttr::get(context, all), context);
}

Location td::getLocation(Value value) {
  auto fused = dyn_cast<FusedLocWith<ArrayAttr>>(value.getLoc());
  auto result = dyn_cast<OpResult>(value);
  if (!fused || !result ||
      fused.getMetadata().size() != result.getOwner()->getNumResults())
    return value.getLoc();
  return cast<LocationAttr>(fused.getMetadata()[result.getResultNumber()]);
}
