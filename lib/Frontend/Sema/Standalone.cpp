//===- Standalone.cpp - annotated functions on their own ------------------===//
//
// A function with annotations on all parameters is also checked with symbolic
// sizes. A mistake is then reported before the first call with sizes that show
// it, and in other words. Code that needs a value that only a caller has is not
// a mistake: the check is then given up silently.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

std::optional<Val> Calls::symbolicArgument(const ast::Param &param) {
  Val val;
  auto *named = llvm::dyn_cast_or_null<ast::NamedType>(param.type);
  if (!named)
    return std::nullopt;
  if (c.types.isTensorType(*param.type)) {
    if (!Types::dtypeFromName(named->name.text))
      return std::nullopt;
    for (const ast::SubscriptItem &item : named->dims)
      if (item.kind == ast::SubscriptItem::Ellipsis ||
          (item.kind == ast::SubscriptItem::Index &&
           item.index->kind != ast::ExprKind::Name &&
           item.index->kind != ast::ExprKind::Int))
        return std::nullopt;
    std::optional<TensorType> type = c.types.tensorFromType(*param.type, true);
    if (!type)
      return std::nullopt;
    for (auto [item, size] : llvm::zip(named->dims, type->dims)) {
      auto atom = size.getAtom();
      if (atom && !c.host.sizes[atom].value) {
        c.host.sizes[atom].nonNegative = true;
        c.host.sizes[atom].value = c.unknownValue();
      }
      if (auto *name =
              item.index ? llvm::dyn_cast<ast::NameExpr>(item.index) : nullptr;
          name && c.types.introducesSize(name->name))
        c.types.bindSize(*name, size);
    }
    val = makeTensor(*type, c.unknownValue());
  } else if (param.defaultValue) {
    val = c.eval(*param.defaultValue);
    if (named->name.text == "float" && val.is(ValKind::Int))
      val = c.host.toFloat(val);
  } else if (named->name.text == "int") {
    val = c.host.runTimeInt(c.unknownValue(), param.name.text);
  } else if (named->name.text == "float") {
    val = makeRunTime(ValKind::Float, c.unknownValue());
  } else if (named->name.text == "bool") {
    val = makeRunTime(ValKind::Bool, c.unknownValue());
  } else {
    return std::nullopt;
  }
  val.range = param.name.range;
  return val;
}

void Calls::walkAside(llvm::function_ref<void()> walk) {
  Reporter::Aside aside(c);
  Restore<std::vector<LoopRecord>> savedLoops(c.control.loops);
  Restore<DataParallel::Names> savedReplicas(c.dataParallel.names);
  Restore<Scope *> savedScope(c.scopes.scope);
  Restore<decltype(c.control.leftModels)> savedLeft(c.control.leftModels);
  Restore<FileScope *> savedFile(c.scopes.file);
  Restore<unsigned> savedNoGrad(c.tensors.builder.noGrad),
      savedRegion(c.regionDepth), savedCondition(c.conditionDepth),
      savedErrors(c.errorCount);
  Restore<std::string> savedHint(c.models.nameHint);
  Restore<llvm::StringMap<unsigned>> savedNames(c.models.usedNames);
  ModelStates states = saveModels(c);
  // A gradient slot that is declared here reaches only the NullEmitter: slots
  // are restored after the walk.
  std::vector<std::pair<Slot *, Slot>> slotsBefore;
  for (const auto &model : c.models.all)
    for (NamedSlot &named : c.models.slotsOf(model))
      slotsBefore.emplace_back(named.slot, *named.slot);
  // So do the slots of settings that are assigned here for the first time.
  std::vector<std::pair<ParameterGroup *, ParameterGroup>> groupsBefore;
  std::vector<bool> steppedBefore;
  for (const auto &optimizer : c.training.optimizers) {
    steppedBefore.push_back(optimizer->hasStepped);
    for (const auto &group : optimizer->groups)
      groupsBefore.emplace_back(group.get(), *group);
  }
  std::vector<std::string> names;
  names.reserve(c.models.all.size());
  for (const auto &model : c.models.all)
    names.push_back(model->name);
  size_t modelCount = c.models.all.size(),
         optimizerCount = c.training.optimizers.size();
  size_t knownFacts = c.host.sizes.mark();
  c.models.forgetReads();
  walk();
  c.host.sizes.forgetSince(knownFacts);
  c.models.all.resize(modelCount);
  c.training.optimizers.resize(optimizerCount);
  restoreModels(c, states);
  for (auto [model, name] : llvm::zip(c.models.all, names))
    model->name = name;
  for (auto &[slot, before] : slotsBefore)
    *slot = before;
  for (auto &[group, before] : groupsBefore)
    *group = before;
  for (auto [optimizer, stepped] :
       llvm::zip(c.training.optimizers, steppedBefore))
    optimizer->hasStepped = stepped;
  c.models.forgetReads();
  c.forgetLocation();
}

void Calls::checkAlone(const FunctionInfo &fn) {
  if (c.isWalkedAside() || fn.decl->params.empty() ||
      c.isPrelude(fn.file->id) || !checkedAlone.insert(fn.decl).second)
    return;
  for (const ast::Param &param : fn.decl->params)
    if (!param.type || param.isRest)
      return;

  unsigned reports = c.countReports();
  walkAside([&] { callWithSymbols(fn); });
  if (c.countReports() != reports)
    c.stopEmitting();
}

void Calls::callWithSymbols(const FunctionInfo &fn) {
  c.scopes.file = fn.file;
  c.frames.clear();
  c.control.loops.clear();
  c.conditionDepth = 1;
  // The caller decides where the arguments are.
  Restore<Placement> savedPlacement(c.places.placement, Placement::Insert);
  Scope config, names;
  config.parent = &fn.file->scope;
  if (fn.self)
    for (auto &entry : fn.self->config)
      config.names[entry.first()].val = entry.second;
  names.parent = &config;
  c.scopes.scope = &names;
  CallArgs args;
  args.range = fn.decl->name.range;
  args.calleeRange = fn.decl->name.range;
  bool possible = true;
  for (const ast::Param &param : fn.decl->params) {
    std::optional<Val> val = symbolicArgument(param);
    possible = possible && val && !val->isError();
    if (val)
      args.positional.push_back(*val);
  }
  if (possible) {
    if (fn.self)
      for (Val &val : args.positional)
        if (val.is(ValKind::Tensor) &&
            typeOf(val).place.kind == Place::Kind::Free) {
          TensorType type = typeOf(val);
          type.place = fn.self->place;
          SourceRange range = val.range;
          val = makeTensor(type, val.value, fn.self->moved);
          val.range = range;
        }
    callFunction(fn, args);
  }
}

void Calls::checkUncalled() {
  for (const ast::Stmt *item : c.scopes.file->program->items)
    if (auto *fn = llvm::dyn_cast<ast::FnDecl>(item); fn && !fn->isExport) {
      FunctionInfo info;
      info.decl = fn;
      info.file = c.scopes.file;
      checkAlone(info);
    }
}
