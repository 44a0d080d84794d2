//===- Places.cpp - the devices of a program's values ---------------------===//
//
// A tensor is pinned to a place by the program, or free. A free one is moved to
// where it is needed; two pinned ones must be in one place. Where only the
// program moves tensors (`strict`, `off`), a free one is on the cpu.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

static bool isFree(const Place &place) {
  return place.kind == Place::Kind::Free;
}

bool Places::agree(const Place &lhs, const Place &rhs) const {
  if (lhs == rhs)
    return true;
  return freeIsCpu() ? isCpuOrFree(lhs) && isCpuOrFree(rhs)
                     : isFree(lhs) || isFree(rhs);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

std::optional<Place> Places::samePlace(llvm::MutableArrayRef<Val> operands,
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

bool Places::areBothCpu(const Place &lhs, const Place &rhs) const {
  return freeIsCpu() && isCpuOrFree(lhs) && isCpuOrFree(rhs);
}

Val Places::transfer(const Val &tensor, const Place &place, SourceRange placed,
                     Transfer why) {
  TensorType type = typeOf(tensor);
  type.place = place;
  Value value = c.emit().toDevice(tensor.value, c.tensors.shapeOf(type), why);
  Val val = makeTensor(std::move(type), value, placed);
  val.range = tensor.range;
  return val;
}

Val Places::bring(const Val &tensor, const Place &place, SourceRange placed,
                  Transfer why) {
  bool goes = !freeIsCpu() && isFree(typeOf(tensor).place) && !isFree(place);
  if (!goes)
    return tensor;
  warnBrought(tensor, place);
  Val val = transfer(tensor, place, placed, why);
  val.shareId = tensor.shareId;
  return val;
}

Val Places::bringHome(const Val &tensor) {
  return bring(tensor, getCpu(), {}, Transfer::Home);
}

Val Places::pin(const Val &tensor, const Place &place, SourceRange placed) {
  TensorType type = typeOf(tensor);
  if (placement != Placement::Optimize && type.place == place)
    return tensor;
  if (placement != Placement::Optimize && !freeIsCpu())
    return bring(tensor, place, placed);
  Value value = tensor.value;
  type.place = place;
  if (placement == Placement::Optimize)
    value = c.emit().toDevice(value, c.tensors.shapeOf(type), Transfer::Pinned);
  Val val = makeTensor(std::move(type), value, placed);
  val.range = tensor.range;
  val.shareId = tensor.shareId;
  return val;
}

Val Places::freed(const Val &tensor, Transfer why) {
  TensorType type = typeOf(tensor);
  bool wasFree = isFree(type.place);
  type.place = Place();
  Value value = tensor.value;
  if (!freeIsCpu() && !wasFree)
    value = c.emit().toDevice(value, c.tensors.shapeOf(type), why);
  Val val = makeTensor(std::move(type), value);
  val.range = tensor.range;
  val.shareId = tensor.shareId;
  return val;
}

//===----------------------------------------------------------------------===//
// Factories
//===----------------------------------------------------------------------===//

std::pair<Place, SourceRange> Places::ambientPlace() {
  if (const auto &device = c.devices.withDevice)
    return {device->as<DeviceInfo>().place, device->range};
  for (size_t i = c.frames.size(); i-- != 0;) {
    if (c.frames[i].self)
      return {modelPlace(*c.frames[i].self), c.frames[i].self->moved};
    if (c.frames[i].sharedPlace)
      return {*c.frames[i].sharedPlace, c.frames[i].callRange};
    if (!c.isPrelude(c.frames[i].file->id))
      break;
  }
  return {};
}

std::pair<Place, SourceRange> Places::factoryPlace(const Val *device,
                                                   SourceRange range) {
  if (!device || device->is(ValKind::None))
    return ambientPlace();
  std::optional<Val> known = c.devices.asDevice(*device);
  if (!known) {
    if (!device->isError() && !device->is(ValKind::Str))
      c.error(DiagCode::TD303, device->range,
              "`device=` takes a device, not " + describe(*device));
    return {};
  }
  Place place = known->as<DeviceInfo>().place;
  c.devices.checkDeviceExists(place, device->range);
  return {place, c.userRange(range)};
}
