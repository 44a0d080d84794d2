//===- NameReports.cpp - reports about wrong names ------------------------===//
//
// PyTorch's other names, misspelt names, methods that were not called, and
// names of the program that hide those of the language.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Frontend/Characters.h"
#include "Frontend/Lexer.h"
#include "Frontend/Parser.h"
#include "Joins.h"
#include "Prelude.h"
#include "PyTorchNames.h"
#include "llvm/ADT/StringSwitch.h"
#include <cctype>

using namespace tdc;
using namespace tdc::sema;

/// The positions of the name that is at `at`, in the function around it or
/// outside of all functions.
static std::vector<SourceRange> findSameName(Checker &c, SourceRange at) {
  const ast::FnDecl *fn = c.frames.empty() ? nullptr : c.frames.back().fn;
  llvm::SmallVector<SourceRange> others;
  if (!fn)
    for (const ast::Stmt *item : c.scopes.file->program->items)
      if (llvm::isa<ast::FnDecl, ast::ModelDecl>(item))
        others.push_back(item->range);
  DiagnosticEngine silent(c.sources);
  TokenStream stream = lexFile(c.sources, at.file, silent);
  auto isMember = [&](uint32_t begin) {
    return c.sources.getText(at.file).take_front(begin).ends_with(".");
  };
  std::vector<SourceRange> ranges;
  for (const Token &token : stream.tokens) {
    SourceRange range = {at.file, token.begin, token.end};
    if (range == at)
      ranges.push_back(range);
    else if (token.kind == Tok::Name && c.text(range) == c.text(at) &&
             isMember(range.begin) == isMember(at.begin) &&
             (!fn || fn->range.contains(range)) &&
             llvm::none_of(others, [&](SourceRange other) {
               return other.contains(range);
             }))
      ranges.push_back(range);
  }
  // In a field of an f-string the name has no token of its own.
  return ranges.empty() ? std::vector<SourceRange>{at} : ranges;
}

void Scopes::offerNearest(Diagnostic &report, llvm::StringRef name,
                          SourceRange range,
                          llvm::ArrayRef<llvm::StringRef> candidates) {
  auto nearest = findNearest(name, candidates);
  if (!nearest)
    return;
  std::vector<Edit> edits;
  for (SourceRange same : findSameName(c, range))
    edits.push_back({same, nearest->str()});
  report.fix(isUnmistakable(name, *nearest, candidates) ? FixIt::Safe
                                                        : FixIt::Choice,
             "`" + *nearest + "`", std::move(edits));
}

bool Scopes::reportPyTorchName(llvm::StringRef name, SourceRange range,
                               llvm::StringRef owner) {
  std::string member = (owner + name).str();
  // A tensor has all functions as methods.
  bool isFunction = owner.empty() || owner == ".";
  if (member == ".data") {
    c.error(DiagCode::TD202, range, "unknown name `data`")
        .label("what `detach` gives, in PyTorch")
        .fix(FixIt::Safe, "`detach()`", {{range, "detach()"}});
    return true;
  }
  bool isCalled =
      c.sources.getText(range.file).substr(range.end).starts_with("()");
  SourceRange call = {range.file, range.begin, range.end + 2};
  // `x.float16()` is a dtype's name; `half` and the like are methods.
  if (llvm::StringRef dtype = getDtypeOfPyTorch(name);
      owner == "." && !dtype.empty() && isCalled) {
    std::string cast = ("to(" + dtype + ")").str();
    c.error(DiagCode::TD202, range, "unknown name `" + name + "`")
        .label("the name of a dtype, not of a method")
        .fix(FixIt::Safe, "`" + cast + "`", {{call, cast}});
    return true;
  }
  llvm::StringRef other = getOtherWay(member);
  if (isFunction && other.empty())
    other = getOtherWay(name);
  DiagCode code = owner.empty() ? DiagCode::TD201 : DiagCode::TD202;
  if (!other.empty()) {
    Diagnostic &report = c.error(code, range, "unknown name `" + name + "`");
    report.label("written `" + other + "`");
    // `x.astype(f32)`: the same call of `x.to`.
    if (owner == "." && name == "astype")
      report.fix(FixIt::Safe, "`to`", {{range, "to"}});
    // `x.numpy()`: functions of arrays take tensors.
    SourceRange withDot = {range.file, range.begin - 1, call.end};
    if (owner == "." && name == "numpy" && isCalled)
      report.fix(FixIt::Choice, "remove `.numpy()`  (a tensor has the methods)",
                 {{withDot, ""}});
    return true;
  }
  if (llvm::StringRef advice = isFunction ? getAdvice(name) : "";
      !advice.empty()) {
    c.error(code, range, "there is no `" + name + "`").note(advice);
    return true;
  }
  if (isLater(member) || (isFunction && isLater(name))) {
    c.unsupported(range, "`" + name + "`", getUntilBuilt(name));
    return true;
  }
  llvm::StringRef own = isFunction ? getOwnName(name) : "";
  if (own.empty())
    return false;
  c.error(code, range, "unknown name `" + name + "`")
      .label("another name of `" + own + "` in PyTorch")
      .fix(FixIt::Safe, "`" + own + "`", {{range, own.str()}});
  return true;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

namespace {
struct Method {
  llvm::StringLiteral name;
  bool callsFunction = false; ///< a function of the program, its argument
};
} // namespace

static constexpr Method kModelMethods[] = {{"to"},
                                           {"cuda"},
                                           {"cpu"},
                                           {"train"},
                                           {"eval"},
                                           {"freeze"},
                                           {"unfreeze"},
                                           {"requires_grad_"},
                                           {"zero_grad"},
                                           {"save"},
                                           {"load"},
                                           {"parameters"},
                                           {"buffers"},
                                           {"modules"},
                                           {"children"},
                                           {"named_parameters"},
                                           {"named_buffers"},
                                           {"named_modules"},
                                           {"named_children"},
                                           {"apply", /*callsFunction=*/true},
                                           {"state_dict"},
                                           {"load_state_dict"},
                                           {"half"},
                                           {"bfloat16"},
                                           {"float"},
                                           {"double"}};
static constexpr Method kOptimizerMethods[] = {{"step"}, {"zero_grad"}};
static constexpr llvm::StringLiteral kTensorFields[] = {
    "shape", "dtype", "device", "ndim", "T", "mT", "H", "mH", "backward"};

static const Method *findRow(llvm::ArrayRef<Method> methods,
                             llvm::StringRef name) {
  auto *found = llvm::find_if(
      methods, [&](const Method &method) { return method.name == name; });
  return found == methods.end() ? nullptr : found;
}

static void addNames(llvm::ArrayRef<Method> methods,
                     std::vector<llvm::StringRef> &names) {
  for (const Method &method : methods)
    names.push_back(method.name);
}

/// Functions that are methods of tensors as well.
static void addTensorMethods(std::vector<llvm::StringRef> &names) {
  for (llvm::StringRef name : getBuiltinNames()) {
    name.consume_front(".");
    if (!name.contains('.'))
      names.push_back(name);
  }
  for (const PreludeFile &prelude : getPreludeFiles())
    for (llvm::StringRef name : prelude.names)
      if (std::islower(name.front()))
        names.push_back(name);
}

std::vector<llvm::StringRef> Scopes::membersOf(const Val &base) {
  std::vector<llvm::StringRef> names;
  if (base.is(ValKind::Tensor)) {
    llvm::append_range(names, kTensorFields);
    addTensorMethods(names);
  } else if (base.is(ValKind::Str)) {
    for (llvm::StringRef name : getBuiltinNames())
      if (name.consume_front("str."))
        names.push_back(name);
  } else if (base.is(ValKind::Optimizer)) {
    names = c.training.settingNames(base);
    addNames(kOptimizerMethods, names);
  } else if (base.is(ValKind::ParameterGroup)) {
    names = c.training.settingNames(base);
  } else if (base.is(ValKind::Model)) {
    auto &model = base.as<ModelInstance>();
    for (const ModelInstance::Member &member : model.members)
      names.push_back(member.name);
    if (model.decl)
      for (const ast::Decl *member : model.decl->members)
        if (auto *fn = llvm::dyn_cast<ast::FnDecl>(member))
          names.push_back(fn->name.text);
    addNames(kModelMethods, names);
  }
  return names;
}

bool Scopes::hasMethod(const Val &base, llvm::StringRef name) {
  switch (base.kind) {
  case ValKind::Tensor:
    return name == "backward";
  case ValKind::Optimizer:
    return findRow(kOptimizerMethods, name);
  case ValKind::Model:
    return findRow(kModelMethods, name);
  default:
    return false;
  }
}

bool Scopes::callsNothing(llvm::StringRef method) {
  const Method *found = findRow(kModelMethods, method);
  if (!found)
    found = findRow(kOptimizerMethods, method);
  return found && !found->callsFunction;
}

void Scopes::noteHidden(Diagnostic &report, llvm::StringRef name) {
  Binding *binding = lookup(name);
  if (binding && binding->declared.isValid() && findGlobal(name))
    report.note("`" + name + "` of the language is hidden by this one",
                binding->declared);
}

/// `x.values` of pandas, `x.max(1).values` and `.indices` of PyTorch.
static bool reportPart(Checker &c, const Val &base, SourceRange range,
                       llvm::StringRef name) {
  bool isValues = name == "values";
  SourceRange withDot = {range.file, range.begin - 1, range.end};
  if (c.isPrelude(range.file) || !c.text(withDot).starts_with("."))
    return false;
  if (base.is(ValKind::Tensor) && isValues) {
    c.error(DiagCode::TD202, range, describe(base) + " has no `values`")
        .label("a tensor is its values")
        .fix(FixIt::Safe, "remove it", {{withDot, ""}});
    return true;
  }
  auto *model = base.is(ValKind::Model) ? &base.as<ModelInstance>() : nullptr;
  if (model && model->native == NativeModel::DataParallel &&
      name == "forward") {
    c.error(DiagCode::TD202, range,
            "a DataParallel model is called by its name")
        .fix(FixIt::Safe, "remove `.forward`", {{withDot, ""}});
    return true;
  }
  if (model && model->native == NativeModel::DataParallel &&
      llvm::is_contained(c.scopes.membersOf(model->members[0].val), name)) {
    c.error(DiagCode::TD202, range,
            "`DataParallel` has no field or method `" + name + "`")
        .label("a part of its `module`")
        .fix(FixIt::Safe, "`.module." + name.str() + "`",
             {{withDot.start(), ".module"}});
    return true;
  }
  if (!base.is(ValKind::Tuple) || elementsOf(base).size() != 2 ||
      !(isValues || name == "indices"))
    return false;
  std::string part = isValues ? "[0]" : "[1]";
  c.error(DiagCode::TD202, range, describe(base) + " has no `" + name + "`")
      .label("the parts of a tuple are indexed")
      .fix(FixIt::Safe, "`" + part + "`", {{withDot, part}});
  return true;
}

/// Shows the `.item()` that makes the number `name`.
static void noteItem(Checker &c, Diagnostic &report, llvm::StringRef name) {
  Binding *binding = c.scopes.lookup(name);
  SourceRange at = binding ? binding->declared : SourceRange();
  if (!at.isValid())
    return;
  llvm::StringRef rest = c.sources.getText(at.file).substr(at.end);
  size_t item = rest.split('\n').first.find(".item()");
  if (item == llvm::StringRef::npos)
    return;
  auto begin = static_cast<uint32_t>(at.end + item);
  report.note("`.item()` makes a number of the tensor",
              {at.file, begin, begin + 7});
}

bool Scopes::offerOfScript(Diagnostic &report, llvm::StringRef name,
                           SourceRange range) {
  llvm::StringRef after = c.sources.getText(range.file).substr(range.end);
  if (name == "__name__") {
    llvm::StringRef rest = after.ltrim(" ");
    if (!rest.consume_front("=="))
      return false;
    rest = rest.ltrim(" ");
    if (!rest.consume_front("\"__main__\"") &&
        !rest.consume_front("'__main__'"))
      return false;
    auto length = static_cast<uint32_t>(after.size() - rest.size());
    SourceRange whole = {range.file, range.begin, range.end + length};
    report
        .note("a file that is imported runs none of its statements, so a "
              "program needs no such condition")
        .fix(FixIt::Safe, "`true`", {{whole, "true"}});
    return true;
  }
  // `args.epochs` of argparse: an `arg` is a variable.
  if (!after.consume_front(".") || findNearest(name, variablesHere()))
    return false;
  llvm::StringRef member = after.take_while(isNameChar);
  if (!lookup(member))
    return false;
  SourceRange withDot = {range.file, range.begin, range.end + 1};
  report.fix(FixIt::Choice, "`" + member + "`", {{withDot, ""}});
  return true;
}

/// Python's functions of lists in place of methods of tensors.
static void offerOfList(Checker &c, Diagnostic &report, llvm::StringRef list,
                        llvm::StringRef name, SourceRange range) {
  llvm::StringRef after = c.sources.getText(range.file).substr(range.end);
  auto start = static_cast<uint32_t>(range.begin - 1 - list.size());
  SourceRange whole = {range.file, start, range.end + 2};
  if (!after.starts_with("()") || c.text(whole).take_front(list.size()) != list)
    return;
  std::string instead;
  if (name == "mean")
    instead = ("(sum(" + list + ") / len(" + list + "))").str();
  else if (name == "sum" || name == "max" || name == "min")
    instead = (name + "(" + list + ")").str();
  else
    return;
  report.label("a method of tensors")
      .fix(FixIt::Choice, "`" + instead + "`", {{whole, instead}});
}

/// The only number of a tensor that is a variable here, where `owner` is what
/// computes losses.
static void offerLoss(Checker &c, Diagnostic &report, llvm::StringRef owner,
                      SourceRange range) {
  std::string loss;
  for (llvm::StringRef name : c.scopes.variablesHere()) {
    const Val &val = c.scopes.lookup(name)->val;
    if (!val.is(ValKind::Tensor) || !typeOf(val).dims.empty() ||
        !isFloat(typeOf(val).dtype))
      continue;
    if (!loss.empty())
      return;
    loss = name.str();
  }
  auto start = static_cast<uint32_t>(range.begin - 1 - owner.size());
  SourceRange written = {range.file, start, range.begin - 1};
  if (!loss.empty() && c.text(written) == owner)
    report.label("a loss has it, not what computes losses")
        .fix(FixIt::Choice, "`" + loss + ".backward()`", {{written, loss}});
}

Val Scopes::reportNoMember(const Val &base, SourceRange range,
                           llvm::StringRef name) {
  llvm::StringRef owner = c.text(range).drop_back(name.size()).rtrim(" \n.");
  range.begin = range.end - static_cast<uint32_t>(name.size());
  if (reportPart(c, base, range, name))
    return c.fail();
  bool isModel = base.is(ValKind::Model);
  if (reportPyTorchName(name, range,
                        isModel                       ? "model."
                        : base.is(ValKind::Optimizer) ? "opt."
                        : base.is(ValKind::Tensor)    ? "."
                                                      : ""))
    return c.fail();
  auto *model = isModel ? &base.as<ModelInstance>() : nullptr;
  Diagnostic &report = c.error(
      DiagCode::TD202, range,
      model ? "`" + model->typeName + "` has no field or method `" + name + "`"
            : describe(base) + " has no `" + name + "`");
  if (auto hidden = findGlobal(owner); hidden && hidden->is(ValKind::Namespace))
    noteHidden(report, owner);
  std::vector<llvm::StringRef> members = membersOf(base);
  if (isModel && name == "module")
    report.label("of a DataParallel")
        .fix(FixIt::Choice, "remove it",
             {{{range.file, range.begin - 1, range.end}, ""}});
  else
    offerNearest(report, name, range, members);
  if (base.isHostScalar())
    noteItem(c, report, owner);
  if (base.is(ValKind::List) && !owner.empty())
    offerOfList(c, report, owner, name, range);
  // `criterion.backward()`: the loss has it.
  if (isModel && name == "backward")
    offerLoss(c, report, owner, range);
  if (base.is(ValKind::Tuple) && elementsOf(base).size() == 1 &&
      llvm::is_contained(membersOf(elementsOf(base)[0]), name))
    report.label("a field of its element")
        .fix(FixIt::Choice, "`" + owner + "[0]." + name + "`",
             {{{range.file, range.begin - 1, range.begin - 1}, "[0]"}});
  bool isCalled =
      c.sources.getText(range.file).substr(range.end).starts_with("(");
  if (report.fixes.empty() && model && model->decl &&
      !c.isPrelude(model->file->id))
    report.note((isCalled ? "methods" : "fields") +
                    llvm::Twine(" are declared between the braces of the "
                                "model: `") +
                    (isCalled ? "fn " : "") + name +
                    (isCalled ? "(…) { … }`" : " = …`"),
                model->decl->name.range);
  if (base.is(ValKind::Class))
    report.note("a model type makes models: they have methods")
        .fix(FixIt::Safe, "`" + owner + "()." + name + "`",
             {{{range.file, range.begin - 1, range.begin - 1}, "()"}});
  if (report.fixes.empty() && base.is(ValKind::Optimizer))
    report.label("it has lr, step and zero_grad");
  return c.fail();
}

Val Scopes::reportNotInModule(llvm::StringRef module,
                              const ast::Identifier &name) {
  std::string path = (module + "." + name.text).str();
  if (isLater(path)) {
    c.unsupported(name.range, "`" + path + "`");
    return c.fail();
  }
  Diagnostic &report = c.error(DiagCode::TD202, name.range,
                               "`" + module + "` has no `" + name.text + "`");
  std::vector<llvm::StringRef> names;
  for (llvm::StringRef builtin : getBuiltinNames())
    if (builtin.consume_front(module) && builtin.consume_front("."))
      names.push_back(builtin);
  llvm::StringRef instead =
      llvm::StringSwitch<llvm::StringRef>(path)
          .Cases({"cuda.memory_allocated", "cuda.max_memory_allocated",
                  "cuda.memory_reserved"},
                 "`TDC_STATS=1` shows the peak memory of a run, `tdc report` "
                 "the planned memory of each device")
          .Case("cuda.empty_cache",
                "memory is planned when the program is compiled: there is no "
                "cache to empty")
          .Case("cuda.manual_seed_all", "`seed(n)` is for all devices")
          .Default("");
  if (!instead.empty()) {
    report.note(instead);
    return c.fail();
  }
  offerNearest(report, name.text, name.range, names);
  if (module == "init")
    report.note("a parameter declares its initial value: `param w: f32[4, 4] = "
                "init.xavier_uniform()`");
  return c.fail();
}
