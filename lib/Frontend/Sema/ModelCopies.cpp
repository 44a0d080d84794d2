//===- ModelCopies.cpp - copies of models and of their state --------------===//
//
// `clone(net)` makes a model like `net`, with tensors of its own that have the
// current values. `b.load_state_dict(a.state_dict())` copies the values.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// Copies a model with its parts; what occurs twice in it is copied once.
class ModelCopier {
public:
  ModelCopier(Checker &c, SourceRange range) : c(c), range(range) {}
  /// `isPart`: of a model that is copied.
  Val copy(const Val &val, bool isPart = false);
  std::vector<std::shared_ptr<ModelInstance>> made; ///< parts first

private:
  std::shared_ptr<ModelInstance> copyModel(const ModelInstance &model);
  std::shared_ptr<Slot> copySlot(Slot &slot);

  Checker &c;
  SourceRange range;
  llvm::DenseMap<const void *, std::shared_ptr<ModelInstance>> models;
  llvm::DenseMap<const Slot *, std::shared_ptr<Slot>> slots;
};
} // namespace

std::shared_ptr<Slot> ModelCopier::copySlot(Slot &slot) {
  std::shared_ptr<Slot> &known = slots[&slot];
  if (known)
    return known;
  known = std::make_shared<Slot>();
  known->kind = slot.kind;
  known->type = slot.type;
  known->declared = slot.declared;
  known->isHostNumber = slot.isHostNumber;
  Val value = c.models.readSlot(slot, range);
  if (!slot.isHostNumber)
    value = c.places.freed(c.training.stopGradient(value), Transfer::Implied);
  known->initial = value.value;
  return known;
}

std::shared_ptr<ModelInstance>
ModelCopier::copyModel(const ModelInstance &model) {
  if (auto known = models.lookup(&model))
    return known;
  std::shared_ptr<ModelInstance> result = c.models.makeModel();
  models[&model] = result;
  static_cast<ModelState &>(*result) = model;
  result->ownLearning.clear();
  result->decl = model.decl;
  result->file = model.file;
  result->native = model.native;
  result->typeName = model.typeName;
  result->made = c.userRange(range);
  for (const auto &entry : model.config)
    result->config[entry.first()] = copy(entry.second, /*isPart=*/true);
  // The module of a DataParallel stays a model of its own.
  bool hasParts = model.native != NativeModel::DataParallel;
  for (const ModelInstance::Member &member : model.members) {
    if (!member.slot) {
      Val val = copy(member.val, hasParts);
      result->add(member.name).val = std::move(val);
      continue;
    }
    std::shared_ptr<Slot> slot = copySlot(*member.slot);
    if (!slot->owner)
      slot->owner = result.get();
    slot->holders.push_back(result.get());
    if (auto own = model.ownLearning.find(member.slot.get());
        own != model.ownLearning.end())
      result->ownLearning[slot.get()] = own->second;
    result->add(member.name).slot = std::move(slot);
  }
  made.push_back(result);
  return result;
}

Val ModelCopier::copy(const Val &val, bool isPart) {
  if (val.is(ValKind::Model)) {
    Val result = val;
    result.data = copyModel(val.as<ModelInstance>());
    result.as<ModelInstance>().adopted |= isPart;
    return result;
  }
  if (val.is(ValKind::List) || val.is(ValKind::Tuple)) {
    Vals elements;
    for (const Val &element : elementsOf(val))
      elements.push_back(copy(element, isPart));
    return makeSequence(val.kind, std::move(elements));
  }
  // A method of the model, kept in a field, becomes one of the copy.
  if (val.is(ValKind::Function) && !val.known && val.as<FunctionInfo>().self) {
    auto info = std::make_shared<FunctionInfo>(val.as<FunctionInfo>());
    info->self = copyModel(*info->self);
    Val result = val;
    result.data = std::move(info);
    return result;
  }
  return val;
}

Val Models::clone(const Val &model, SourceRange range) {
  if (c.isInsideRunTimeRegion() && !c.isWalkedAside()) {
    reportMadeOnce("a model", range)
        .note("make the copy before, and copy the values here: "
              "`copy.load_state_dict(net.state_dict())`");
    return c.fail();
  }
  if (llvm::is_contained(building, &model.as<ModelInstance>())) {
    c.error(DiagCode::TD220, range,
            "a model cannot be copied while it is made");
    return c.fail();
  }
  ModelCopier copier(c, range);
  Val result = copier.copy(model);
  result.known = false;
  llvm::append_range(all, copier.made);
  return result;
}

Val Models::loadState(const Val &target, CallArgs &args) {
  bool isStrict = true;
  for (const auto &keyword : args.keywords) {
    auto flag = keyword.name.text == "strict"
                    ? c.host.requireBool(keyword.val, "`strict`")
                    : std::nullopt;
    if (!flag) {
      if (keyword.name.text != "strict")
        c.error(DiagCode::TD205, keyword.name.range,
                "`load_state_dict` has no parameter `" + keyword.name.text +
                    "`");
      return c.fail();
    }
    isStrict = *flag;
  }
  if (args.positional.size() != 1 || !args.positional[0].is(ValKind::State)) {
    c.error(DiagCode::TD303, args.range,
            "`load_state_dict` takes the state of a model")
        .note("as in `target.load_state_dict(net.state_dict())`; a file is "
              "read by `net.load(path)`");
    return c.fail();
  }
  Val source = args.positional[0];
  source.kind = ValKind::Model;
  llvm::StringMap<Slot *> given;
  std::vector<NamedSlot> from, to;
  collectSlots(source, "", from);
  collectSlots(target, "", to);
  llvm::StringSet<> unexpected;
  for (const NamedSlot &named : from) {
    unexpected.insert(named.key);
    given[named.key] = named.slot;
    for (const std::string &alias : named.aliases)
      given[alias] = named.slot;
  }
  // All are read before the first is written: the two may share some.
  std::vector<std::pair<Val, Val>> writes;
  std::vector<std::string> missing;
  for (const NamedSlot &named : to) {
    unexpected.erase(named.key);
    for (const std::string &alias : named.aliases)
      unexpected.erase(alias);
    Slot *slot = given.lookup(named.key);
    for (const std::string &alias : named.aliases)
      slot = slot ? slot : given.lookup(alias);
    if (!slot) {
      missing.push_back(named.key);
      continue;
    }
    if (slot == named.slot)
      continue;
    if (DimsRef(slot->type.dims) != DimsRef(named.slot->type.dims)) {
      c.error(DiagCode::TD407, args.range,
              "the shapes of `" + named.key + "` differ")
          .label("it is " + typeText(slot->type) + ", and " +
                 typeText(named.slot->type) + " in the model that is changed");
      return c.fail();
    }
    Val written = stateOf(*named.slot);
    written.range = args.calleeRange;
    writes.push_back({written, c.training.stopGradient(
                                   valueOf(readSlot(*slot, args.range)))});
  }
  if (isStrict && (!missing.empty() || !unexpected.empty())) {
    Diagnostic &report =
        c.error(DiagCode::TD407, args.range,
                "the models do not have the same state: " + describe(target) +
                    " and " + describe(source));
    std::vector<llvm::StringRef> others;
    for (auto &entry : unexpected)
      others.push_back(entry.first());
    llvm::sort(others);
    if (!missing.empty())
      report.note("only in the model that is changed: `" + missing[0] + "`" +
                  (missing.size() > 1 ? " and others" : ""));
    if (!others.empty())
      report.note("only in the other one: `" + others[0] + "`" +
                  (others.size() > 1 ? " and others" : ""));
    report.note("`strict=false` copies what both have");
    return c.fail();
  }
  for (auto &[written, val] : writes) {
    Slot &slot = *written.as<TensorInfo>().state;
    if (typeOf(val).dtype != slot.type.dtype) // as `copy_` does
      val = c.tensors.castTo(val, slot.type.dtype);
    if (slot.isHostNumber) {
      writeSlot(slot, val);
      continue;
    }
    Place there = c.places.modelPlace(*slot.owner);
    // As `copy_` of PyTorch does, also from another device.
    if (!c.places.agree(there, typeOf(val).place))
      val = c.places.transfer(val, there, args.range, Transfer::Written);
    c.writeTarget(written, val, args.range);
  }
  return makeVal(ValKind::None);
}

//===----------------------------------------------------------------------===//
// Dtypes
//===----------------------------------------------------------------------===//

bool Models::castState(const Val &model, DType dtype, SourceRange range) {
  if (!isFloat(dtype)) {
    c.error(DiagCode::TD303, range,
            "a model is converted to a float dtype, not to " +
                tdc::spelling(dtype));
    return false;
  }
  std::vector<NamedSlot> slots;
  collectSlots(model, "", slots);
  llvm::erase_if(slots, [&](const NamedSlot &named) {
    const TensorType &type = named.slot->type;
    return !isFloat(type.dtype) || type.dtype == dtype ||
           named.slot->isHostNumber;
  });
  for (const NamedSlot &named : slots) {
    Slot &slot = *named.slot;
    bool isNew = slot.used.empty() && (slot.name.empty() || slot.written);
    if (isNew && !c.isInsideRunTimeRegion() && !c.calls.exporting)
      continue;
    Diagnostic &report = c.error(DiagCode::TD217, range,
                                 "too late to convert `" + named.key + "` to " +
                                     tdc::spelling(dtype));
    if (!slot.used.empty())
      report.note("it is " + slot.use + " here", slot.used.back());
    report.note("convert a model where it is made: `let net = Net().to(" +
                tdc::spelling(dtype) + ")`");
    return false;
  }
  llvm::DenseMap<const Slot *, std::shared_ptr<Slot>> replaced;
  for (const NamedSlot &named : slots) {
    Slot &slot = *named.slot;
    Value value = slot.name.empty() ? slot.initial : slot.written;
    auto fresh = std::make_shared<Slot>(slot);
    fresh->type.dtype = dtype;
    if (value)
      fresh->initial =
          c.tensors.castTo(makeTensor(slot.type, value), dtype).value;
    replaced[&slot] = fresh;
    if (slot.name.empty())
      continue;
    // The name is that of the slot that is dropped; `nameAliases` gives it
    // back.
    droppedSlots.push_back(slot.name);
    fresh->name = slot.name + ":" + tdc::spelling(dtype).str();
    fresh->written = Value();
    declareSlot(*fresh, named.key, llvm::StringRef(slot.name).split('.').first);
  }
  for (const std::weak_ptr<ModelInstance> &instance : instances)
    if (std::shared_ptr<ModelInstance> holder = instance.lock())
      for (ModelInstance::Member &member : holder->members)
        if (auto found = replaced.find(member.slot.get());
            member.slot && found != replaced.end()) {
          if (auto own = holder->ownLearning.find(member.slot.get());
              own != holder->ownLearning.end()) {
            holder->ownLearning[found->second.get()] = own->second;
            holder->ownLearning.erase(member.slot.get());
          }
          member.slot = found->second;
        }
  forEachModel(model.as<ModelInstance>(), [&](ModelInstance &part) {
    auto config = part.config.find("dtype");
    if (config != part.config.end() && config->second.is(ValKind::DType) &&
        isFloat(config->second.as<DTypeInfo>().dtype))
      config->second = makeDType(dtype);
  });
  return true;
}
