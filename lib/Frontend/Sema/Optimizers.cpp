//===- Optimizers.cpp - optimizers, their groups and slots ----------------===//
//
// Makes optimizers: finds their parameters and declares what is kept of each
// between steps. OptimizerKinds.cpp has the kinds, OptimizerSettings.cpp their
// settings, and OptimizerSteps.cpp the steps.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "OptimizerKinds.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// The slot of a moment.
static std::string declareMoment(Checker &c, const OptimizerInfo &optimizer,
                                 const ParameterGroup &group,
                                 const ParameterGroup::Leaf &leaf,
                                 const Moment &moment) {
  Val initial = moment.initialSetting.empty()
                    ? makeFloat(moment.initial)
                    : group.settings.lookup(moment.initialSetting);
  std::string key = leaf.path + "." + moment.name.str();
  if (moment.isNumber)
    return c.training.declareNumber(optimizer, key, initial, DType::F64);
  std::string slot = "opt." + optimizer.name + "." + key;
  c.places.declareNextTo(*leaf.parameter, slot, td::SlotKind::Moment, slot,
                         optimizer.name);
  if (!Training::isOff(initial)) {
    TensorType type = leaf.parameter->type;
    type.place = c.places.modelPlace(*leaf.parameter->owner);
    c.models.rawWrite(slot, c.tensors.fillTensor(initial, type).value);
  }
  return slot;
}

/// An element of `net.named_parameters()`.
static bool isNamedParameter(const Val &val) {
  return val.is(ValKind::Tuple) && elementsOf(val).size() == 2 &&
         elementsOf(val)[0].is(ValKind::Str);
}

bool Training::collectParameters(const Val &val, SourceRange range,
                                 std::vector<NamedSlot> &slots) {
  if (val.is(ValKind::Model)) {
    c.models.collectSlots(val, "", slots);
    return true;
  }
  if (isNamedParameter(val))
    return collectParameters(elementsOf(val)[1], range, slots);
  if (val.is(ValKind::List) || val.is(ValKind::Tuple))
    return llvm::all_of(elementsOf(val), [&](const Val &element) {
      return collectParameters(element, range, slots);
    });
  std::shared_ptr<Slot> slot =
      val.is(ValKind::Tensor) ? val.as<TensorInfo>().state : nullptr;
  if (slot && slot->kind == td::SlotKind::Param) {
    c.models.ensureSlotNamed(*slot);
    slots.push_back({slot->name, slot.get(), {}});
    return true;
  }
  if (!val.isError())
    c.error(DiagCode::TD603, val.range.isValid() ? val.range : range,
            "an optimizer takes models and their parameters, not " +
                describe(val))
        .note("as in `SGD(model.parameters(), lr=…)` or `Adam([group(a, "
              "lr=…), group(b, lr=…)])`; a model declares its parameters: "
              "`param w: f32[3] = zeros(3)`");
  return false;
}

/// Of several models, their parameters have the names of the whole state: the
/// name of the model, and its own name for them. What all have in common at the
/// front, up to a dot, is left out.
static void nameInWhole(Checker &c, std::vector<NamedSlot> &slots) {
  // A part that replaced another has slots with names of their own.
  llvm::DenseMap<const Slot *, std::string> names;
  for (const auto &model : c.models.all)
    if (!model->adopted && !model->name.empty())
      for (const NamedSlot &named : c.models.slotsOf(model))
        names.try_emplace(named.slot, model->name + "." + named.key);
  for (NamedSlot &named : slots) {
    c.models.ensureSlotNamed(*named.slot);
    auto known = names.find(named.slot);
    // What is after a colon is not part of the name (Models::castState).
    named.key = known != names.end()
                    ? known->second
                    : llvm::StringRef(named.slot->name).split(':').first.str();
  }
  auto rootOf = [](const NamedSlot &named) {
    return llvm::StringRef(named.key).split('.').first;
  };
  bool haveOneRoot = llvm::all_of(slots, [&](const NamedSlot &named) {
    return rootOf(named) == rootOf(slots.front());
  });
  if (haveOneRoot)
    for (NamedSlot &named : slots)
      named.key = llvm::StringRef(named.key).split('.').second.str();
}

bool Training::addLeaves(OptimizerInfo &info, SourceRange range) {
  std::vector<NamedSlot> slots;
  std::vector<size_t> ends;
  for (auto &group : info.groups) {
    // Each on its own: a parameter of two groups must not count as tied.
    std::vector<NamedSlot> own;
    if (!collectParameters(group->parameters, range, own))
      return false;
    llvm::append_range(slots, own);
    ends.push_back(slots.size());
  }
  if (info.groups.size() != 1 || !info.groups[0]->parameters.is(ValKind::Model))
    nameInWhole(c, slots);
  llvm::DenseSet<const Slot *> seen;
  for (auto [i, named] : llvm::enumerate(slots)) {
    size_t group = llvm::upper_bound(ends, i) - ends.begin();
    if (!seen.insert(named.slot).second) {
      bool isInOne = info.groups.size() == 1;
      c.error(
          DiagCode::TD603, range,
          "`" + shownName(named.key) +
              (isInOne ? "` is given twice" : "` is in more than one group"));
      return false;
    }
    bool mayLearn = unfreezes && named.slot->kind == td::SlotKind::Param;
    if (mayLearn || c.models.isLearned(*named.slot, range))
      addLeaf(info, *info.groups[group], named, range);
  }
  return true;
}

void Training::addLeaf(OptimizerInfo &info, ParameterGroup &group,
                       const NamedSlot &named, SourceRange range) {
  Slot &slot = *named.slot;
  c.models.ensureSlotNamed(slot);
  c.models.useSlot(slot, "given to an optimizer", range);
  if (info.kind->onlyMatrices && slot.type.dims.size() != 2)
    c.error(DiagCode::TD222, range,
            "`" + info.kind->name + "` takes parameters of 2 dims only")
        .label("`" + named.key + "` is " + typeText(slot.type))
        .note("give the others to a second optimizer, for example `AdamW`");
  ParameterGroup::Leaf leaf{&slot, named.key, {}, ""};
  for (const Moment &moment : info.kind->moments) {
    bool isNeeded = moment.neededBy.empty() ||
                    !isOff(group.settings.lookup(moment.neededBy));
    leaf.moments.push_back(
        isNeeded ? declareMoment(c, info, group, leaf, moment) : "");
  }
  if (!info.kind->rates.empty())
    leaf.missedSlot =
        declareNumber(info, named.key + ".missed", makeInt(0), DType::I64);
  group.leaves.push_back(std::move(leaf));
}

void Training::addMoments(ParameterGroup &group, llvm::StringRef setting) {
  const OptimizerInfo &optimizer = *group.optimizer;
  for (ParameterGroup::Leaf &leaf : group.leaves)
    for (auto [moment, slot] :
         llvm::zip_equal(optimizer.kind->moments, leaf.moments))
      if (moment.neededBy == setting && slot.empty())
        slot = declareMoment(c, optimizer, group, leaf, moment);
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

Val Training::buildGroup(const Bound &args) {
  auto group = std::make_shared<ParameterGroup>();
  group->parameters = args["params"];
  for (auto &[name, val] : args.named)
    if (name != "params")
      group->settings[name] = val;
  Val val = makeVal(ValKind::ParameterGroup);
  val.data = std::move(group);
  return val;
}

/// The groups that an optimizer is given: those of a list, or all that it is
/// given as one.
static std::vector<std::shared_ptr<ParameterGroup>> groupsOf(const Val &given) {
  std::vector<std::shared_ptr<ParameterGroup>> groups;
  bool isList = given.is(ValKind::List) || given.is(ValKind::Tuple);
  if (isList && llvm::any_of(elementsOf(given), [](const Val &element) {
        return element.is(ValKind::ParameterGroup);
      })) {
    for (const Val &element : elementsOf(given)) {
      // A group may be part of two optimizers.
      auto group = std::make_shared<ParameterGroup>();
      if (element.is(ValKind::ParameterGroup))
        *group = element.as<ParameterGroup>();
      else
        group->parameters = element;
      groups.push_back(std::move(group));
    }
    return groups;
  }
  groups.push_back(std::make_shared<ParameterGroup>());
  groups.back()->parameters = given;
  return groups;
}

/// Why a group without leaves has none.
static llvm::StringLiteral whyNothing(Checker &c, const ParameterGroup &group) {
  std::vector<NamedSlot> slots;
  c.training.collectParameters(group.parameters, c.here, slots);
  bool any = llvm::any_of(slots, [](const NamedSlot &named) {
    return named.slot->kind == td::SlotKind::Param;
  });
  return any ? llvm::StringLiteral(" has only frozen parameters")
             : llvm::StringLiteral(" has no parameters");
}

Val Training::buildOptimizer(const Bound &args) {
  const Val &given = args["params"];
  if (given.isError())
    return c.fail();
  if ((c.isInsideRunTimeRegion() || c.calls.exporting) && !c.isWalkedAside()) {
    c.models.reportMadeOnce("an optimizer", args.range());
    return c.fail();
  }
  auto info = std::make_shared<OptimizerInfo>();
  info->made = args.range();
  info->kind = &getOptimizerKind(args.name);
  info->groups = groupsOf(given);
  info->name = c.models.uniqueName(
      c.models.nameHint.empty() ? "optimizer" : c.models.nameHint);
  for (auto &group : info->groups)
    if (!completeSettings(*info->kind, *group, args))
      return c.fail();
  if (!addLeaves(*info, args.range()))
    return c.fail();
  if (!info->kind->rates.empty())
    info->stepSlot = declareNumber(*info, "step", makeInt(0), DType::I64);
  for (auto [i, group] : llvm::enumerate(info->groups)) {
    if (group->leaves.empty()) {
      c.error(DiagCode::TD603, args.range(), "the model has nothing to learn")
          .label(describe(group->parameters) + whyNothing(c, *group));
      return c.fail();
    }
    group->optimizer = info.get();
    group->index = i;
    keepInSlots(*group, "lr", group->settings["lr"]);
  }
  optimizers.push_back(info);
  Val val = makeVal(ValKind::Optimizer);
  val.data = std::move(info);
  return val;
}

//===----------------------------------------------------------------------===//
// Files and devices
//===----------------------------------------------------------------------===//

std::vector<std::string> Training::tensorsOf(const OptimizerInfo &optimizer,
                                             const Slot &parameter) const {
  std::vector<std::string> slots;
  for (const ParameterGroup::Leaf *leaf : optimizer.leaves())
    for (auto [slot, moment] :
         llvm::zip(leaf->moments, optimizer.kind->moments))
      if (leaf->parameter == &parameter && !slot.empty() && !moment.isNumber)
        slots.push_back(slot);
  return slots;
}

void Training::addToCheckpoint(Emitter::Checkpoint &checkpoint,
                               const OptimizerInfo &optimizer,
                               llvm::StringRef name) {
  std::string prefix = ("opt." + name + ".").str();
  auto add = [&](const std::string &slot, const llvm::Twine &key) {
    if (slot.empty())
      return;
    checkpoint.slots.push_back(slot);
    checkpoint.keys.push_back(prefix + key.str());
  };
  add(optimizer.stepSlot, "step");
  for (const auto &group : optimizer.groups) {
    for (auto &[setting, numbers] : group->slots)
      for (const std::string &slot : numbers)
        add(slot, llvm::StringRef(slot).drop_front(
                      ("opt." + optimizer.name + ".").size()));
    for (const ParameterGroup::Leaf &leaf : group->leaves) {
      add(leaf.missedSlot, leaf.path + ".missed");
      for (auto [slot, moment] :
           llvm::zip(leaf.moments, optimizer.kind->moments))
        add(slot, leaf.path + "." + moment.name);
    }
  }
}
