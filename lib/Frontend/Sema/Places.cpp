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

static bool isCpu(const Place &place) {
  return isFree(place) || place.kind == Place::Kind::Cpu;
}

bool Checker::agree(const Place &lhs, const Place &rhs) const {
  if (lhs == rhs)
    return true;
  return freeIsCpu() ? isCpu(lhs) && isCpu(rhs) : isFree(lhs) || isFree(rhs);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Says what two operands in different places are and how to bring them
/// together: a cpu tensor goes to the other side; between two GPUs the author
/// decides.
static void reportPlaces(Checker &c, const Val &lhs, const Val &rhs,
                         SourceRange range) {
  const TensorType &a = typeOf(lhs), &b = typeOf(rhs);
  bool isSymbol = a.place.kind == Place::Kind::Symbol ||
                  b.place.kind == Place::Kind::Symbol;
  Diagnostic &report = isSymbol ? c.error(DiagCode::TD505, range,
                                          "`" + c.placeText(a.place) +
                                              "` and `" + c.placeText(b.place) +
                                              "` need not be the same device")
                                : c.error(DiagCode::TD501, range,
                                          "operands are on different devices");
  report.label("@" + c.placeText(a.place) + " and @" + c.placeText(b.place));
  for (const Val *val : {&lhs, &rhs}) {
    SourceRange placed = val->as<TensorInfo>().placed;
    bool isUsers = val->range.isValid() && !c.isPrelude(val->range.file);
    std::string name =
        isUsers ? "`" + c.text(val->range).str() + "`" : "one operand";
    std::string type = c.typeText(typeOf(*val));
    if (placed.isValid() && !c.isPrelude(placed.file))
      report.note(name.append(" is ").append(type).append(", placed here"),
                  placed);
    else
      report.note(name.append(" is ").append(type).append(
          ", never placed, so it is on the cpu"));
  }
  auto kind = isCpu(a.place) != isCpu(b.place) ? FixIt::Safe : FixIt::Choice;
  if (!isCpu(b.place))
    c.offerSuffix(report, lhs.range, ".to(" + c.placeText(b.place) + ")", kind);
  if (!isCpu(a.place))
    c.offerSuffix(report, rhs.range, ".to(" + c.placeText(a.place) + ")", kind);
}

std::optional<Place> Checker::samePlace(llvm::MutableArrayRef<Val> operands,
                                        SourceRange range) {
  const Val *pinned = nullptr;
  for (const Val &operand : operands)
    if (operand.is(ValKind::Tensor) && !isFree(typeOf(operand).place) &&
        (!pinned || isCpu(typeOf(*pinned).place)))
      pinned = &operand;
  if (!pinned)
    return Place();
  for (const Val &operand : operands)
    if (operand.is(ValKind::Tensor) &&
        !agree(typeOf(operand).place, typeOf(*pinned).place)) {
      bool isFirst = &operand < pinned;
      reportPlaces(*this, isFirst ? operand : *pinned,
                   isFirst ? *pinned : operand, range);
      return std::nullopt;
    }
  Place place = typeOf(*pinned).place;
  SourceRange placed = pinned->as<TensorInfo>().placed;
  for (Val &operand : operands)
    if (operand.is(ValKind::Tensor))
      operand = bring(operand, place, placed);
  return place;
}

Val Checker::bring(const Val &tensor, const Place &place, SourceRange placed) {
  TensorType type = typeOf(tensor);
  if (freeIsCpu() || !isFree(type.place) || isFree(place))
    return tensor;
  type.place = place;
  Value value = emit().toDevice(tensor.value, shapeOf(type), Transfer::Implied);
  Val val = makeTensor(std::move(type), value, placed);
  val.range = tensor.range;
  return val;
}

Val Checker::pin(const Val &tensor, const Place &place, SourceRange placed) {
  if (!freeIsCpu())
    return bring(tensor, place, placed);
  TensorType type = typeOf(tensor);
  type.place = place;
  Val val = makeTensor(std::move(type), tensor.value, placed);
  val.range = tensor.range;
  return val;
}

Val Checker::freed(const Val &tensor) {
  TensorType type = typeOf(tensor);
  bool wasFree = isFree(type.place);
  type.place = Place();
  Value value = tensor.value;
  if (!freeIsCpu() && !wasFree)
    value = emit().toDevice(value, shapeOf(type), Transfer::Implied);
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
