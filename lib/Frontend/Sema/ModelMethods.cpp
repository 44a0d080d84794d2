//===- ModelMethods.cpp - methods of models -------------------------------===//
//
// A call of a model is a call of its `forward`. `.to`, `.train`, `.eval`,
// `.load`, `.freeze` and `.unfreeze` change the model in place and return it.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "FileFormats.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::sema;

static const ast::FnDecl *findMethodDecl(const ModelInstance &model,
                                         llvm::StringRef name) {
  if (!model.decl)
    return nullptr;
  for (const ast::Decl *member : model.decl->members)
    if (auto *fn = llvm::dyn_cast<ast::FnDecl>(member);
        fn && fn->name.text == name)
      return fn;
  return nullptr;
}

/// Whether a member is declared in a branch that was not taken.
static bool isInOtherBranch(llvm::ArrayRef<const ast::Decl *> members,
                            llvm::StringRef name, bool isInBranch = false) {
  return llvm::any_of(members, [&](const ast::Decl *decl) {
    if (auto *branch = llvm::dyn_cast<ast::MemberIfDecl>(decl))
      return isInOtherBranch(branch->thenMembers, name, true) ||
             isInOtherBranch(branch->elseMembers, name, true);
    auto *field = llvm::dyn_cast<ast::FieldDecl>(decl);
    auto *state = llvm::dyn_cast<ast::StateDecl>(decl);
    return isInBranch && ((field && field->name.text == name) ||
                          (state && state->name.text == name));
  });
}

Val sema::typeOfModel(const ModelInstance &model) {
  Val val = makeVal(ValKind::Class);
  auto info = std::make_shared<ClassInfo>();
  info->decl = model.decl;
  info->file = model.file;
  info->native = model.native;
  val.data = std::move(info);
  return val;
}

static Val methodOf(const Val &model, const ast::FnDecl *decl) {
  Val val = makeVal(ValKind::Function);
  auto info = std::make_shared<FunctionInfo>();
  info->decl = decl;
  info->self = model.share<ModelInstance>();
  info->file = info->self->file;
  val.data = std::move(info);
  return val;
}

/// Checks that data and model are in one place, with one report per call. Free
/// data is brought to the model here, and not at the first operation of the
/// model that needs it.
static bool checkPlaces(Checker &c, const Val &val, CallArgs &args) {
  auto &model = val.as<ModelInstance>();
  std::vector<NamedSlot> slots;
  c.models.collectSlots(val, "", slots);
  if (slots.empty())
    return true; // without state it computes where its data is
  const ModelInstance &owner = *slots[0].slot->owner;
  c.places.modelPlace(model);
  if (model.otherwise)
    return false; // the problem has been reported
  Place place = c.places.modelPlace(owner);
  if (owner.otherwise)
    return false;
  // If its parts were moved, its own code moves the data to them.
  Place own = c.places.modelPlace(model);
  if (own != place && !c.places.areBothCpu(own, place))
    return true;
  for (const NamedSlot &named : slots)
    if (!c.places.agree(c.places.modelPlace(*named.slot->owner), place))
      return true;
  auto check = [&](Val &arg) {
    if (!arg.is(ValKind::Tensor))
      return true;
    if (!c.places.agree(typeOf(arg).place, place)) {
      c.places.reportModelPlace(model, owner, arg, args);
      return false;
    }
    arg = c.places.bring(arg, place, owner.moved);
    return true;
  };
  return llvm::all_of(args.positional, check) &&
         llvm::all_of(args.keywords,
                      [&](auto &keyword) { return check(keyword.val); });
}

Val Models::callModel(const Val &callee, CallArgs &args) {
  auto &model = callee.as<ModelInstance>();
  if (model.native == NativeModel::DataParallel)
    return c.dataParallel.call(callee, args);
  if (model.native == NativeModel::ModuleList) {
    c.error(DiagCode::TD206, args.calleeRange,
            "a ModuleList cannot be called; loop over it");
    return c.fail();
  }
  if (!c.isPrelude(args.range.file) && !checkPlaces(c, callee, args))
    return c.fail();
  if (model.native == NativeModel::Sequential)
    return callSequential(callee, args);
  const ast::FnDecl *forward = findMethodDecl(model, "forward");
  if (!forward) {
    c.error(DiagCode::TD206, args.calleeRange,
            "`" + model.typeName + "` has no `forward`");
    return c.fail();
  }
  Val input = args.positional.empty() ? Val() : args.positional[0];
  Val result =
      c.calls.callFunction(methodOf(callee, forward).as<FunctionInfo>(), args);
  if (isInPlaceLayer(c, callee))
    c.sharing.changeByCall(input, result, args.range);
  return result;
}

Val Models::callSequential(const Val &val, CallArgs &args) {
  auto &model = val.as<ModelInstance>();
  if (args.positional.size() != 1 || !args.keywords.empty()) {
    c.error(DiagCode::TD205, args.range, "a Sequential takes one argument");
    return c.fail();
  }
  Val result = args.positional[0];
  for (size_t i = 0; i != model.members.size() && !result.isError(); ++i) {
    CallArgs inner;
    inner.range = args.range;
    inner.calleeRange = args.calleeRange;
    inner.positional.push_back(result);
    Val part = model.members[i].val;
    result = c.calls.call(part, inner);
  }
  return result;
}

std::optional<Val> Models::modelMember(const Val &val, llvm::StringRef name) {
  auto &model = val.as<ModelInstance>();
  if (auto *member = model.find(name)) {
    if (member->slot) {
      Val state = readSlot(*member->slot, c.here);
      return member->slot->isHostNumber ? c.tensors.itemOf(state) : state;
    }
    return member->val;
  }
  if (const ast::FnDecl *method = findMethodDecl(model, name))
    return methodOf(val, method);
  // `m.bias` of a `Linear(bias=false)`, as in PyTorch.
  if (model.decl && isInOtherBranch(model.decl->members, name))
    return makeVal(ValKind::None);
  if (name == "__class__")
    return typeOfModel(model);
  if (name == "device") {
    Place place = c.places.modelPlace(model);
    if (place.kind == Place::Kind::Free && c.places.freeIsCpu())
      place.kind = Place::Kind::Cpu;
    return makeDevice(place, model.moved);
  }
  if (name == "training") {
    bool training = true;
    return isTraining(val, c.here, training) ? makeBool(training) : c.fail();
  }
  auto config = model.config.find(name);
  if (config != model.config.end())
    return config->second;
  return std::nullopt;
}

/// `.load` and `.save` with the keys of PyTorch's state_dict.
static Val transferState(Checker &c, const Val &val, bool saves,
                         CallArgs &args) {
  Emitter::Tolerance tolerance;
  for (const auto &keyword : args.keywords) {
    std::optional<bool> known =
        saves ? false : readTolerance(c, keyword, tolerance);
    if (!known)
      return c.fail();
    if (*known)
      continue;
    c.error(DiagCode::TD205, keyword.name.range,
            "no parameter `" + keyword.name.text + "`");
    return c.fail();
  }
  if (args.positional.size() != 1 || !args.positional[0].is(ValKind::Str)) {
    c.error(DiagCode::TD205, args.range, "a path is needed: one str");
    return Val();
  }
  if (!(saves ? canWrite : canRead)(c, args.positional[0], FileContents::State))
    return c.fail();
  Emitter::Checkpoint checkpoint;
  std::vector<NamedSlot> slots;
  c.models.collectSlots(val, "", slots);
  c.models.addToCheckpoint(checkpoint, slots, saves ? "saved" : "loaded");
  Value path = c.host.materialize(args.positional[0]);
  if (saves) {
    c.emit().save(path, checkpoint);
    return makeVal(ValKind::None);
  }
  c.emit().restore(path, checkpoint, tolerance);
  c.models.forgetReads();
  c.lints.restores(c.userRange(args.range), args.positional[0], {&val},
                   /*hasOptimizer=*/false);
  return val;
}

/// Where `.to`, `.cuda` and `.cpu` move a model; nothing after a report.
static std::optional<Val> moveTarget(Checker &c, llvm::StringRef name,
                                     const CallArgs &args) {
  std::vector<const Val *> given;
  for (const Val &val : args.positional)
    given.push_back(&val);
  for (const auto &keyword : args.keywords)
    if (keyword.name.text == "device") {
      given.push_back(&keyword.val);
    } else if (keyword.name.text != "non_blocking") {
      c.error(DiagCode::TD205, keyword.name.range,
              "`." + name + "` has no parameter `" + keyword.name.text + "`");
      return std::nullopt;
    }
  if (given.size() > (name == "cpu" ? 0 : 1)) {
    c.error(DiagCode::TD205, args.range,
            "`." + name + "` takes " +
                (name == "cpu" ? "no argument" : "one device"));
    return std::nullopt;
  }
  if (name == "cpu")
    return makeDevice(getCpu(), args.range);
  if (name == "cuda")
    return given.empty() ? makeDevice(c.devices.wordCuda(), args.range)
                         : c.devices.cudaDevice(*given[0], args.range);
  if (given.empty()) {
    c.error(DiagCode::TD205, args.range, "`.to` needs a device");
    return std::nullopt;
  }
  if (given[0]->is(ValKind::Tensor))
    return c.places.deviceOf(*given[0]);
  std::optional<Val> device = c.devices.asDevice(*given[0]);
  if (!device && !given[0]->is(ValKind::Str) && !given[0]->isError())
    c.error(DiagCode::TD303, given[0]->range,
            "`.to` of a model takes a device, not " + describe(*given[0]));
  return device;
}

/// Takes the dtype out of the arguments of `.to`, if there is one.
static std::optional<DType> extractDType(CallArgs &args) {
  for (Val *val = args.positional.begin(); val != args.positional.end(); ++val)
    if (auto dtype =
            val->is(ValKind::Tensor) ? std::nullopt : Types::asDType(*val)) {
      args.positional.erase(val);
      return dtype;
    }
  for (auto *keyword = args.keywords.begin(); keyword != args.keywords.end();
       ++keyword)
    if (keyword->name.text == "dtype")
      if (auto dtype = Types::asDType(keyword->val)) {
        args.keywords.erase(keyword);
        return dtype;
      }
  return std::nullopt;
}

/// `.double()` and similar methods.
static std::optional<DType> dtypeOfMethod(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<DType>>(name)
      .Case("half", DType::F16)
      .Case("bfloat16", DType::BF16)
      .Case("float", DType::F32)
      .Case("double", DType::F64)
      .Default(std::nullopt);
}

/// The parameters of a model whose keys begin with the names of `prefix`.
static bool isBelow(llvm::StringRef key, llvm::StringRef prefix) {
  return key.consume_front(prefix) &&
         (key.empty() || key.starts_with(".") || prefix.ends_with("."));
}

/// `net.freeze("features")`: the parameters below a name; false after a report.
static bool setLearningBelow(Checker &c, const Val &model,
                             llvm::ArrayRef<Val> prefixes,
                             ModelState::Learning learning) {
  std::vector<NamedSlot> slots =
      c.models.slotsOfKind(model, td::SlotKind::Param);
  for (const Val &given : prefixes) {
    if (given.is(ValKind::List) || given.is(ValKind::Tuple)) {
      if (!setLearningBelow(c, model, elementsOf(given), learning))
        return false;
      continue;
    }
    auto prefix = c.host.requireStr(given, "the name of a part");
    if (!prefix)
      return false;
    bool any = false;
    for (const NamedSlot &named : slots)
      if (isBelow(named.key, *prefix) ||
          llvm::any_of(named.aliases, [&](llvm::StringRef alias) {
            return isBelow(alias, *prefix);
          })) {
        c.models.setLearning(*named.slot, learning);
        any = true;
      }
    if (any)
      continue;
    Diagnostic &report = c.error(DiagCode::TD202, given.range,
                                 "no parameter of " + describe(model) +
                                     " has a name that "
                                     "begins with `" +
                                     *prefix + "`");
    if (!slots.empty())
      report.note("its first parameter is `" + slots[0].key + "`");
    return false;
  }
  return true;
}

/// `self.layers.append(Linear(2, 2))` among the members of a model.
static Val appendParts(Checker &c, const Val &list, bool isMany,
                       CallArgs &args) {
  auto &model = list.as<ModelInstance>();
  llvm::StringRef name = isMany ? "extend" : "append";
  if (c.models.building.empty() || !model.name.empty()) {
    c.error(DiagCode::TD216, args.range,
            "`" + name + "` is only for the members of a model that is made")
        .note("make the list with all its parts, as in `ModuleList([Linear(2, "
              "2) for _ in range(3)])`");
    return c.fail();
  }
  Vals parts = args.positional;
  if (parts.size() != 1 || !args.keywords.empty()) {
    c.error(DiagCode::TD205, args.range, "`" + name + "` takes one argument");
    return c.fail();
  }
  Vals added;
  if (isMany && !c.control.elementsOfIterable(parts[0], args.range, added))
    return c.fail();
  for (const Val &part : isMany ? added : parts) {
    if (!part.is(ValKind::Model)) {
      c.error(DiagCode::TD303, args.range,
              "`" + model.typeName + "` takes models, not " + describe(part));
      return c.fail();
    }
    auto &added = part.as<ModelInstance>();
    if (llvm::is_contained(c.models.building, &added)) {
      c.error(DiagCode::TD220, args.range,
              "`" + added.typeName + "` contains itself");
      return c.fail();
    }
    added.adopted = true;
    model.add(std::to_string(model.members.size())).val = part;
  }
  return list;
}

Val Models::callModelMethod(const Val &val, llvm::StringRef name,
                            CallArgs &args) {
  auto &model = val.as<ModelInstance>();
  if (model.isList() && (name == "append" || name == "extend"))
    return appendParts(c, val, name == "extend", args);
  if (const ast::FnDecl *method = findMethodDecl(model, name)) {
    if (name == "forward")
      return callModel(val, args);
    return c.calls.callFunction(methodOf(val, method).as<FunctionInfo>(), args);
  }
  if (name == "save" || name == "load")
    return transferState(c, val, name == "save", args);
  std::optional<DType> dtype =
      name == "to" ? extractDType(args) : dtypeOfMethod(name);
  if (dtype && !castState(val, *dtype, args.range))
    return c.fail();
  if (dtype && args.positional.empty() && args.keywords.empty())
    return val;
  if (name == "to" || name == "cuda" || name == "cpu") {
    std::optional<Val> device = moveTarget(c, name, args);
    if (!device)
      return c.fail();
    c.places.moveModel(model, *device, args.range);
    return val;
  }
  if (name == "apply")
    return apply(val, args);
  if (name == "state_dict" && args.positional.empty() &&
      args.keywords.empty()) {
    Val state = val;
    state.kind = ValKind::State;
    return state;
  }
  if (name == "load_state_dict")
    return loadState(val, args);
  if (name == "train" || name == "eval") {
    bool training = name == "train";
    if (!args.positional.empty() && training) {
      auto on = c.host.requireBool(args.positional[0], "the mode");
      if (!on)
        return c.fail();
      training = *on;
    }
    setMode(model, training ? ModelState::Train : ModelState::Eval);
    return val;
  }
  if (isListOfParts(name))
    return listParts(val, name, args);
  if (name == "freeze" || name == "unfreeze") {
    auto learning = name == "freeze" ? ModelState::Frozen : ModelState::Learned;
    if (args.positional.empty())
      setLearning(model, learning);
    else if (!setLearningBelow(c, val, args.positional, learning))
      return c.fail();
    return val;
  }
  if (name == "requires_grad_") {
    std::optional<bool> learned = true;
    if (args.positional.size() + args.keywords.size() == 1)
      learned = c.host.requireBool(
          args.positional.empty() ? args.keywords[0].val : args.positional[0],
          "`requires_grad`");
    if (!learned)
      return c.fail();
    setLearning(model, *learned ? ModelState::Learned : ModelState::Frozen);
    return val;
  }
  if (name == "zero_grad") {
    c.training.zeroGrad(c.training.slotsWithGradients(val, args.range), args);
    return makeVal(ValKind::None);
  }
  // A function that the model was made with.
  if (auto given = model.config.find(name); given != model.config.end())
    return c.calls.call(given->second, args);
  return c.scopes.reportNoMember(val, args.calleeRange, name);
}
