//===- Moves.cpp - moving tensors and models ------------------------------===//
//
// `.to` of a tensor gives a new tensor. `.to` of a model moves the model with
// its gradients and the moments of optimizers that hold it.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include <functional>

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Val Places::moveTensor(const Val &tensor, const Val &device,
                       SourceRange range) {
  const Place &place = device.as<DeviceInfo>().place;
  c.devices.checkDeviceExists(place,
                              device.range.isValid() ? device.range : range);
  TensorType type = typeOf(tensor);
  if (place.kind == Place::Kind::Free || type.place == place)
    return tensor;
  TensorShape before = c.tensors.shapeOf(type);
  type.place = place;
  TensorShape after = c.tensors.shapeOf(type);
  Value value = tensor.value;
  if (before.place != after.place)
    value = c.emit().toDevice(value, after,
                              placement == Placement::Off ? Transfer::Kept
                                                          : Transfer::Written);
  Val val = makeTensor(std::move(type), value, c.userRange(range));
  // On the same device it is the same tensor, and the machine decides where the
  // other places are.
  if (before.place.kind != Place::Kind::Cuda &&
      after.place.kind != Place::Kind::Cuda)
    val.shareId = tensor.shareId;
  return val;
}

bool Places::addDestination(const Val &val, Destination &to) {
  if (val.is(ValKind::DType)) {
    to.dtype = val.as<DTypeInfo>().dtype;
  } else if (val.is(ValKind::Builtin)) {
    // `int`, `float` and `bool` are functions as values and dtypes here.
    to.dtype = Types::dtypeFromName(val.as<BuiltinInfo>().builtin->name);
  } else if (val.is(ValKind::Tensor)) {
    to.dtype = typeOf(val).dtype;
    to.device = deviceOf(val);
  } else if (val.is(ValKind::Device) || val.is(ValKind::Str)) {
    if (to.device) {
      c.error(DiagCode::TD205, val.range, "`.to` takes one device");
      return false;
    }
    to.device = c.devices.asDevice(val);
    return to.device.has_value();
  } else {
    c.error(DiagCode::TD303, val.range,
            "`.to` takes a device, a dtype or a tensor, not " + describe(val));
    return false;
  }
  if (!to.dtype && !to.device)
    c.error(DiagCode::TD303, val.range, "`.to` takes a device or a dtype");
  return to.dtype || to.device;
}

std::optional<Places::Destination>
Places::takeDestination(llvm::ArrayRef<Val> positional,
                        llvm::ArrayRef<CallArgs::Keyword> keywords,
                        SourceRange range) {
  Destination to;
  unsigned flags = 0;
  for (const Val &val : positional) {
    // `non_blocking` and `copy`, as the keywords below.
    bool isFlag = val.is(ValKind::Bool) && (to.dtype || to.device);
    if (isFlag && ++flags <= 2)
      continue;
    if (!addDestination(val, to))
      return std::nullopt;
  }
  for (const CallArgs::Keyword &keyword : keywords) {
    // The schedule overlaps copies anyway, and no tensors share their elements.
    if (keyword.name.text == "non_blocking" || keyword.name.text == "copy")
      continue;
    if (keyword.name.text != "device" && keyword.name.text != "dtype") {
      c.error(DiagCode::TD205, keyword.name.range,
              "`.to` has no parameter `" + keyword.name.text + "`");
      return std::nullopt;
    }
    if (!addDestination(keyword.val, to))
      return std::nullopt;
  }
  if (to.device || to.dtype)
    return to;
  c.error(DiagCode::TD205, range, "`.to` needs a device or a dtype");
  return std::nullopt;
}

Val Places::moveTo(const Val &base, const Destination &to, SourceRange range) {
  if (base.is(ValKind::Tuple) || base.is(ValKind::List)) {
    Vals moved;
    for (const Val &element : elementsOf(base)) {
      moved.push_back(moveTo(element, to, range));
      if (moved.back().isError())
        return c.fail();
    }
    return makeSequence(base.kind, std::move(moved));
  }
  if (!c.tensors.isTensor(base, range, "`.to`"))
    return c.fail();
  Val result = to.dtype ? c.tensors.castTo(base, *to.dtype) : base;
  return to.device ? moveTensor(result, *to.device, range) : result;
}

Val Places::deviceOf(const Val &tensor) {
  Place place = typeOf(tensor).place;
  if (place.kind == Place::Kind::Free && freeIsCpu())
    place.kind = Place::Kind::Cpu;
  return makeDevice(place, tensor.as<TensorInfo>().placed);
}

std::optional<Place> Places::chosenPlace(const Val &device) {
  Place place = c.devices.asDevice(device)->as<DeviceInfo>().place;
  if (place.kind != Place::Kind::Free)
    return c.devices.resolvePlace(place);
  // If the machine has one device, everything is on it.
  if (freeIsCpu() || c.options.countCudaDevices() == 0)
    return getCpu();
  c.unsupported(device.range.isValid() ? device.range : c.here,
                "asking for the device of a value that the program never "
                "placed (give it a place: `.to(…)`)");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

void sema::forEachModel(ModelInstance &model,
                        llvm::function_ref<void(ModelInstance &)> visit) {
  llvm::DenseSet<ModelInstance *> seen;
  std::function<void(ModelInstance &)> enter;
  std::function<void(const Val &)> descend = [&](const Val &val) {
    if (val.is(ValKind::Model))
      enter(val.as<ModelInstance>());
    else if (val.is(ValKind::List) || val.is(ValKind::Tuple))
      for (const Val &element : elementsOf(val))
        descend(element);
  };
  enter = [&](ModelInstance &part) {
    if (!seen.insert(&part).second)
      return;
    visit(part);
    for (auto &member : part.members)
      descend(member.val);
  };
  enter(model);
}

/// Offers to move a model on a line of its own above its use.
static void offerMoveAbove(Checker &c, Diagnostic &report,
                           llvm::StringRef model, SourceRange use,
                           llvm::ArrayRef<std::string> places) {
  Binding *binding = c.scopes.lookup(model);
  if (!binding || !binding->val.is(ValKind::Model) || c.isPrelude(use.file)) {
    report.note("move it before it is used: `" + model + ".to(…)`");
    return;
  }
  for (const std::string &place : places) {
    std::string move = (model + ".to(" + place + ")").str();
    report.fix(FixIt::Choice, "`" + move + "`, above",
               {c.insertAbove(use, move)});
  }
}

Place Places::modelPlace(const ModelInstance &model) {
  if (std::optional<Place> replica = c.dataParallel.placeOf(model))
    return *replica;
  for (LoopRecord &loop : c.control.loopsSince(model.placedInIteration))
    loop.placeUses.try_emplace(&model, c.userRange(c.here));
  if (model.otherwise && model.place != *model.otherwise) {
    std::string name = model.name.empty() ? model.typeName : model.name;
    Diagnostic &report = c.error(DiagCode::TD508, c.here,
                                 "`" + name + "` ends on different devices");
    report
        .label("@" + placeText(model.place) + " on one path to this point, @" +
               placeText(*model.otherwise) + " on another")
        .note("it was moved here", model.moved);
    offerMoveAbove(c, report, name, c.here,
                   {placeText(model.place), placeText(*model.otherwise)});
  }
  return model.place;
}

/// Whether these models, and those that share tensors with them, can move to a
/// place; reports if not.
static bool canMove(Checker &c, const Places::Models &parts, const Place &place,
                    SourceRange range) {
  for (const ModelInstance *part : parts)
    for (const auto &member : part->members)
      for (const ModelInstance *holder :
           member.slot ? llvm::ArrayRef(member.slot->holders)
                       : llvm::ArrayRef<ModelInstance *>()) {
        if (parts.contains(const_cast<ModelInstance *>(holder)) ||
            c.places.agree(holder->place, place))
          continue;
        c.error(DiagCode::TD218, range,
                "`" + member.name + "` is tied to a tensor on another device")
            .label("would be @" + placeText(place) + ", the other is @" +
                   placeText(holder->place))
            .note("the other was moved here", holder->moved)
            .note("move the model that holds both");
        return false;
      }
  return true;
}

void Places::moveModel(ModelInstance &model, const Val &device,
                       SourceRange range, Transfer transfer) {
  const Place &place = device.as<DeviceInfo>().place;
  c.devices.checkDeviceExists(place,
                              device.range.isValid() ? device.range : range);
  if (place.kind == Place::Kind::Free)
    return;
  Models parts;
  forEachModel(model, [&](ModelInstance &part) { parts.insert(&part); });
  if (placement == Placement::Off)
    transfer = Transfer::Kept;
  if (canMove(c, parts, place, range))
    moveParts(std::move(parts), place, c.userRange(range), transfer);
}

void Places::moveParts(Models parts, const Place &place, SourceRange moved,
                       Transfer transfer) {
  for (size_t i = 0; i != parts.size(); ++i) { // it grows
    movePart(*parts[i], place, moved, transfer);
    for (auto &member : parts[i]->members)
      if (member.slot)
        parts.insert(member.slot->holders.begin(), member.slot->holders.end());
  }
}

void Places::movePart(ModelInstance &model, const Place &place,
                      SourceRange moved, Transfer transfer) {
  if (place.kind == Place::Kind::Symbol)
    c.devices.declareSymbol(place.symbol);
  // In a loop it may be elsewhere in the next iteration.
  bool isThere =
      model.place == place && !model.otherwise && c.control.loops.empty();
  model.place = place;
  model.otherwise.reset();
  model.moved = moved;
  model.placedInIteration = c.control.iterations;
  for (auto &member : model.members)
    if (member.slot && member.slot->owner == &model && !isThere &&
        !member.slot->name.empty() && !member.slot->isHostNumber)
      moveSlot(*member.slot, place, transfer);
  c.models.forgetReads();
}

void Places::moveSlot(Slot &slot, const Place &place, Transfer transfer) {
  c.emit().moveSlot(slot.name, place, transfer);
  // Gradients and moments move with their parameter. Moments that no step has
  // used yet are zeros on any device.
  bool isKept = placement == Placement::Off;
  if (!slot.gradName.empty())
    c.emit().moveSlot(slot.gradName, place,
                      isKept ? Transfer::Kept : Transfer::Implied);
  for (const auto &optimizer : c.training.optimizers)
    for (const std::string &moment : c.training.tensorsOf(*optimizer, slot))
      c.emit().moveSlot(moment, place,
                        isKept && optimizer->hasStepped ? Transfer::Kept
                                                        : Transfer::Implied);
}

void Places::declareNextTo(Slot &slot, llvm::StringRef name, td::SlotKind kind,
                           llvm::StringRef key, llvm::StringRef instance) {
  c.emit().declareSlot(name, kind, key, instance,
                       c.models.slotShape(slot.type));
  Place place = modelPlace(*slot.owner);
  if (place.kind != Place::Kind::Free)
    c.emit().moveSlot(name, place, Transfer::Implied);
}
