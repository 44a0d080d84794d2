//===- Standalone.cpp - annotated functions on their own ------------------===//
//
// A function whose parameters are all annotated is also checked with symbolic
// sizes, so that a mistake shows before, and in other words than, the first
// call with unlucky sizes. What then needs a value that only a caller has is
// no mistake: the check is given up in silence.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

std::optional<Val> Checker::symbolicArgument(const ast::Param &param) {
  Val val;
  auto *named = llvm::dyn_cast_or_null<ast::NamedType>(param.type);
  if (!named)
    return std::nullopt;
  if (isTensorType(*param.type)) {
    if (!dtypeFromName(named->name.text))
      return std::nullopt;
    for (const ast::SubscriptItem &item : named->dims)
      if (item.kind == ast::SubscriptItem::Ellipsis ||
          (item.kind == ast::SubscriptItem::Index &&
           item.index->kind != ast::ExprKind::Name &&
           item.index->kind != ast::ExprKind::Int))
        return std::nullopt;
    std::optional<TensorType> type = tensorFromType(*param.type, true);
    if (!type)
      return std::nullopt;
    for (auto [item, size] : llvm::zip(named->dims, type->dims)) {
      auto atom = size.getAtom();
      if (atom && !sizes[atom].value) {
        sizes[atom].nonNegative = true;
        sizes[atom].value = Value(&nullEmitter);
      }
      if (auto *name =
              item.index ? llvm::dyn_cast<ast::NameExpr>(item.index) : nullptr;
          name && introducesSize(name->name))
        bindSize(*name, size);
    }
    val = makeTensor(*type, Value(&nullEmitter));
  } else if (param.defaultValue) {
    val = eval(*param.defaultValue);
    if (named->name.text == "float" && val.is(ValKind::Int))
      val = toFloat(val);
  } else if (named->name.text == "int") {
    val = runTimeInt(Value(&nullEmitter), param.name.text);
  } else if (named->name.text == "float") {
    val = makeRunTime(ValKind::Float, Value(&nullEmitter));
  } else if (named->name.text == "bool") {
    val = makeRunTime(ValKind::Bool, Value(&nullEmitter));
  } else {
    return std::nullopt;
  }
  val.range = param.name.range;
  return val;
}

void Checker::walkAside(llvm::function_ref<void()> walk) {
  Restore<Emitter *> savedEmitter(emitter, &nullEmitter);
  Restore<DiagnosticEngine *> savedDiags(diags);
  Restore<std::vector<Frame>> savedFrames(frames);
  Restore<std::vector<LoopRecord>> savedLoops(loops);
  Restore<Scope *> savedScope(scope);
  Restore<decltype(leftModels)> savedLeft(leftModels);
  Restore<FileScope *> savedFile(file);
  Restore<unsigned> savedNoGrad(noGrad), savedRegion(regionDepth),
      savedCondition(conditionDepth);
  Restore<std::string> savedHint(nameHint);
  Restore<SourceRange> savedFailed(failedAt), savedHere(here);
  DiagnosticEngine silent(sources);
  Restore<DiagnosticEngine *> savedScratch(scratch, &silent);
  Restore<bool> savedAlone(alone, true), savedAbandoned(abandoned, false);
  ModelStates states = saveModels(*this);
  // A slot for a gradient that is declared here would be declared to nobody.
  std::vector<std::pair<Slot *, Slot>> slotsBefore;
  for (const auto &model : models)
    for (NamedSlot &named : slotsOf(model))
      slotsBefore.emplace_back(named.slot, *named.slot);
  std::vector<std::string> names;
  names.reserve(models.size());
  for (const auto &model : models)
    names.push_back(model->name);
  size_t modelCount = models.size(), optimizerCount = optimizers.size();
  size_t knownFacts = sizes.mark();
  forgetReads();
  walk();
  sizes.forgetSince(knownFacts);
  models.resize(modelCount);
  optimizers.resize(optimizerCount);
  restoreModels(*this, states);
  for (auto [model, name] : llvm::zip(models, names))
    model->name = name;
  for (auto &[slot, before] : slotsBefore)
    *slot = before;
  forgetReads();
  locationIsStale = true;
}

void Checker::checkAlone(const FunctionInfo &fn) {
  if (alone || fn.decl->params.empty() || isPrelude(fn.file->id) ||
      !checkedAlone.insert(fn.decl).second)
    return;
  for (const ast::Param &param : fn.decl->params)
    if (!param.type)
      return;

  unsigned errors = diags->getNumErrors();
  walkAside([&] { callWithSymbols(fn); });
  if (diags->getNumErrors() != errors)
    emitter = &nullEmitter;
}

void Checker::callWithSymbols(const FunctionInfo &fn) {
  file = fn.file;
  frames.clear();
  loops.clear();
  conditionDepth = 1;
  // The caller says where the arguments are.
  Restore<Placement> savedPlacement(placement, Placement::Insert);
  Scope config, names;
  config.parent = &fn.file->scope;
  if (fn.self)
    for (auto &entry : fn.self->config)
      config.names[entry.first()].val = entry.second;
  names.parent = &config;
  scope = &names;
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

void Checker::checkUncalled() {
  for (const ast::Stmt *item : file->program->items)
    if (auto *fn = llvm::dyn_cast<ast::FnDecl>(item); fn && !fn->isExport) {
      FunctionInfo info;
      info.decl = fn;
      info.file = file;
      checkAlone(info);
    }
}
