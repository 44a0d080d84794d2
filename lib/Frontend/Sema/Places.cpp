//===- Places.cpp - that operands are on one device -----------------------===//
//
// A tensor is pinned to a place by the program, or free. A free one goes where
// it is needed; two pinned ones must be in one place. Where the program alone
// moves tensors (`strict`, `off`), a free one is on the cpu.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

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

static bool isFree(const Place &place) {
  return place.kind == Place::Kind::Free;
}

bool Checker::agree(const Place &lhs, const Place &rhs) const {
  if (lhs == rhs)
    return true;
  return freeIsCpu() ? isCpuOrFree(lhs) && isCpuOrFree(rhs)
                     : isFree(lhs) || isFree(rhs);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::optional<Place> Checker::samePlace(llvm::MutableArrayRef<Val> operands,
                                        SourceRange range) {
  const Val *pinned = nullptr;
  for (const Val &operand : operands)
    if (operand.is(ValKind::Tensor) && !isFree(typeOf(operand).place) &&
        (!pinned || isCpuOrFree(typeOf(*pinned).place)))
      pinned = &operand;
  if (!pinned)
    return Place();
  for (const Val &operand : operands)
    if (operand.is(ValKind::Tensor) &&
        !agree(typeOf(operand).place, typeOf(*pinned).place)) {
      bool isFirst = &operand < pinned;
      reportPlaces(isFirst ? operand : *pinned, isFirst ? *pinned : operand,
                   range);
      return std::nullopt;
    }
  Place place = typeOf(*pinned).place;
  SourceRange placed = pinned->as<TensorInfo>().placed;
  for (Val &operand : operands)
    if (operand.is(ValKind::Tensor))
      operand = bring(operand, place, placed);
  return place;
}

bool Checker::isHome(const Place &lhs, const Place &rhs) const {
  return freeIsCpu() && isCpuOrFree(lhs) && isCpuOrFree(rhs);
}

Val Checker::transfer(const Val &tensor, const Place &place, SourceRange placed,
                      Transfer why) {
  TensorType type = typeOf(tensor);
  type.place = place;
  Value value = emit().toDevice(tensor.value, shapeOf(type), why);
  Val val = makeTensor(std::move(type), value, placed);
  val.range = tensor.range;
  return val;
}

Val Checker::bring(const Val &tensor, const Place &place, SourceRange placed,
                   Transfer why) {
  bool goes = !freeIsCpu() && isFree(typeOf(tensor).place) && !isFree(place);
  if (!goes)
    return tensor;
  warnBrought(tensor, place);
  return transfer(tensor, place, placed, why);
}

Val Checker::bringHome(const Val &tensor) {
  return bring(tensor, getCpu(), {}, Transfer::Home);
}

Val Checker::pin(const Val &tensor, const Place &place, SourceRange placed) {
  TensorType type = typeOf(tensor);
  if (placement != Placement::Optimize && type.place == place)
    return tensor;
  if (placement != Placement::Optimize && !freeIsCpu())
    return bring(tensor, place, placed);
  Value value = tensor.value;
  type.place = place;
  if (placement == Placement::Optimize)
    value = emit().toDevice(value, shapeOf(type), Transfer::Pinned);
  Val val = makeTensor(std::move(type), value, placed);
  val.range = tensor.range;
  return val;
}

Val Checker::freed(const Val &tensor, Transfer why) {
  TensorType type = typeOf(tensor);
  bool wasFree = isFree(type.place);
  type.place = Place();
  Value value = tensor.value;
  if (!freeIsCpu() && !wasFree)
    value = emit().toDevice(value, shapeOf(type), why);
  Val val = makeTensor(std::move(type), value);
  val.range = tensor.range;
  return val;
}

//===----------------------------------------------------------------------===//
// Factories
//===----------------------------------------------------------------------===//

std::pair<Place, SourceRange> Checker::ambientPlace() {
  if (withDevice)
    return {withDevice->as<DeviceInfo>().place, withDevice->range};
  for (size_t i = frames.size(); i-- != 0;) {
    if (frames[i].self)
      return {modelPlace(*frames[i].self), frames[i].self->moved};
    if (frames[i].sharedPlace)
      return {*frames[i].sharedPlace, frames[i].callRange};
    if (!frames[i].file->isPrelude)
      break;
  }
  return {};
}

std::pair<Place, SourceRange> Checker::factoryPlace(const Val *device,
                                                    SourceRange range) {
  if (!device || device->is(ValKind::None))
    return ambientPlace();
  std::optional<Val> known = asDevice(*device);
  if (!known) {
    if (!device->isError() && !device->is(ValKind::Str))
      error(DiagCode::TD303, device->range,
            "`device=` takes a device, not " + describe(*device));
    return {};
  }
  Place place = known->as<DeviceInfo>().place;
  checkDeviceExists(place, device->range);
  return {place, userRange(range)};
}
