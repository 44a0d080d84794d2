//===- ModelParts.cpp - the parameters and parts of a model, as lists -----===//
//
// `net.named_parameters()`, `net.modules()` and similar methods give lists that
// are made while compiling. A tensor in them is a name of the model's tensor:
// it is read where it is used.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::sema;

std::vector<NamedSlot> Models::slotsOfKind(const Val &model,
                                           td::SlotKind kind) {
  std::vector<NamedSlot> slots;
  collectSlots(model, "", slots);
  llvm::erase_if(slots, [&](const NamedSlot &named) {
    return named.slot->kind != kind || named.slot->isHostNumber;
  });
  return slots;
}

llvm::DenseSet<const Slot *> Models::parameterSlotsOf(const Val &model) {
  llvm::DenseSet<const Slot *> parameters;
  for (const NamedSlot &named : slotsOfKind(model, td::SlotKind::Param))
    parameters.insert(named.slot);
  return parameters;
}

namespace {
struct NamedModel {
  std::string name;
  Val model;
};
} // namespace

/// A field that is a list of models, as the ModuleList that it is in PyTorch:
/// for this use only, so that it cannot be changed (`Models::replacePart`).
static Val partOfList(const Val &list, const std::string &name,
                      const ModelInstance &holder) {
  auto model = std::make_shared<ModelInstance>();
  model->native = NativeModel::ModuleList;
  model->typeName = "ModuleList";
  model->name = name;
  model->made = holder.made;
  model->adopted = true;
  for (auto [i, element] : llvm::enumerate(elementsOf(list))) {
    Val part = element.is(ValKind::List) || element.is(ValKind::Tuple)
                   ? partOfList(element, name, holder)
                   : element;
    if (!part.is(ValKind::Model))
      continue;
    if (model->members.empty())
      static_cast<ModelState &>(*model) = part.as<ModelInstance>();
    model->add(std::to_string(i)).val = part;
  }
  model->ownLearning.clear();
  if (model->members.empty())
    return list;
  Val val = makeVal(ValKind::Model);
  val.data = std::move(model);
  return val;
}

/// The direct parts of a model, each once.
static std::vector<NamedModel> childrenOf(const Val &model) {
  std::vector<NamedModel> children;
  llvm::DenseSet<const void *> seen;
  const auto &holder = model.as<ModelInstance>();
  for (const auto &member : holder.members) {
    Val part = member.val;
    if (part.is(ValKind::List) || part.is(ValKind::Tuple))
      part = partOfList(part, member.name, holder);
    if (part.is(ValKind::Model) && seen.insert(part.data.get()).second)
      children.push_back({member.name, part});
  }
  return children;
}

/// Appends a model and then those in it, each once.
static void addModules(const Val &model, const std::string &name,
                       llvm::DenseSet<const void *> &seen,
                       std::vector<NamedModel> &out) {
  if (!seen.insert(model.data.get()).second)
    return;
  out.push_back({name, model});
  for (const NamedModel &child : childrenOf(model))
    addModules(child.model, name.empty() ? child.name : name + "." + child.name,
               seen, out);
}

namespace {
struct PartList {
  enum Kind : uint8_t { None, Parameters, Buffers, Modules, Children } kind;
  bool isNamed;
};
} // namespace

static PartList findPartList(llvm::StringRef name) {
  bool isNamed = name.consume_front("named_");
  auto kind = llvm::StringSwitch<PartList::Kind>(name)
                  .Case("parameters", PartList::Parameters)
                  .Case("buffers", PartList::Buffers)
                  .Case("modules", PartList::Modules)
                  .Case("children", PartList::Children)
                  .Default(PartList::None);
  return {kind, isNamed};
}

bool Models::isListOfParts(llvm::StringRef name) {
  return findPartList(name).kind != PartList::None;
}

Val Models::apply(const Val &model, CallArgs &args) {
  bool isCallable = args.positional.size() == 1 && args.keywords.empty() &&
                    (args.positional[0].is(ValKind::Function) ||
                     args.positional[0].is(ValKind::Builtin));
  if (!isCallable) {
    c.error(DiagCode::TD205, args.range, "`apply` takes a function of a model")
        .note("as in `fn init_weights(m) { … }` and `net.apply(init_weights)`");
    return c.fail();
  }
  Val function = args.positional[0];
  std::function<bool(const Val &)> visit = [&](const Val &part) {
    for (const NamedModel &child : childrenOf(part))
      if (!visit(child.model))
        return false;
    CallArgs inner;
    inner.range = args.range;
    inner.calleeRange = args.calleeRange;
    inner.positional.push_back(part);
    return !c.calls.call(function, inner).isError();
  };
  return visit(model) ? model : c.fail();
}

Val Models::listParts(const Val &given, llvm::StringRef name, CallArgs &args) {
  PartList list = findPartList(name);
  bool isOfTensors =
      list.kind == PartList::Parameters || list.kind == PartList::Buffers;
  std::string prefix;
  bool recurses = true;
  for (const auto &keyword : args.keywords) {
    llvm::StringRef word = keyword.name.text;
    if (word == "prefix" && list.isNamed && list.kind != PartList::Children) {
      auto text = c.host.requireStr(keyword.val, "`prefix`");
      if (!text)
        return c.fail();
      prefix = text->empty() ? "" : (*text + ".").str();
    } else if (word == "recurse" && isOfTensors) {
      auto flag = c.host.requireBool(keyword.val, "`recurse`");
      if (!flag)
        return c.fail();
      recurses = *flag;
    } else {
      c.error(DiagCode::TD205, keyword.name.range,
              "`" + name + "` has no parameter `" + word + "`");
      return c.fail();
    }
  }
  if (!args.positional.empty()) {
    c.error(DiagCode::TD205, args.range,
            "`" + name + "` takes no positional argument");
    return c.fail();
  }
  Val model = given;
  model.known = false; // `net.parameters()` is the model, too
  // An optimizer holds the model itself.
  if (name == "parameters" && recurses)
    return parametersOf(model);
  Vals result;
  auto add = [&](const std::string &key, Val val) {
    result.push_back(list.isNamed ? makeSequence(ValKind::Tuple,
                                                 {makeStr(prefix + key), val})
                                  : std::move(val));
  };
  if (isOfTensors) {
    auto kind = list.kind == PartList::Parameters ? td::SlotKind::Param
                                                  : td::SlotKind::Buffer;
    auto &instance = model.as<ModelInstance>();
    for (const NamedSlot &named : slotsOfKind(model, kind))
      if (recurses || llvm::is_contained(named.slot->holders, &instance))
        add(named.key, stateOf(*named.slot));
    return makeSequence(ValKind::List, std::move(result));
  }
  std::vector<NamedModel> models;
  if (list.kind == PartList::Children) {
    models = childrenOf(model);
  } else {
    llvm::DenseSet<const void *> seen;
    addModules(model, "", seen, models);
    // The model itself has the prefix alone as its name.
    if (!prefix.empty() && list.isNamed) {
      result.push_back(
          makeSequence(ValKind::Tuple,
                       {makeStr(llvm::StringRef(prefix).drop_back()), model}));
      models.erase(models.begin());
    }
  }
  for (const NamedModel &part : models)
    add(part.name, part.model);
  return makeSequence(ValKind::List, std::move(result));
}
