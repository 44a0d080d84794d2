//===- Slots.cpp - the state of models ------------------------------------===//
//
// A slot's name is the instance's name and the path of fields; its key in files
// is the path alone, as in PyTorch's state_dict.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

/// Calls `visit` for each slot below a value, with its path, in which the
/// `module` of a DataParallel has no name. A layer that is used twice has two
/// paths; `left` counts down, and at 0 the walk ends.
static void
forEachSlot(const Val &val, const std::string &path, size_t &left,
            llvm::function_ref<void(const std::string &, Slot &)> visit) {
  if (left == 0)
    return;
  --left;
  if (val.is(ValKind::List) || val.is(ValKind::Tuple)) {
    for (auto [i, element] : llvm::enumerate(elementsOf(val)))
      forEachSlot(element, path + "." + std::to_string(i), left, visit);
    return;
  }
  if (!val.is(ValKind::Model))
    return;
  // As in PyTorch, a model's own tensors come before those of its parts.
  auto &model = val.as<ModelInstance>();
  auto &members = model.members;
  auto pathOf = [&](const ModelInstance::Member &member) {
    if (model.native == NativeModel::DataParallel)
      return path;
    return path.empty() ? member.name : path + "." + member.name;
  };
  for (auto &member : members)
    if (member.slot)
      visit(pathOf(member), *member.slot);
  for (auto &member : members)
    if (!member.slot)
      forEachSlot(member.val, pathOf(member), left, visit);
}

void Models::collectSlots(const Val &model, llvm::StringRef prefix,
                          std::vector<NamedSlot> &slots) {
  llvm::DenseMap<const Slot *, size_t> known;
  for (auto [i, named] : llvm::enumerate(slots))
    known[named.slot] = i;
  size_t left = c.getMostParts();
  forEachSlot(model, prefix.str(), left,
              [&](const std::string &path, Slot &slot) {
                // A tied parameter, or a layer that is used twice, has one
                // state under its first name.
                auto [found, isNew] = known.try_emplace(&slot, slots.size());
                if (isNew)
                  slots.push_back({path, &slot, {}});
                else
                  slots[found->second].aliases.push_back(path);
              });
  if (left == 0)
    c.reportExtent(
        c.here, "the parts of this model have more than 1,000,000 names: "
                "parts that are used twice contain parts that are used twice");
}

void Models::addToCheckpoint(Emitter::Checkpoint &checkpoint,
                             llvm::ArrayRef<NamedSlot> slots,
                             llvm::StringRef use) {
  for (const NamedSlot &named : slots) {
    ensureSlotNamed(*named.slot);
    useSlot(*named.slot, use, c.here);
    if (use != "saved")
      c.sharing.change(*named.slot, c.userRange(c.here));
    checkpoint.slots.push_back(named.slot->name);
    checkpoint.keys.push_back(named.key);
    for (const std::string &alias : named.aliases)
      checkpoint.aliases.emplace_back(alias, named.key);
  }
}

std::vector<NamedSlot>
Models::slotsOf(const std::shared_ptr<ModelInstance> &model) {
  Val val = makeVal(ValKind::Model);
  val.data = model;
  std::vector<NamedSlot> slots;
  collectSlots(val, "", slots);
  return slots;
}

void Models::nameRoot(ModelInstance &model, llvm::StringRef wanted) {
  if (!model.name.empty())
    return;
  // A DataParallel has the state of its part, and the part's name.
  if (model.native == NativeModel::DataParallel) {
    auto &module = model.members[0].val.as<ModelInstance>();
    if (!module.adopted)
      nameRoot(module, wanted);
    model.name = module.name;
    return;
  }
  // The names of other slots begin with these words.
  bool reserved = wanted == "grad" || wanted == "opt" || wanted == "loader";
  model.name = uniqueName(reserved ? wanted.str() + "_" : wanted.str());
  auto known = llvm::find_if(
      all, [&](const auto &other) { return other.get() == &model; });
  if (known == all.end())
    return;
  for (NamedSlot &named : slotsOf(*known)) {
    Slot &slot = *named.slot;
    if (!slot.name.empty())
      continue;
    slot.name = model.name + "." + named.key;
    declareSlot(slot, named.key, model.name);
  }
}

void Models::nameModels(const Val &val, llvm::StringRef name) {
  if (val.is(ValKind::Model)) {
    auto &model = val.as<ModelInstance>();
    if (!model.adopted)
      nameRoot(model, name);
    return;
  }
  if (val.is(ValKind::Optimizer) || val.is(ValKind::ParameterGroup) ||
      val.is(ValKind::Loader))
    return;
  if (val.is(ValKind::Tuple) || val.is(ValKind::List))
    for (const Val &element : elementsOf(val))
      nameModels(element, name);
}

void Models::nameAllModels() {
  if (c.isWalkedAside() || !building.empty())
    return;
  for (; namedModels < all.size(); ++namedModels)
    if (!all[namedModels]->adopted)
      nameRoot(*all[namedModels], nameHint.empty() ? "model" : nameHint);
}

void Models::ensureSlotNamed(Slot &slot) {
  if (!slot.name.empty())
    return;
  // The root that holds the slot: the last model made that has it.
  for (auto root = all.rbegin(); root != all.rend(); ++root) {
    if ((*root)->adopted || !(*root)->name.empty())
      continue;
    for (NamedSlot &named : slotsOf(*root))
      if (named.slot == &slot)
        nameRoot(**root, nameHint.empty() ? "model" : nameHint);
  }
  if (!slot.name.empty())
    return;
  // A part is used while its model is still being made.
  if (!building.empty() && c.isInsideRunTimeRegion())
    c.unsupported(c.here,
                  "a change of a model's tensor in a loop or under a condition "
                  "of the running program, while the model is made",
                  "a method that is called after it is made");
  slot.name = uniqueName("part") + "." + slot.owner->typeName;
  declareSlot(slot, slot.name, slot.name);
}

TensorShape Models::slotShape(const TensorType &type) {
  TensorShape shape = c.tensors.shapeOf(type);
  shape.place = Place();
  return shape;
}

void Models::declareSlot(Slot &slot, llvm::StringRef key,
                         llvm::StringRef instance) {
  c.emit().declareSlot(slot.name, slot.kind, key, instance,
                       slot.isHostNumber ? c.tensors.shapeOf(slot.type)
                                         : slotShape(slot.type));
  if (slot.initial)
    rawWrite(slot.name, slot.initial);
  slot.written = slot.initial;
  slot.initial = Value();
  if (slot.isHostNumber)
    return;
  // The model may have moved while the slot had no name.
  TensorType there = slot.type;
  there.place = slot.owner->place;
  if (c.tensors.shapeOf(there).place != c.tensors.shapeOf(slot.type).place)
    c.places.moveSlot(slot, there.place,
                      c.places.placement == Placement::Off ? Transfer::Kept
                                                           : Transfer::Written);
}

void Models::useSlot(Slot &slot, llvm::StringRef use, SourceRange range) {
  if (!slot.used.empty())
    return;
  slot.use = use;
  for (const Frame &frame : c.frames)
    slot.used.push_back(c.userRange(frame.callRange));
  slot.used.push_back(c.userRange(range));
}

Val Models::readSlot(Slot &slot, SourceRange range) {
  if (std::optional<Val> replica = c.dataParallel.read(slot))
    return *replica;
  TensorType type = slot.type;
  if (!slot.isHostNumber)
    type.place = c.places.modelPlace(*slot.owner);
  // A part of a model that is being made has the value that it will start with.
  Value value = slot.initial;
  if (!value || building.empty() || !slot.name.empty()) {
    ensureSlotNamed(slot);
    Value &cached = readCache[slot.name];
    if (!cached)
      cached = c.emit().read(slot.name, c.tensors.shapeOf(type));
    value = cached;
    useSlot(slot, "read", range);
  }
  Val val = makeTensor(std::move(type), value, slot.owner->moved);
  val.as<TensorInfo>().state = slot.shared_from_this();
  val.shareId = c.sharing.read(slot, range);
  return val;
}

llvm::StringRef sema::shownName(llvm::StringRef slot) {
  slot = slot.split(':').first;
  auto [root, member] = slot.split('.');
  return root == member ? member : slot;
}

void Models::rawWrite(llvm::StringRef slot, Value value) {
  readCache.erase(slot);
  c.emit().write(slot, value);
}

void Models::writeSlot(Slot &slot, const Val &val, Write how) {
  if (c.dataParallel.write(slot, val))
    return;
  if (how == Write::InPlace)
    c.sharing.change(slot, c.userRange(c.here));
  // A part of a model that is being made gets its name with the whole.
  if (slot.name.empty() && !building.empty() && !c.isInsideRunTimeRegion() &&
      (slot.isHostNumber || typeOf(val).place.kind == Place::Kind::Free)) {
    slot.initial = val.value;
    return;
  }
  ensureSlotNamed(slot);
  rawWrite(slot.name, val.value);
  slot.written = c.isInsideRunTimeRegion() ? Value() : val.value;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

void Models::setMode(ModelInstance &model, ModelState::Mode mode) {
  forEachModel(model, [&](ModelInstance &part) {
    part.mode = mode;
    part.modeSetInIteration = c.control.iterations;
  });
}

bool Models::isTraining(const Val &val, SourceRange range, bool &training) {
  auto &model = val.as<ModelInstance>();
  for (LoopRecord &loop : c.control.loopsSince(model.modeSetInIteration))
    loop.modeUses.try_emplace(&model, c.userRange(range));
  if (model.mode == ModelState::Unknown) {
    c.unsupported(range, "a model that may be in train or in eval mode here "
                         "(call `.train()` or `.eval()` first)");
    return false;
  }
  training = model.mode == ModelState::Train;
  return true;
}

void Models::setLearning(ModelInstance &model, ModelState::Learning learning) {
  ++learningCalls;
  forEachModel(model, [&](ModelInstance &part) {
    part.learning = learning;
    part.learningSetAt = learningCalls;
    part.ownLearning.clear();
    part.learningSetInIteration = c.control.iterations;
  });
}

void Models::setLearning(Slot &slot, ModelState::Learning learning) {
  ++learningCalls;
  // The iteration stays that of the last call for the whole model: a loop that
  // sets only some parameters still depends on those that it does not set.
  for (ModelInstance *holder : slot.holders)
    holder->ownLearning[&slot] = {learning, learningCalls};
}

std::pair<ModelState::Learning, unsigned>
sema::learningOf(const ModelState &model, const Slot *slot) {
  auto own = model.ownLearning.find(slot);
  return own == model.ownLearning.end()
             ? std::make_pair(model.learning, model.learningSetAt)
             : own->second;
}

bool Models::isLearned(const Slot &slot, SourceRange range) {
  if (slot.kind != td::SlotKind::Param)
    return false;
  for (const ModelInstance *holder : slot.holders)
    for (LoopRecord &loop :
         c.control.loopsSince(holder->learningSetInIteration))
      loop.learningUses.try_emplace(holder, c.userRange(range));
  // A tied parameter is as the last call left it, under any of its names.
  std::pair<ModelState::Learning, unsigned> last{ModelState::Learned, 0};
  for (const ModelInstance *holder : slot.holders)
    if (auto own = learningOf(*holder, &slot);
        holder == slot.holders.front() || own.second > last.second)
      last = own;
  if (last.first == ModelState::Either)
    c.unsupported(range,
                  "a model that is frozen on one path to this point only "
                  "(call `.freeze()` or `.unfreeze()` first)");
  return last.first != ModelState::Frozen;
}
