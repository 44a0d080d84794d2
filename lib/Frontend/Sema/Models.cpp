//===- Models.cpp - making models -----------------------------------------===//
//
// A model is made by the checker: its members are evaluated in order, each into
// a field of the instance or into a slot of the program. Initial values are
// emitted at their members; they are written when the model gets its name from
// the `let` that holds it.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/ASTWalk.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tdc;
using namespace tdc::sema;

llvm::StringRef sema::spelling(NativeModel type) {
  switch (type) {
  case NativeModel::Sequential:
    return "Sequential";
  case NativeModel::ModuleList:
    return "ModuleList";
  case NativeModel::DataParallel:
    return "DataParallel";
  case NativeModel::Module:
  case NativeModel::None:
    return "Module";
  }
  llvm_unreachable("unknown type of models");
}

std::string Models::uniqueName(llvm::StringRef wanted) {
  std::string base = wanted.empty() ? "model" : wanted.str();
  if (usedNames.try_emplace(base, 1).second)
    return base;
  // The search continues where the last one ended.
  unsigned number = usedNames[base];
  std::string name;
  do
    name = base + "_" + std::to_string(++number);
  while (!usedNames.try_emplace(name, 1).second);
  usedNames[base] = number;
  return name;
}

Diagnostic &Models::reportMadeOnce(llvm::StringRef what, SourceRange range) {
  Diagnostic &report =
      c.error(DiagCode::TD216, range,
              what + " is made once, not in a loop or under a condition of the "
                     "running program");
  if (c.control.loops.empty())
    report.note("a condition on an `arg` is known with `--set name=value`");
  return report;
}

/// Reports `ReLU(x)` and `CrossEntropyLoss(scores, labels)`, where a layer that
/// is not made yet is given what its `forward` takes.
static bool reportNotMade(Checker &c, const ClassInfo &cls,
                          const CallArgs &args) {
  auto isTensor = [](const Val &val) { return val.is(ValKind::Tensor); };
  if (!c.isPrelude(cls.file->id) || c.isPrelude(args.range.file) ||
      args.positional.empty() || !args.keywords.empty() ||
      !llvm::all_of(args.positional, isTensor))
    return false;
  // Its own parameters can be tensors, as the weights of losses.
  auto *forward = llvm::find_if(cls.decl->members, [](const ast::Decl *member) {
    auto *fn = llvm::dyn_cast<ast::FnDecl>(member);
    return fn && fn->name.text == "forward";
  });
  bool takesAll = forward != cls.decl->members.end() &&
                  llvm::cast<ast::FnDecl>(*forward)->params.size() ==
                      args.positional.size();
  bool needsNone = llvm::all_of(cls.decl->params, [](const ast::Param &param) {
    return param.defaultValue != nullptr;
  });
  if (!takesAll || !needsNone)
    return false;
  llvm::StringRef name = cls.decl->name.text;
  c.error(DiagCode::TD205, args.calleeRange,
          "`" + name + "` makes a layer, which is then called")
      .fix(FixIt::Safe, "`" + name + "()(…)`",
           {{args.calleeRange.finish(), "()"}});
  return true;
}

Val Models::construct(const ClassInfo &cls, CallArgs &args) {
  for (const Val &val : args.positional)
    if (val.isError())
      return c.fail();
  if (cls.native != NativeModel::None)
    return constructNative(cls, args);
  if (reportNotMade(c, cls, args))
    return c.fail();
  for (const ModelInstance *outer : building)
    if (outer->decl == cls.decl) {
      c.error(DiagCode::TD220, args.range,
              "`" + cls.decl->name.text + "` contains itself");
      return c.fail();
    }
  if (building.size() >= 100) {
    c.error(DiagCode::TD220, args.range, "models are nested too deeply");
    return c.fail();
  }
  std::shared_ptr<ModelInstance> model = makeModel();
  model->decl = cls.decl;
  model->file = cls.file;
  model->typeName = cls.decl->name.text.str();
  model->made = c.userRange(args.range);

  // The configuration and the members are evaluated in the model's own scope.
  Restore<FileScope *> savedFile(c.scopes.file, cls.file);
  Restore<Scope *> savedScope(c.scopes.scope, &cls.file->scope);
  Restore<std::optional<Val>> savedWith(c.devices.withDevice, std::nullopt);
  Frame frame;
  frame.file = cls.file;
  frame.callRange = args.range;
  llvm::SmallVector<SourceRange> callers{args.range};
  if (!c.frames.empty())
    callers.append(c.frames.back().callers.begin(),
                   c.frames.back().callers.end());
  frame.callers = c.context.copy(callers);
  c.scopes.pushScope();
  c.frames.push_back(std::move(frame));
  c.forgetLocation();
  bool good = c.calls.bindParams(cls.decl->params, args,
                                 "`" + cls.decl->name.text.str() + "`");
  if (good) {
    for (auto &entry : c.scopes.scope->names)
      model->config[entry.first()] = entry.second.val;
    // `self` is the part that exists so far.
    c.frames.back().self = model.get();
    c.frames.back().selfOwner = model;
    building.push_back(model.get());
    unsigned errors = c.errorCount;
    buildMembers(*model, cls.decl->members);
    good = c.errorCount == errors;
    building.pop_back();
  }
  c.frames.pop_back();
  c.scopes.popScope();
  c.forgetLocation();
  if (!good)
    return c.fail();
  // One without state, such as a loss, is only a way to call functions.
  if (building.empty() && c.isInsideRunTimeRegion() && !c.isWalkedAside() &&
      !slotsOf(model).empty()) {
    reportMadeOnce("a model", args.range)
        .note("make it before, and use it here");
    return c.fail();
  }
  all.push_back(model);
  Val val = makeVal(ValKind::Model);
  val.data = model;
  return val;
}

/// Whether the value of an expression depends on a name or `self`.
static bool readsNames(const ast::Expr &expr) {
  bool reads =
      llvm::isa<ast::NameExpr>(expr) || expr.kind == ast::ExprKind::Self;
  ast::forEachChild(
      expr, [&](const ast::Expr &child) { reads |= readsNames(child); });
  return reads;
}

std::optional<Val> Models::classMember(const ClassInfo &type,
                                       llvm::StringRef name,
                                       SourceRange range) {
  if (!type.decl)
    return std::nullopt;
  for (const ast::Decl *member : type.decl->members) {
    auto *field = llvm::dyn_cast<ast::FieldDecl>(member);
    if (!field || field->name.text != name)
      continue;
    if (readsNames(*field->value)) {
      c.error(DiagCode::TD202, range,
              "the type `" + type.decl->name.text + "` has no `" + name +
                  "`: each of its models has one")
          .note("its value depends on what the model is made with",
                field->range);
      return c.fail();
    }
    Restore<FileScope *> savedFile(c.scopes.file, type.file);
    Restore<Scope *> savedScope(c.scopes.scope, &type.file->scope);
    Val val = c.eval(*field->value, field->type);
    bool fits = val.isError() || !field->type ||
                c.types.matchType(*field->type, val, field->value->range,
                                  ("`" + name + "`").str(), DiagCode::TD407);
    return fits ? val : c.fail();
  }
  // `Embedding.from_pretrained` is a function of the prelude.
  auto found = type.file->scope.names.find(
      ("_" + type.decl->name.text + "_" + name).str());
  if (c.isPrelude(type.file->id) && found != type.file->scope.names.end())
    return found->second.val;
  return std::nullopt;
}

std::shared_ptr<ModelInstance> Models::makeModel() {
  auto model = std::make_shared<ModelInstance>();
  instances.push_back(model);
  return model;
}

Models::~Models() {
  // Breaks reference cycles: a model can hold a method of its own, and a part
  // can hold the values that it was made with.
  for (const std::weak_ptr<ModelInstance> &instance : instances)
    if (std::shared_ptr<ModelInstance> model = instance.lock()) {
      model->members.clear();
      model->config.clear();
    }
}

bool Models::adopt(const Val &val, SourceRange range) {
  if (val.is(ValKind::Model)) {
    auto &model = val.as<ModelInstance>();
    if (llvm::is_contained(building, &model)) {
      c.error(DiagCode::TD220, range,
              "`" + model.typeName + "` contains itself");
      return false;
    }
    model.adopted = true;
  }
  if (val.is(ValKind::List) || val.is(ValKind::Tuple))
    for (const Val &element : elementsOf(val))
      if (!adopt(element, range))
        return false;
  return true;
}

Val Models::constructNative(const ClassInfo &cls, CallArgs &args) {
  if (cls.native == NativeModel::Module) {
    c.error(DiagCode::TD206, args.calleeRange,
            "`Module` is the type of all models, and makes none")
        .note("`model Net { … }` declares a model");
    return c.fail();
  }
  if (cls.native == NativeModel::DataParallel)
    return c.dataParallel.construct(args);
  std::shared_ptr<ModelInstance> model = makeModel();
  model->native = cls.native;
  bool isList = cls.native == NativeModel::ModuleList;
  model->typeName = spelling(cls.native).str();
  model->made = c.userRange(args.range);
  if (!args.keywords.empty()) {
    c.error(DiagCode::TD205, args.keywords[0].name.range,
            "`" + model->typeName + "` has no parameter `" +
                args.keywords[0].name.text + "`");
    return c.fail();
  }
  Vals parts = args.positional;
  if (isList && parts.size() == 1 && parts[0].is(ValKind::List))
    parts.assign(elementsOf(args.positional[0]).begin(),
                 elementsOf(args.positional[0]).end());
  for (auto [i, part] : llvm::enumerate(parts)) {
    SourceRange where = part.range.isValid() ? part.range : args.range;
    bool callable = part.is(ValKind::Model) || part.is(ValKind::Builtin) ||
                    part.is(ValKind::Function);
    if (!callable) {
      c.error(DiagCode::TD303, where,
              "`" + model->typeName + "` takes models, not " + describe(part));
      return c.fail();
    }
    if (!adopt(part, where))
      return c.fail();
    model->add(std::to_string(i)).val = part;
  }
  all.push_back(model);
  Val val = makeVal(ValKind::Model);
  val.data = model;
  return val;
}

void Models::buildMembers(ModelInstance &model,
                          llvm::ArrayRef<const ast::Decl *> members) {
  for (const ast::Decl *decl : members) {
    c.at(decl->range);
    if (auto *branch = llvm::dyn_cast<ast::MemberIfDecl>(decl)) {
      std::optional<Val> truth = c.control.condition(*branch->condition);
      std::optional<bool> known =
          truth ? c.host.requireBool(*truth, "the condition of members")
                : std::nullopt;
      c.scopes.pushScope();
      if (known)
        buildMembers(model, *known ? branch->thenMembers : branch->elseMembers);
      c.scopes.popScope();
      continue;
    }
    if (auto *inner = llvm::dyn_cast<ast::MemberStmtDecl>(decl)) {
      c.control.execStatements(llvm::ArrayRef(inner->stmt));
      continue;
    }
    if (auto *part = llvm::dyn_cast<ast::PartAssignDecl>(decl)) {
      c.execAssign(*part->assign);
      continue;
    }
    if (llvm::isa<ast::FnDecl>(decl))
      continue;
    llvm::StringRef name = llvm::isa<ast::FieldDecl>(decl)
                               ? llvm::cast<ast::FieldDecl>(decl)->name.text
                               : llvm::cast<ast::StateDecl>(decl)->name.text;
    // A branch may replace a part or a number that is there, as in a
    // constructor.
    ModelInstance::Member *former = model.find(name);
    bool mayReplace = former && !former->slot &&
                      llvm::isa<ast::FieldDecl>(decl) &&
                      !llvm::is_contained(model.decl->members, decl);
    if (former && !mayReplace) {
      c.error(DiagCode::TD204, decl->range, "`" + name + "` is declared twice");
      continue;
    }
    if (auto *state = llvm::dyn_cast<ast::StateDecl>(decl)) {
      buildState(model, *state);
      continue;
    }
    auto *field = llvm::cast<ast::FieldDecl>(decl);
    Val val = c.eval(*field->value, field->type);
    auto setTo = [&](const Val &val) {
      (former ? *former : model.add(name)).val = val;
    };
    if (val.isError()) {
      setTo(val); // its uses are not reported too
      continue;
    }
    if (field->type &&
        !c.types.matchType(*field->type, val, field->value->range,
                           "`" + name + "`", DiagCode::TD407))
      continue;
    if (val.is(ValKind::Tensor)) {
      c.error(DiagCode::TD303, field->range,
              "a tensor of a model is declared with `param` or `buffer`")
          .note("as in `buffer " + name + ": " + typeText(typeOf(val)) +
                " = …`");
      continue;
    }
    former = model.find(name); // the value may have added members
    if (adopt(val, field->value->range))
      setTo(val);
  }
}

static std::shared_ptr<Slot>
makeSlot(ModelInstance &model, const ast::StateDecl &decl, TensorType type) {
  auto slot = std::make_shared<Slot>();
  slot->kind = decl.isParam ? td::SlotKind::Param : td::SlotKind::Buffer;
  slot->type = std::move(type);
  slot->declared = decl.range;
  slot->owner = &model;
  slot->holders = {&model};
  return slot;
}

/// The declared value, of the declared type; an error after a report.
static Val initialOf(Checker &c, const ast::StateDecl &decl) {
  Val initial = c.eval(*decl.value, decl.type);
  bool fits = !initial.isError() &&
              c.types.matchType(*decl.type, initial, decl.value->range,
                                "`" + decl.name.text + "`", DiagCode::TD407);
  return fits ? initial : Val();
}

/// The dtype in which a host number of the declared type is kept.
static std::optional<DType> hostNumberType(const ast::TypeExpr &type) {
  auto *named = llvm::dyn_cast<ast::NamedType>(&type);
  if (!named || named->hasBrackets)
    return std::nullopt;
  return llvm::StringSwitch<std::optional<DType>>(named->name.text)
      .Case("int", DType::I64)
      .Case("float", DType::F64)
      .Case("bool", DType::Bool)
      .Default(std::nullopt);
}

void Models::buildHostNumber(ModelInstance &model, const ast::StateDecl &decl,
                             DType dtype) {
  if (decl.isParam) {
    c.error(DiagCode::TD304, decl.type->range,
            "a `param` is learned, so it must be a float tensor");
    return;
  }
  auto slot = makeSlot(model, decl, Training::hostNumber(dtype));
  slot->isHostNumber = true;
  if (decl.value) {
    Val initial = initialOf(c, decl);
    if (initial.isError())
      return;
    slot->initial = c.tensors.fillTensor(initial, slot->type).value;
  }
  model.add(decl.name.text).slot = std::move(slot);
}

/// The type of a member that is declared by its value alone.
static std::optional<TensorType>
typeOfValue(Checker &c, const ast::StateDecl &decl, const Val &val) {
  if (val.isError())
    return std::nullopt;
  if (!val.is(ValKind::Tensor)) {
    std::string example = decl.isParam ? "param w: f32[3] = …"
                          : val.is(ValKind::Float)
                              ? "buffer " + decl.name.text.str() + ": float = …"
                              : "buffer " + decl.name.text.str() + ": int = …";
    c.error(DiagCode::TD702, decl.value->range,
            "the type of `" + decl.name.text + "` is needed")
        .label(describe(val) + ", and not a tensor")
        .note("as in `" + example + "`");
    return std::nullopt;
  }
  TensorType type = typeOf(val);
  type.place = Place();
  return type;
}

void Models::buildState(ModelInstance &model, const ast::StateDecl &decl) {
  if (decl.type)
    if (std::optional<DType> dtype = hostNumberType(*decl.type))
      return buildHostNumber(model, decl, *dtype);
  SourceRange declared = decl.type ? decl.type->range : decl.value->range;
  Val initial;
  if (!decl.type)
    initial = c.eval(*decl.value);
  std::optional<TensorType> type =
      decl.type ? c.types.tensorFromType(*decl.type, false)
                : typeOfValue(c, decl, initial);
  if (!type)
    return;
  if (type->place.kind != Place::Kind::Free) {
    c.unsupported(declared,
                  "a place of its own for a tensor of a model (a part that is "
                  "a model can have one: `fc = Linear(3, 4).to(…)`)");
    return;
  }
  for (const Size &size : type->dims)
    if (!c.host.constantOf(size)) {
      Val val = makeInt(size);
      val.range = declared;
      c.host.reportNotKnown(val, "a size of a model's state");
      return;
    }
  auto slot = makeSlot(model, decl, std::move(*type));
  if (decl.isParam && !isFloat(slot->type.dtype)) {
    c.error(DiagCode::TD304, declared,
            "a `param` is learned, so it must be a float tensor")
        .fix(FixIt::Choice, "`buffer`",
             {{{decl.range.file, decl.range.begin, decl.range.begin + 5},
               "buffer"}});
    return;
  }
  if (decl.value) {
    if (decl.type)
      initial = initialOf(c, decl);
    if (initial.isError())
      return;
    if (typeOf(initial).place.kind == Place::Kind::Cuda ||
        typeOf(initial).place.kind == Place::Kind::Symbol) {
      c.unsupported(decl.value->range, "a tensor of a model that is made on "
                                       "another device than the model");
      return;
    }
    slot->initial = c.places.freed(initial, Transfer::Implied).value;
    if (!c.isPrelude(declared.file))
      c.sharing.replace(*slot, initial);
  }
  model.add(decl.name.text).slot = std::move(slot);
}

Val Models::makeParameter(const ast::LetStmt &stmt) {
  if (c.isInsideRunTimeRegion() && !c.isWalkedAside()) {
    reportMadeOnce("a parameter", stmt.range)
        .note("declare it before, and use it here");
    return c.fail();
  }
  auto *decl = c.context.create<ast::StateDecl>(stmt.range);
  decl->isParam = true;
  decl->name = {stmt.target->name, stmt.target->range};
  decl->type = stmt.type;
  decl->value = stmt.value;
  std::shared_ptr<ModelInstance> model = makeModel();
  model->native = NativeModel::Sequential; // without parts to call
  model->typeName = "parameter";
  model->made = c.userRange(stmt.range);
  buildState(*model, *decl);
  ModelInstance::Member *member = model->find(stmt.target->name);
  if (!member)
    return c.fail();
  all.push_back(model);
  nameRoot(*model, stmt.target->name);
  return stateOf(*member->slot);
}
