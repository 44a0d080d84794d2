//===- Calls.cpp - calls are walked in place ------------------------------===//
//
// A function is a template over everything: its body is walked again for each
// call, with the values of the arguments. There is no recursion, so this ends.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "PyTorchNames.h"
#include "tdc_text.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::sema;

/// Reads the tensors of models in lists among the arguments, and those that
/// `*list` gave.
static void readAll(Checker &c, CallArgs &args) {
  for (Val &val : args.positional)
    val = c.models.readAll(val, args.range);
  for (CallArgs::Keyword &keyword : args.keywords)
    keyword.val = c.models.readAll(keyword.val, args.range);
}

Val Calls::call(const Val &callee, CallArgs &args) {
  switch (callee.kind) {
  case ValKind::Error:
    return callee;
  case ValKind::Function: {
    if (!callee.known) {
      auto &fn = callee.as<FunctionInfo>();
      if (!c.isPrelude(fn.file->id))
        return callFunction(fn, args);
      readAll(c, args);
      return callPreludeFunction(fn, args);
    }
    auto &bound = callee.as<BoundCall>();
    args.positional.insert(args.positional.begin(), bound.receiver);
    return call(bound.callee, args);
  }
  case ValKind::Builtin:
    return callBuiltin(*callee.as<BuiltinInfo>().builtin, args);
  case ValKind::Class:
    return c.models.construct(callee.as<ClassInfo>(), args);
  case ValKind::Model:
    return c.models.callModel(callee, args);
  case ValKind::Device: {
    // cuda(i)
    if (!callee.as<DeviceInfo>().isWord || args.positional.size() != 1 ||
        !args.keywords.empty())
      break;
    auto device = c.devices.cudaDevice(args.positional[0], args.range);
    return device ? *device : c.fail();
  }
  default:
    break;
  }
  llvm::StringRef written = c.text(args.calleeRange);
  Diagnostic &report = c.error(DiagCode::TD206, args.calleeRange,
                               describe(callee) + " cannot be called");
  c.scopes.noteHidden(report, written);
  // `x.shape()`
  SourceRange brackets = args.calleeRange.finish().to(args.range);
  bool isMember =
      written.contains('.') && !written.rsplit('.').second.contains('(');
  bool isIndexed = callee.is(ValKind::Tuple) || callee.is(ValKind::List);
  llvm::StringRef arguments = c.text(brackets);
  if (isIndexed && args.positional.size() == 1 && args.keywords.empty() &&
      arguments.starts_with("(") && arguments.ends_with(")"))
    report.fix(FixIt::Safe,
               "`" + written + "[" + arguments.drop_front().drop_back() + "]`",
               {{{brackets.file, brackets.begin, brackets.begin + 1}, "["},
                {{brackets.file, brackets.end - 1, brackets.end}, "]"}});
  if (isMember && c.text(brackets) == "()")
    report.label("a field, which is not called")
        .fix(FixIt::Safe, "`" + written + "`", {{brackets, ""}});
  return c.fail();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

void Calls::reportExtra(const CallArgs &args, llvm::StringRef what,
                        llvm::StringRef kind, size_t most) {
  c.error(DiagCode::TD205, args.range,
          what + " takes " + countOf(most, (kind + "argument").str()) + ", " +
              llvm::Twine(args.positional.size()) + " are given");
}

/// The only name that begins with a word, as `kernel_size` with `kernel`; empty
/// if there are none or several.
static llvm::StringRef findLonger(llvm::StringRef word,
                                  llvm::ArrayRef<llvm::StringRef> names) {
  llvm::StringRef found;
  for (llvm::StringRef name : names)
    if (name.starts_with((word + "_").str())) {
      if (!found.empty())
        return "";
      found = name;
    }
  return found;
}

static void reportMissing(Checker &c, const CallArgs &args,
                          llvm::StringRef what, llvm::StringRef name) {
  Diagnostic &report = c.error(DiagCode::TD205, args.range,
                               what + " needs an argument for `" + name + "`");
  bool isSoftmax = what == "`softmax`" || what == "`log_softmax`";
  if (!isSoftmax || !c.text(args.range).ends_with(")"))
    return;
  // PyTorch picks this dim for rows of scores, with a warning.
  SourceRange end = {args.range.file, args.range.end - 1, args.range.end - 1};
  std::string dim =
      args.positional.empty() && args.keywords.empty() ? "dim=-1" : ", dim=-1";
  report
      .note("the values along `dim` add up to 1: -1 is the last dim, which "
            "usually holds the scores of the classes")
      .fix(FixIt::Safe, "`dim=-1`", {{end, dim}});
}

/// Reports a keyword that names no parameter. `isOwn`: the function or layer is
/// part of the language.
static void reportKeyword(Checker &c, const CallArgs::Keyword &keyword,
                          llvm::StringRef what,
                          llvm::ArrayRef<llvm::StringRef> names, bool isOwn) {
  llvm::StringRef name = keyword.name.text;
  if (isOwn && isLaterParameter(what.trim('`'), name)) {
    c.unsupported(keyword.name.range, "`" + name + "=` of " + what);
    return;
  }
  Diagnostic &report = c.error(DiagCode::TD205, keyword.name.range,
                               what + " has no parameter `" + name + "`");
  if (llvm::StringRef advice = isOwn ? getAdvice(name) : ""; !advice.empty()) {
    report.note(advice);
    return;
  }
  llvm::StringRef own = getOwnParameter(name);
  if (!own.empty() && llvm::is_contained(names, own))
    report.fix(FixIt::Safe, ("`" + own + "=`").str(),
               {{keyword.name.range, own.str()}});
  else if (auto nearest = findNearest(name, names))
    report.fix(isUnmistakable(name, *nearest, names) ? FixIt::Safe
                                                     : FixIt::Choice,
               "`" + *nearest + "=`", {{keyword.name.range, nearest->str()}});
  else if (auto longer = findLonger(name, names); !longer.empty())
    report.fix(FixIt::Choice, "`" + longer + "=`",
               {{keyword.name.range, longer.str()}});
  else if (!names.empty())
    report.label("it has " + llvm::join(names, ", "));
}

/// Whether the function that is called is one of the prelude's losses: the
/// first line of their file says so.
static bool isLossCalled(const Checker &c) {
  if (!c.isPrelude(c.scopes.file->id))
    return false;
  return llvm::any_of(
      c.scopes.file->program->directives, [](const ast::Directive &directive) {
        return directive.key == "shapes" && directive.value == "equal";
      });
}

/// Losses do not broadcast: a mistake of shapes would train on the wrong loss.
static bool checkLoss(Checker &c, llvm::ArrayRef<ast::Param> params,
                      llvm::ArrayRef<const Val *> given, SourceRange range) {
  auto shapeless = [](const ast::Param &param) {
    auto *type = llvm::dyn_cast_or_null<ast::NamedType>(param.type);
    return type && type->dims.size() == 1 &&
           type->dims[0].kind == ast::SubscriptItem::Ellipsis;
  };
  if (params.size() < 2 || !shapeless(params[0]) || !shapeless(params[1]) ||
      !given[0] || !given[1] || !given[0]->is(ValKind::Tensor) ||
      !given[1]->is(ValKind::Tensor))
    return true;
  const Val &input = *given[0], &target = *given[1];
  const Dims &a = typeOf(input).dims, &b = typeOf(target).dims;
  ShapeAnswer answer = sameShape(a, b, "the shapes differ");
  if (answer && c.tensors.prove(answer))
    return true;
  Diagnostic &report =
      c.error(DiagCode::TD402, input.range.isValid() ? input.range : range);
  report.label(typeText(typeOf(input)));
  if (target.range.isValid())
    report.secondaryLabel(target.range, typeText(typeOf(target)));
  if (ShapeAnswer wide = broadcastShapes({a, b}))
    report.note("broadcasting would give " + spelling(wide.dims) +
                " and silently train on the wrong loss");
  auto isColumnOf = [](const Dims &tall, const Dims &flat) {
    return tall.size() == 2 && flat.size() == 1 && tall[1].isConstant(1);
  };
  if (isColumnOf(a, b)) {
    c.offerSuffix(report, target.range, ".unsqueeze(1)");
    c.offerSuffix(report, input.range, ".squeeze(1)");
  } else if (isColumnOf(b, a)) {
    c.offerSuffix(report, input.range, ".unsqueeze(1)");
    c.offerSuffix(report, target.range, ".squeeze(1)");
  }
  return false;
}

/// The index of the parameter with a `*`, or the number of parameters.
static size_t restIndex(llvm::ArrayRef<ast::Param> params) {
  return llvm::find_if(params,
                       [](const ast::Param &param) { return param.isRest; }) -
         params.begin();
}

/// What a parameter with a `*` takes: a tuple.
static Val restOf(Checker &c, llvm::ArrayRef<ast::Param> params,
                  llvm::ArrayRef<Val> positional) {
  size_t first = std::min(restIndex(params), positional.size());
  Vals rest(positional.drop_front(first));
  SourceRange range;
  if (!rest.empty() && rest.front().range.file == rest.back().range.file &&
      rest.front().range.begin <= rest.back().range.begin)
    range = rest.front().range.to(rest.back().range);
  Val val = makeSequence(ValKind::Tuple, std::move(rest));
  val.range = range;
  return val;
}

bool Calls::bindParams(llvm::ArrayRef<ast::Param> params, CallArgs &args,
                       llvm::StringRef what) {
  size_t restAt = restIndex(params);
  bool hasRest = restAt != params.size();
  if (!hasRest && args.positional.size() > params.size()) {
    reportExtra(args, what, "", params.size());
    return false;
  }
  llvm::SmallVector<const Val *> given(params.size(), nullptr);
  Val rest = restOf(c, params, args.positional);
  if (hasRest)
    given[restAt] = &rest;
  for (size_t i = 0; i != std::min(args.positional.size(), restAt); ++i)
    given[i] = &args.positional[i];
  for (const auto &keyword : args.keywords) {
    auto *found = llvm::find_if(params, [&](const ast::Param &param) {
      return !param.isRest && param.name.text == keyword.name.text;
    });
    if (found == params.end()) {
      llvm::SmallVector<llvm::StringRef> names;
      for (const ast::Param &param : params)
        if (!param.isRest)
          names.push_back(param.name.text);
      reportKeyword(c, keyword, what, names, c.isPrelude(c.scopes.file->id));
      return false;
    }
    if (given[found - params.begin()]) {
      c.error(DiagCode::TD205, keyword.name.range,
              "`" + keyword.name.text + "` is given twice");
      return false;
    }
    given[found - params.begin()] = &keyword.val;
  }
  bool isLoss = isLossCalled(c);
  if (isLoss && !checkLoss(c, params, given, args.range))
    return false;
  bool good = true;
  for (auto [i, param] : llvm::enumerate(params)) {
    Val val;
    if (given[i]) {
      val = *given[i];
    } else if (param.defaultValue) {
      val = c.eval(*param.defaultValue, param.type);
    } else {
      reportMissing(c, args, what, param.name.text);
      return false;
    }
    // The body of a function of the program may hold further mistakes.
    if (val.isError() && c.isPrelude(c.scopes.file->id))
      return false;
    if (val.isError()) {
      c.scopes.bind(param.name.text, param.name.range, val, false);
      continue;
    }
    if (param.type && param.isRest) {
      Vals elements(elementsOf(val));
      for (Val &one : elements)
        good &= c.types.matchType(
            *param.type, one, one.range.isValid() ? one.range : args.range,
            "`*" + param.name.text.str() + "`", DiagCode::TD407);
      val = makeSequence(ValKind::Tuple, std::move(elements));
    } else if (param.type) {
      SourceRange range = val.range.isValid() ? val.range : args.range;
      SourceRange user = given[i] ? range : args.range;
      DiagCode code = isLoss ? DiagCode::TD402 : DiagCode::TD407;
      good &= c.types.matchType(*param.type, val, user,
                                "`" + param.name.text + "`", code);
    }
    if (!c.isPrelude(c.scopes.file->id))
      c.sharing.name(val, c.userRange(args.range));
    c.scopes.bind(param.name.text, param.name.range, val, false);
  }
  return good;
}

/// Reports `cat(a, b)`: the tensors must be in brackets.
static void reportUnlisted(Checker &c, llvm::StringRef what,
                           const CallArgs &args) {
  llvm::ArrayRef<Val> tensors =
      llvm::ArrayRef<Val>(args.positional).take_while([](const Val &val) {
        return val.is(ValKind::Tensor);
      });
  Diagnostic &report = c.error(DiagCode::TD205, args.range,
                               what + " takes its tensors in a list");
  SourceRange all = tensors.front().range;
  if (all.file != args.calleeRange.file || all.begin < args.calleeRange.end)
    return;
  all.end = tensors.back().range.end;
  report.fix(FixIt::Safe, "`[" + c.text(all) + "]`",
             {{all.start(), "["}, {all.finish(), "]"}});
}

bool Calls::bindBuiltin(const Builtin &builtin, const CallArgs &args,
                        Bound &bound) {
  llvm::SmallVector<llvm::StringRef> words, names;
  builtin.params.split(words, ',', -1, false);
  size_t next = 0;
  bool keywordOnly = false;
  llvm::StringRef list; // the `*` parameter, where a keyword may give it
  llvm::SmallVector<llvm::StringRef> required;
  for (llvm::StringRef word : words) {
    word = word.trim();
    if (word.consume_front("*")) {
      while (!word.empty() && next < args.positional.size())
        bound.variadic.push_back(args.positional[next++]);
      keywordOnly = true;
      if (word.consume_back("="))
        names.push_back(list = word);
      continue;
    }
    bool optional = word.consume_back("=");
    names.push_back(word);
    if (!keywordOnly && next < args.positional.size())
      bound.named.push_back({word, args.positional[next++]});
    else if (!optional)
      required.push_back(word);
  }
  std::string what = ("`" + builtin.name + "`").str();
  if (builtin.params.starts_with("tensors") && !args.positional.empty() &&
      args.positional.front().is(ValKind::Tensor)) {
    reportUnlisted(c, what, args);
    return false;
  }
  if (next < args.positional.size()) {
    // `next` parameters can be given by position.
    reportExtra(args, what, keywordOnly ? "positional " : "", next);
    return false;
  }
  for (const auto &keyword : args.keywords) {
    auto *found = llvm::find(names, keyword.name.text);
    if (found == names.end()) {
      reportKeyword(c, keyword, what, names, /*isOwn=*/true);
      return false;
    }
    bool isList = *found == list;
    if (isList ? !bound.variadic.empty() : bound.has(*found)) {
      c.error(DiagCode::TD205, keyword.name.range,
              "`" + keyword.name.text + "` is given twice");
      return false;
    }
    if (isList)
      bound.variadic.push_back(keyword.val);
    else
      bound.named.push_back({*found, keyword.val});
  }
  for (llvm::StringRef name : required)
    if (!bound.has(name)) {
      reportMissing(c, args, what, name);
      return false;
    }
  return true;
}

/// The result of a builtin, with its scale.
static Val scaled(const Checker &c, const Builtin &builtin,
                  const CallArgs &args, const Bound &bound, const Val &result) {
  if (!result.is(ValKind::Tensor))
    return result;
  if (builtin.scale != Scale::Any)
    return onScale(result, builtin.scale, c.userRange(args.range),
                   bound["input"].range);
  bool keepsValues =
      builtin.shares == Shares::Input || builtin.shares == Shares::Kept;
  return keepsValues && !args.positional.empty()
             ? onScaleOf(args.positional[0], result)
             : result;
}

Val Calls::callBuiltin(const Builtin &builtin, CallArgs &args) {
  Bound bound(builtin.name, args);
  for (const Val &val : args.positional)
    if (val.isError())
      return c.fail();
  if (builtin.takes == Takes::Values && !changesFirst(builtin.name))
    readAll(c, args);
  // `**`: the handler reads the arguments itself.
  if (builtin.params == "**")
    return builtin.handler(c, bound);
  if (!bindBuiltin(builtin, args, bound))
    return c.fail();
  Val result = scaled(c, builtin, args, bound, builtin.handler(c, bound));
  if (builtin.shares == Shares::Input && !args.positional.empty())
    c.sharing.viewAs(args.positional[0], result);
  else if (builtin.shares == Shares::Nothing)
    Sharing::forget(result);
  else if (result.is(ValKind::List) || result.is(ValKind::Tuple))
    result.shareId = 0; // another list, also of the same elements
  bool isFactory = builtin.params.contains("device=") && !bound.has("device");
  if (isFactory && result.is(ValKind::Tensor) &&
      !c.isPrelude(args.range.file) &&
      typeOf(result).place.kind == Place::Kind::Free)
    result.as<TensorInfo>().made = args.range;
  return result;
}

Val Calls::callPrelude(llvm::StringRef name, CallArgs args) {
  std::optional<Val> callee = c.scopes.findPrelude(name);
  return callee ? call(*callee, args) : c.fail();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Brings the tensors among the arguments to one place.
bool Calls::meet(CallArgs &args) {
  Vals all(args.positional);
  for (const auto &keyword : args.keywords)
    all.push_back(keyword.val);
  if (!c.places.samePlace(all, args.range))
    return false;
  size_t count = args.positional.size();
  for (auto [i, val] : llvm::enumerate(all))
    (i < count ? args.positional[i] : args.keywords[i - count].val) = val;
  return true;
}

/// The place shared by the arguments of tensor parameters without a place. None
/// if there are no such arguments; free if they are in different places.
static std::optional<Place> unplacedParameters(const Checker &c,
                                               const ast::FnDecl &fn,
                                               const CallArgs &args) {
  std::optional<Place> shared;
  bool differ = false;
  auto add = [&](const ast::Param &param, const Val &val) {
    if (!val.is(ValKind::Tensor))
      return;
    auto *type = llvm::dyn_cast_or_null<ast::NamedType>(param.type);
    if (type && type->place)
      return;
    const Place &place = typeOf(val).place;
    differ |= shared && !c.places.agree(*shared, place);
    if (!shared || shared->kind == Place::Kind::Free)
      shared = place;
  };
  size_t restAt = restIndex(fn.params);
  for (auto [i, val] : llvm::enumerate(args.positional))
    if (size_t at = std::min(i, restAt); at != fn.params.size())
      add(fn.params[at], val);
  for (const auto &keyword : args.keywords)
    for (const ast::Param &param : fn.params)
      if (param.name.text == keyword.name.text)
        add(param, keyword.val);
  return differ ? Place() : shared;
}

Val Calls::callFunction(const FunctionInfo &fn, CallArgs &args) {
  for (const Frame &frame : c.frames)
    if (frame.fn == fn.decl && frame.self == fn.self.get()) {
      c.error(DiagCode::TD220, args.range,
              "`" + fn.decl->name.text + "` calls itself")
          .note("there is no recursion: use a loop");
      return c.fail();
    }
  if (c.frames.size() >= 200) {
    c.error(DiagCode::TD220, args.range, "calls are nested too deeply");
    return c.fail();
  }
  bool isDamaged =
      llvm::any_of(args.positional,
                   [](const Val &val) { return val.isError(); }) ||
      llvm::any_of(args.keywords, [](const CallArgs::Keyword &keyword) {
        return keyword.val.isError();
      });
  // Once is enough to find the mistakes in it.
  if (isDamaged && (c.isPrelude(fn.file->id) || c.errorCount > 1000 ||
                    !walkedDamaged.insert(fn.decl).second))
    return c.fail();
  if (!isDamaged)
    checkAlone(fn);
  // A mistake in the prelude is reported at the arguments that led there.
  if (c.isPrelude(fn.file->id) && !c.isPrelude(args.range.file) && !meet(args))
    return c.fail();

  Frame frame;
  frame.fn = fn.decl;
  frame.file = fn.file;
  frame.selfOwner = fn.self;
  frame.self = fn.self.get();
  frame.callRange = args.range;
  frame.regionDepth = c.regionDepth;
  llvm::SmallVector<SourceRange> callers{args.range};
  if (!c.frames.empty())
    callers.append(c.frames.back().callers.begin(),
                   c.frames.back().callers.end());
  frame.callers = c.context.copy(callers);
  frame.sharedPlace = unplacedParameters(c, *fn.decl, args);

  Restore<FileScope *> savedFile(c.scopes.file, fn.file);
  Restore<std::optional<Val>> savedWith(c.devices.withDevice);
  if (!c.isPrelude(fn.file->id))
    c.devices.withDevice.reset();
  Scope *outer = c.scopes.scope;
  Scope config;
  config.parent = &fn.file->scope;
  if (fn.self)
    for (auto &entry : fn.self->config) {
      config.names[entry.first()].val = entry.second;
      config.names[entry.first()].used = true;
    }
  c.scopes.scope = &config;
  c.scopes.bind(exits::kReturns, {}, makeBool(false), /*isVar=*/true);
  c.scopes.bind(exits::kResult, {}, Val(), /*isVar=*/true);
  c.scopes.pushScope();
  c.frames.push_back(std::move(frame));
  if (fn.self && !c.control.loops.empty()) {
    bool &runs = c.control.loops.back().runsParameters;
    runs = runs ||
           llvm::any_of(c.models.slotsOf(fn.self), [](const NamedSlot &named) {
             return named.slot->kind == td::SlotKind::Param;
           });
  }
  c.forgetLocation();

  Val result;
  std::string what = fn.decl->name.text == "forward" && fn.self
                         ? "`" + fn.self->typeName + "`"
                         : "`" + fn.decl->name.text.str() + "`";
  if (bindParams(fn.decl->params, args, what))
    result = callBody(*fn.decl);
  c.control.joinLeft(config);
  c.frames.pop_back();
  c.scopes.popScope();
  c.scopes.scope = outer;
  c.forgetLocation();
  return isDamaged ? c.fail() : result;
}

Val Calls::callBody(const ast::FnDecl &fn) {
  if (fn.value) {
    Val result = c.eval(*fn.value, fn.result);
    if (fn.result && !result.isError() &&
        !c.types.matchType(*fn.result, result, fn.value->range, "the result",
                           DiagCode::TD407))
      return c.fail();
    return result;
  }
  unsigned errors = c.errorCount;
  Flow flow = c.control.execStatements(fn.body->stmts);
  const Val &result = c.scopes.lookup(exits::kResult)->val;
  if (flow == Flow::Left)
    return result;
  // A failed statement may have been the one that returns.
  if (c.errorCount != errors)
    return c.fail();
  if (fn.result || (flow == Flow::Perhaps && !result.is(ValKind::None))) {
    c.error(DiagCode::TD221, fn.name.range,
            "`" + fn.name.text + "` does not return a value on every path");
    return c.fail();
  }
  return makeVal(ValKind::None);
}

//===----------------------------------------------------------------------===//
// Exported functions
//===----------------------------------------------------------------------===//

/// Appends the tensors of a result in order, including those in nested tuples,
/// and brings them to the cpu for the caller.
static void appendResults(Checker &c, const Val &result, SourceRange range,
                          llvm::SmallVectorImpl<Value> &results) {
  if (hasUnread(result))
    return appendResults(c, c.models.readAll(result, range), range, results);
  c.sharing.use(result, range);
  if (result.is(ValKind::Tuple))
    for (const Val &part : elementsOf(result))
      appendResults(c, part, range, results);
  else if (result.is(ValKind::Tensor))
    results.push_back(c.places.bringHome(result).value);
  else if (!result.isError())
    c.unsupported(range,
                  "an exported function that returns " + describe(result));
}

void Calls::execExport(const ast::FnDecl &fn) {
  Restore<bool> savedExporting(exporting, true);
  llvm::SmallVector<Emitter::Parameter> parameters;
  std::vector<TensorType> placed;
  std::vector<bool> unplaced;
  c.scopes.pushScope();
  for (const ast::Param &param : fn.params) {
    std::optional<TensorType> type;
    if (!param.type || param.isRest || !c.types.isTensorType(*param.type))
      c.unsupported(param.range, "a parameter of an exported function that is "
                                 "not an annotated tensor");
    else
      type = c.types.tensorFromType(*param.type, true);
    if (!type) {
      c.scopes.popScope();
      return;
    }
    for (auto [item, size] :
         llvm::zip(llvm::cast<ast::NamedType>(param.type)->dims, type->dims))
      if (auto *name =
              item.index ? llvm::dyn_cast<ast::NameExpr>(item.index) : nullptr;
          name && c.types.introducesSize(name->name))
        c.types.bindSize(*name, size);
    c.devices.checkDeviceExists(type->place, param.range);
    // Arguments of the caller are on the cpu unless the signature says
    // otherwise.
    unplaced.push_back(type->place.kind == Place::Kind::Free);
    if (unplaced.back())
      type->place.kind = Place::Kind::Cpu;
    placed.push_back(*type);
    parameters.push_back({param.name.text, c.tensors.shapeOf(*type)});
  }
  c.scopes.popScope();
  c.at(fn.range);
  llvm::SmallVector<Value> values =
      c.emit().beginExport(fn.name.text, fn.doc, parameters);
  c.models.forgetReads();
  CallArgs args;
  args.range = fn.name.range;
  args.calleeRange = fn.name.range;
  for (auto [type, value, isFree] : llvm::zip(placed, values, unplaced)) {
    const ast::Param &param = fn.params[args.positional.size()];
    const auto &declared = llvm::cast<ast::NamedType>(param.type)->dims;
    for (auto [i, size] : llvm::enumerate(type.dims)) {
      if (c.host.constantOf(size))
        continue;
      Value actual = c.emit().dim(value, i);
      auto atom = size.getAtom();
      if (atom && !c.host.sizes[atom].value)
        c.host.sizes[atom].value = actual;
      else {
        c.at(param.range);
        c.emit().checkDim(actual, c.host.sizeValue(size),
                          "`" + c.text(declared[i].range).str() + "` of `" +
                              param.name.text.str() +
                              "` and of the parameters before it");
      }
    }
    Val val = isFree ? c.places.freed(makeTensor(type, value), Transfer::Home)
                     : makeTensor(type, value, fn.name.range);
    val.range = param.range;
    args.positional.push_back(val);
  }
  FunctionInfo info;
  info.decl = &fn;
  info.file = c.scopes.file;
  checkedAlone.insert(&fn);
  llvm::SmallVector<Value> results;
  appendResults(c, callFunction(info, args), fn.name.range, results);
  c.emit().endExport(results);
  c.models.forgetReads();
}
