//===- Expressions.cpp - literals, names, members, calls ------------------===//

#include "Dialect/TD/OpTable/Template.h"
#include "Joins.h"
#include "tdc_text.h"

using namespace tdc;
using namespace tdc::sema;

Val Checker::eval(const ast::Expr &expr, const ast::TypeExpr *expected) {
  Val val = evalUnread(expr, expected);
  if (!isUnread(val))
    return val;
  at(expr.range);
  val = models.readAll(val, expr.range);
  sharing.track(val, expr.range);
  forgetLocation();
  return val;
}

Val Checker::evalUnread(const ast::Expr &expr, const ast::TypeExpr *expected) {
  Restore<unsigned> savedDepth(evalDepth, evalDepth + 1);
  if (!withinLimits(expr.range))
    return fail();
  Restore<SourceRange> savedHere(here);
  at(expr.range);
  Val val = evalAny(expr, expected);
  if (!isWithinExtent(extentOf(val), expr.range))
    val = fail();
  // In the prelude a value keeps the user's expression it came from.
  if (!isPrelude(expr.range.file) || !val.range.isValid())
    val.range = expr.range;
  sharing.track(val, expr.range);
  observe(expr.range, val);
  forgetLocation();
  return val;
}

Val Checker::evalAny(const ast::Expr &expr, const ast::TypeExpr *expected) {
  using ast::ExprKind;
  switch (expr.kind) {
  case ExprKind::Name:
    return evalName(llvm::cast<ast::NameExpr>(expr));
  case ExprKind::Int: {
    Val val = makeInt(llvm::cast<ast::IntExpr>(expr).value);
    val.written = expr.range;
    return val;
  }
  case ExprKind::Float:
    return makeFloat(llvm::cast<ast::FloatExpr>(expr).value);
  case ExprKind::Bool:
    return makeBool(llvm::cast<ast::BoolExpr>(expr).value);
  case ExprKind::String:
    lints.checkText(llvm::cast<ast::StringExpr>(expr));
    return makeStr(llvm::cast<ast::StringExpr>(expr).value);
  case ExprKind::FString:
    return evalFString(llvm::cast<ast::FStringExpr>(expr));
  case ExprKind::Device:
    return makeDevice(getCuda(llvm::cast<ast::DeviceExpr>(expr).ordinal),
                      expr.range);
  case ExprKind::Self:
    return evalSelf(expr);
  case ExprKind::Unary:
    return evalUnary(llvm::cast<ast::UnaryExpr>(expr));
  case ExprKind::Binary:
    return evalBinary(llvm::cast<ast::BinaryExpr>(expr));
  case ExprKind::Compare:
    return evalCompare(llvm::cast<ast::CompareExpr>(expr));
  case ExprKind::Conditional:
    return control.evalConditional(llvm::cast<ast::ConditionalExpr>(expr),
                                   expected);
  case ExprKind::Call:
    return evalCall(llvm::cast<ast::CallExpr>(expr), expected);
  case ExprKind::Subscript:
    return indexing.evalSubscript(llvm::cast<ast::SubscriptExpr>(expr));
  case ExprKind::Member:
    return evalMember(llvm::cast<ast::MemberExpr>(expr));
  case ExprKind::Tuple:
    return evalElements(ValKind::Tuple,
                        llvm::cast<ast::TupleExpr>(expr).elements,
                        llvm::dyn_cast_or_null<ast::TupleType>(expected));
  case ExprKind::List:
    return evalElements(ValKind::List,
                        llvm::cast<ast::ListExpr>(expr).elements);
  case ExprKind::Comprehension:
    return control.evalComprehension(llvm::cast<ast::ComprehensionExpr>(expr));
  }
  return Val();
}

Val Checker::evalFString(const ast::FStringExpr &expr) {
  std::string templateText;
  llvm::SmallVector<Value> values;
  bool good = true;
  for (const ast::FStringPart &part : expr.parts) {
    if (!part.value) {
      appendLiteral(templateText, part.literal);
      continue;
    }
    appendLiteral(templateText, part.echo);
    Val val = models.readAll(eval(*part.value), part.value->range);
    sharing.use(val, part.value->range);
    at(expr.range);
    if (val.isError() ||
        (part.spec && !formatting.checkSpec(*part.spec, val))) {
      good = false;
      continue;
    }
    formatting.appendValue(templateText, values, val,
                           part.spec ? part.spec->text : llvm::StringRef(),
                           true);
  }
  if (!good)
    return fail();
  return makeText(templateText, std::move(values));
}

Val Checker::evalSelf(const ast::Expr &expr) {
  if (frames.empty() || !frames.back().self) {
    error(DiagCode::TD201, expr.range, "`self` outside of a model's method");
    return Val();
  }
  Val val = makeVal(ValKind::Model);
  val.data = frames.back().selfOwner;
  return val;
}

Val Checker::evalElements(ValKind kind,
                          llvm::ArrayRef<const ast::Expr *> elements,
                          const ast::TupleType *expected) {
  Vals vals;
  for (auto [i, element] : llvm::enumerate(elements)) {
    bool isExpected = expected && i < expected->elements.size();
    // A list of parameters is a list of names of them, as in PyTorch.
    auto *member = llvm::dyn_cast<ast::MemberExpr>(element);
    bool isState = member && kind == ValKind::List &&
                   member->member.text != "grad" &&
                   member->member.text != "data";
    vals.push_back(isState
                       ? evalTarget(*element)
                       : evalUnread(*element, isExpected ? expected->elements[i]
                                                         : nullptr));
    sharing.name(vals.back(), element->range);
  }
  return makeSequence(kind, std::move(vals));
}

/// Whether the exported function that is being walked can use the value: texts
/// that the program computes are not kept for it.
static bool canUse(Checker &c, const Val &val) {
  if (val.is(ValKind::Tuple) || val.is(ValKind::List))
    return llvm::all_of(elementsOf(val),
                        [&](const Val &element) { return canUse(c, element); });
  if (!val.is(ValKind::Str) || val.known)
    return true;
  if (val.value)
    return c.emit().canUse(val.value);
  return llvm::all_of(val.as<Text>().values,
                      [&](Value value) { return c.emit().canUse(value); });
}

static Val reportUnusable(Checker &c, SourceRange range) {
  return c.unsupported(range, "an exported function that uses a str which the "
                              "program computes");
}

Val Checker::evalName(const ast::NameExpr &expr) {
  if (Binding *binding = scopes.lookup(expr.name)) {
    binding->used = true;
    Val val = binding->val;
    if (calls.exporting && !canUse(*this, val))
      return reportUnusable(*this, expr.range);
    return val;
  }
  if (std::optional<Val> val = scopes.findGlobal(expr.name))
    return *val;
  scopes.reportUnknown(expr.name, expr.range);
  scopes.poison(expr.name, expr.range);
  return fail();
}

/// Whether the expression is the name of one of PyTorch's modules, which are
/// not values.
static bool isSpace(Checker &c, const ast::Expr &expr, llvm::StringRef space) {
  auto *name = llvm::dyn_cast<ast::NameExpr>(&expr);
  return name && name->name == space && !c.scopes.lookup(space);
}

/// What is known of a tensor of a model without its value.
static bool isFieldOfType(llvm::StringRef name) {
  return name == "shape" || name == "dtype" || name == "ndim";
}

Val Checker::evalMember(const ast::MemberExpr &expr, bool isRead) {
  Val val = memberOf(expr, isRead);
  if (calls.exporting && !canUse(*this, val))
    return reportUnusable(*this, expr.range);
  // A function of PyTorch's modules is a value; a method is not.
  bool isMethod = val.is(ValKind::Function) && val.known;
  return isMethod || isSpace(*this, *expr.base, "cuda")
             ? reportNotCalled(expr.range)
             : val;
}

Val Checker::memberOf(const ast::MemberExpr &expr, bool isRead) {
  // `cuda` is a device as a value and a module before a dot.
  if (isSpace(*this, *expr.base, "cuda")) {
    if (std::optional<Val> val =
            scopes.findGlobal(("cuda." + expr.member.text).str()))
      return *val;
    return scopes.reportNotInModule("cuda", expr.member);
  }
  if (isSpace(*this, *expr.base, "torch")) {
    error(DiagCode::TD102, expr.base->range, "Python syntax")
        .label("nothing needs the prefix `torch.`")
        .fix(FixIt::Safe, "`" + expr.member.text + "`",
             {{expr.range, expr.member.text.str()}});
    return fail();
  }
  llvm::StringRef name = expr.member.text;
  bool isKnownUnread = isFieldOfType(name) || name == "grad" ||
                       name == "requires_grad" || !isRead;
  Val base = isKnownUnread ? evalTarget(*expr.base) : eval(*expr.base);
  if (base.isError())
    return base;
  if (base.is(ValKind::Model) && !isRead)
    if (auto *found = base.as<ModelInstance>().find(name);
        found && found->slot && !found->slot->isHostNumber)
      return stateOf(*found->slot);
  if (isUnread(base) && name == "data" && !isRead)
    return base;
  if (isUnread(base) && !isFieldOfType(name) &&
      !(base.as<TensorInfo>().state &&
        (name == "grad" || name == "requires_grad")))
    base = models.readAll(base, expr.base->range);
  Val val = member(base, expr.member, expr.range);
  observeMember(base, expr.member, val);
  return val;
}

/// `x.T` and the other fields of a tensor that are not calls.
static std::optional<Val> tensorField(Checker &c, const Val &tensor,
                                      llvm::StringRef name, SourceRange range) {
  const TensorType &type = typeOf(tensor);
  size_t rank = type.dims.size();
  if (name == "shape") {
    Vals sizes;
    for (const Size &size : type.dims)
      sizes.push_back(makeInt(size));
    return makeSequence(ValKind::Tuple, std::move(sizes));
  }
  if (name == "dtype")
    return makeDType(type.dtype);
  if (name == "device")
    return c.places.deviceOf(tensor);
  if (name == "data")
    return c.training.stopGradient(tensor);
  if (name == "ndim")
    return makeInt(static_cast<int64_t>(rank));
  // Of real numbers, which tensors have, `H` is `T`.
  if (name == "T" || name == "mT" || name == "H" || name == "mH") {
    bool ofMatrices = name.starts_with("m");
    if (ofMatrices ? rank < 2 : rank != 2) {
      c.error(DiagCode::TD403, range,
              "`." + name + "` of a tensor with " + countOf(rank, "dim"))
          .label(typeText(type))
          .note(ofMatrices ? "`." + name + "` swaps the last two dims"
                           : "`." + name + "` is for 2 dims; `.m" + name +
                                 "` swaps the last two");
      return Val();
    }
    llvm::SmallVector<int64_t> permutation;
    for (size_t i = 0; i != rank; ++i)
      permutation.push_back(i);
    std::swap(permutation[rank - 1], permutation[rank - 2]);
    return c.tensors.permuteTo(tensor, permutation);
  }
  return std::nullopt;
}

/// A callable with its first argument.
static Val boundTo(Val callee, const Val &receiver) {
  Val val = makeVal(ValKind::Function);
  auto bound = std::make_shared<BoundCall>();
  bound->callee = std::move(callee);
  bound->receiver = receiver;
  val.data = std::move(bound);
  val.known = true; // marks a BoundCall
  return val;
}

Val Checker::member(const Val &base, const ast::Identifier &name,
                    SourceRange range) {
  switch (base.kind) {
  case ValKind::Error:
    return base;
  case ValKind::Namespace: {
    auto &space = base.as<NamespaceInfo>();
    if (space.file) {
      auto found = space.file->scope.names.find(name.text);
      if (found != space.file->scope.names.end())
        return found->second.val;
      return scopes.reportNotInFile(DiagCode::TD202, *space.file, space.name,
                                    name);
    }
    if (std::optional<Val> val = scopes.findInModule(space.name, name.text))
      return *val;
    if (space.name == "init")
      return scopes.reportNotInModule("init", name);
    scopes.reportUnknown(name.text, name.range);
    return fail();
  }
  case ValKind::Tensor:
    if (auto val = tensorField(*this, base, name.text, range))
      return *val;
    if (auto slot = base.as<TensorInfo>().state;
        slot && slot->kind == td::SlotKind::Param) {
      if (name.text == "grad")
        return gradientOf(*slot);
      if (name.text == "requires_grad")
        return makeBool(models.isLearned(*slot, range));
    }
    if (name.text == "grad" || Scopes::hasMethod(base, name.text))
      break;
    if (std::optional<Val> callee = scopes.findMethod(name.text))
      return boundTo(*callee, base);
    break;
  case ValKind::Model:
    if (std::optional<Val> val = models.modelMember(base, name.text))
      return *val;
    break;
  case ValKind::Optimizer:
  case ValKind::ParameterGroup:
    if (auto val = training.settingMember(base, name.text, range))
      return *val;
    break;
  case ValKind::Dataset: {
    auto &dataset = base.as<DatasetInfo>();
    if (name.text == "tensors" && !dataset.indices)
      return makeSequence(ValKind::Tuple, dataset.tensors);
    if (name.text == "indices" && dataset.indices)
      return dataset.chosen;
    break;
  }
  case ValKind::Generator:
    if (name.text == "manual_seed")
      return boundTo(*scopes.findGlobal("generator.manual_seed"), base);
    break;
  case ValKind::Loader:
    if (name.text == "batch_size")
      return makeInt(base.as<LoaderInfo>().batchSize);
    if (name.text == "dataset") {
      Val val = makeVal(ValKind::Dataset);
      val.data = base.as<LoaderInfo>().dataset;
      return val;
    }
    break;
  case ValKind::Int:
  case ValKind::Float:
  case ValKind::Bool:
    // A host number is what `.item()` of a tensor would give.
    if (name.text == "item")
      return boundTo(*scopes.findMethod("item"), base);
    break;
  case ValKind::Class:
    if (name.text == "__name__") {
      auto &type = base.as<ClassInfo>();
      return makeStr(type.decl ? type.decl->name.text : spelling(type.native));
    }
    if (auto val = models.classMember(base.as<ClassInfo>(), name.text, range))
      return *val;
    break;
  case ValKind::Str:
    if (auto method = scopes.findGlobal(("str." + name.text).str()))
      return boundTo(*method, base);
    break;
  case ValKind::Tuple:
    if (name.text == "to" || name.text == "cpu" || name.text == "cuda")
      return boundTo(*scopes.findMethod(name.text), base);
    break;
  default:
    break;
  }
  if (Scopes::hasMethod(base, name.text))
    return reportNotCalled(range);
  return scopes.reportNoMember(base, range, name.text);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool Checker::evalArguments(llvm::ArrayRef<ast::Argument> args, CallArgs &out,
                            bool changesFirst) {
  bool good = true;
  for (const ast::Argument &arg : args) {
    Val val = changesFirst && &arg == &args.front() ? evalTarget(*arg.value)
                                                    : eval(*arg.value);
    good &= !val.isError();
    switch (arg.kind) {
    case ast::Argument::Positional:
      out.positional.push_back(std::move(val));
      break;
    case ast::Argument::Keyword:
      for (const auto &other : out.keywords)
        if (other.name.text == arg.keyword.text) {
          error(DiagCode::TD205, arg.keyword.range,
                "`" + arg.keyword.text + "` is given twice");
          good = false;
        }
      out.keywords.push_back({arg.keyword, std::move(val)});
      break;
    case ast::Argument::Spread: {
      Vals elements;
      if (!control.elementsOfIterable(val, arg.range, elements))
        return false;
      out.positional.append(elements);
      break;
    }
    }
  }
  return good;
}

/// Methods with a meaning of their own, which are not functions of the value.
static bool isStateMethod(ValKind kind, llvm::StringRef name) {
  if (kind == ValKind::Tensor)
    return name == "backward";
  return kind == ValKind::Optimizer || kind == ValKind::Model;
}

/// Whether a call walks code of the program, which may hold mistakes of its
/// own even if an argument is not known.
static bool isOfProgram(Checker &c, const Val &callee) {
  if (callee.is(ValKind::Function) && !callee.known)
    return !c.isPrelude(callee.as<FunctionInfo>().decl->range.file);
  if (!callee.is(ValKind::Model))
    return false;
  auto &model = callee.as<ModelInstance>();
  return model.decl && model.file && !c.isPrelude(model.file->id);
}

/// The same for `model.name(…)`.
static bool isMethodOfProgram(Checker &c, const Val &base,
                              llvm::StringRef name) {
  return base.is(ValKind::Model) && isOfProgram(c, base) &&
         llvm::any_of(base.as<ModelInstance>().decl->members,
                      [&](const ast::Decl *member) {
                        auto *fn = llvm::dyn_cast<ast::FnDecl>(member);
                        return fn && fn->name.text == name;
                      });
}

/// Whether a function of the language reads the tensors among its arguments,
/// if its result does not share with them.
static bool readsArguments(const Val &callee) {
  if (callee.is(ValKind::Function) && callee.known)
    return readsArguments(callee.as<BoundCall>().callee);
  return !callee.is(ValKind::Builtin) ||
         callee.as<BuiltinInfo>().builtin->shares != Shares::Type;
}

/// Whether the first argument is a tensor that is not of a model.
static bool isVariableTensor(const CallArgs &args) {
  return !args.positional.empty() && args.positional[0].is(ValKind::Tensor) &&
         !isUnread(args.positional[0]);
}

/// A call, with what its arguments and its result share in PyTorch.
static Val callAndShare(Checker &c, const ast::CallExpr &expr,
                        const Val &callee, CallArgs &args) {
  if (c.isPrelude(expr.range.file) || isOfProgram(c, callee))
    return c.calls.call(callee, args);
  bool isInPlace = takeInPlace(c, expr, args);
  Vals given(args.positional);
  if (callee.is(ValKind::Function) && callee.known)
    given.insert(given.begin(), callee.as<BoundCall>().receiver);
  for (const auto &keyword : args.keywords)
    given.push_back(keyword.val);
  bool reads = readsArguments(callee);
  bool isChanged = isInPlace || isInPlaceLayer(c, callee);
  Val result = c.calls.call(callee, args);
  reads &= !isChanged && !Sharing::isShared(result);
  for (const Val &val : given) {
    SourceRange range = val.range.isValid() ? val.range : expr.range;
    if (reads)
      c.sharing.use(val, range);
    else if (val.is(ValKind::List))
      c.sharing.useSelf(val, range);
  }
  if (isInPlace && !given.empty())
    c.sharing.changeByCall(given[0], result, expr.range);
  return result;
}

/// `F.relu_(x)`: functions that change a tensor are its methods, `x.relu_()`.
static bool reportChangingFunction(Checker &c, const ast::CallExpr &expr,
                                   llvm::StringRef name, SourceRange range) {
  if (!isInPlaceName(name) || c.isPrelude(expr.range.file) ||
      c.scopes.lookup(name) || c.scopes.findGlobal(name) ||
      !changesTensor(name) || expr.args.empty() ||
      expr.args[0].kind != ast::Argument::Positional)
    return false;
  SourceRange first = expr.args[0].value->range;
  llvm::StringRef rest =
      c.text({expr.range.file, first.end, expr.range.end}).ltrim(", \t\n");
  std::string call = (c.asOperand(first) + "." + name + "(" + rest).str();
  c.error(DiagCode::TD201, range, "unknown name `" + name + "`")
      .label("a method of the tensor that it changes")
      .fix(FixIt::Safe, "`" + call + "`", {{expr.range, call}});
  return true;
}

Val Checker::evalCall(const ast::CallExpr &expr,
                      const ast::TypeExpr *expected) {
  if (!isPrelude(expr.range.file))
    control.preludeFailed = false;
  CallArgs args;
  args.range = expr.range;
  args.calleeRange = expr.callee->range;
  args.expected = expected;
  auto callWith = [&](const Val &callee, bool isGood) {
    if (callee.isError() || (!isGood && !isOfProgram(*this, callee)))
      return fail();
    at(expr.range);
    Val result = callAndShare(*this, expr, callee, args);
    return isGood ? result : fail();
  };
  auto *method = llvm::dyn_cast<ast::MemberExpr>(expr.callee);
  bool isInSpace = method && (isSpace(*this, *method->base, "cuda") ||
                              isSpace(*this, *method->base, "torch"));
  if (method && !isInSpace) {
    llvm::StringRef name = method->member.text;
    // The expected type is passed through `.to(device)`.
    bool isInPlace = isInPlaceName(name);
    std::optional<Indexing::KeptIndices> kept;
    if (isInPlace || changesList(name))
      kept.emplace(indexing, *method->base);
    chained.erase(&expr);
    bool isOfType = name == "numel" || name == "size" || name == "dim";
    Val base =
        isInPlace || isOfType
            ? evalTarget(*method->base)
            : eval(*method->base,
                   name == "to" || name == "cuda" || name == "cpu" ? expected
                                                                   : nullptr);
    if (isUnread(base) && isInPlace) {
      if (!evalArguments(expr.args, args))
        return fail();
      at(expr.range);
      return changeInPlace(base, method->member, args);
    }
    bool isInInit =
        base.is(ValKind::Namespace) && base.as<NamespaceInfo>().name == "init";
    if (base.is(ValKind::Namespace) && !isInInit &&
        reportChangingFunction(*this, expr, name, method->member.range))
      return fail();
    if (base.is(ValKind::Tensor) && isInPlace && !isPrelude(expr.range.file) &&
        changesTensor(name)) {
      if (!evalArguments(expr.args, args))
        return fail();
      for (const Val &val : args.positional)
        sharing.use(val, expr.range);
      at(expr.range);
      return changeVariable(expr, *method->base, base, method->member, args);
    }
    if (base.isError()) {
      evalArguments(expr.args, args);
      return base;
    }
    if (isStateMethod(base.kind, name) &&
        !(base.is(ValKind::Model) && base.as<ModelInstance>().find(name))) {
      bool isOfProgram = isMethodOfProgram(*this, base, name);
      if (isOfProgram)
        observeMember(base, method->member, *models.modelMember(base, name));
      bool isGood = evalArguments(expr.args, args);
      if (!isGood && !isOfProgram)
        return fail();
      at(expr.range);
      sharing.use(base, expr.range);
      if (base.is(ValKind::Tensor))
        return training.backward(base, args);
      for (Val &val : args.positional)
        val = models.readAll(val, expr.range);
      for (const Val &val : args.positional)
        if (base.is(ValKind::Optimizer))
          sharing.use(val, expr.range);
      if (base.is(ValKind::Optimizer))
        return training.callOptimizerMethod(base, name, args);
      return models.callModelMethod(base, name, args);
    }
    if (base.is(ValKind::List) && changesList(name)) {
      if (!evalArguments(expr.args, args)) {
        // What the list has now is not known.
        auto *list = llvm::dyn_cast<ast::NameExpr>(method->base);
        if (Binding *binding = list ? scopes.lookup(list->name) : nullptr)
          binding->val = fail();
        return fail();
      }
      // The arguments may have changed it: `xs.append(xs.pop(0))`.
      base = evalUnread(*method->base);
      at(expr.range);
      return changeList(*method->base, std::move(base), method->member, args);
    }
    Val callee = member(base, method->member, method->range);
    observeMember(base, method->member, callee);
    bool changes = callee.is(ValKind::Builtin) &&
                   changesFirst(callee.as<BuiltinInfo>().builtin->name);
    bool isGood = evalArguments(expr.args, args, changes);
    if (isGood && changes && isVariableTensor(args)) {
      Val old = args.positional[0];
      args.positional.erase(args.positional.begin());
      at(expr.range);
      llvm::StringRef function = callee.as<BuiltinInfo>().builtin->name;
      return changeVariable(expr, *expr.args[0].value, old,
                            {function.str(), method->range}, args);
    }
    return callWith(callee, isGood);
  }
  auto *function = llvm::dyn_cast<ast::NameExpr>(expr.callee);
  if (function &&
      reportChangingFunction(*this, expr, function->name, function->range))
    return fail();
  Val callee = method ? memberOf(*method) : eval(*expr.callee);
  return callWith(callee, evalArguments(expr.args, args));
}
