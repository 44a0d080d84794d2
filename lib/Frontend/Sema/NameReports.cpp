//===- NameReports.cpp - what a wrong name was meant to be ----------------===//
//
// PyTorch's other names, misspelt ones, methods that were not called, and names
// of the program that hide those of the language.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Joins.h"
#include "Prelude.h"
#include "PyTorchNames.h"
#include <cctype>

using namespace tdc;
using namespace tdc::sema;

void Checker::offerNearest(Diagnostic &report, llvm::StringRef name,
                           SourceRange range,
                           llvm::ArrayRef<llvm::StringRef> candidates) {
  if (auto nearest = findNearest(name, candidates))
    report.fix(FixIt::Choice, "`" + *nearest + "`", {{range, nearest->str()}});
}

bool Checker::reportPyTorchName(llvm::StringRef name, SourceRange range,
                                llvm::StringRef owner) {
  std::string member = (owner + name).str();
  // A tensor has all functions as methods.
  bool isFunction = owner.empty() || owner == ".";
  if (member == ".data") {
    error(DiagCode::TD202, range, "unknown name `data`")
        .label("what `detach` gives, in PyTorch")
        .fix(FixIt::Safe, "`detach()`", {{range, "detach()"}});
    return true;
  }
  if (member == ".t" &&
      sources.getText(range.file).substr(range.end).starts_with("()")) {
    error(DiagCode::TD202, range, "unknown name `t`")
        .label("a field here: `T`")
        .fix(FixIt::Safe, "`T`",
             {{{range.file, range.begin, range.end + 2}, "T"}});
    return true;
  }
  llvm::StringRef other = getOtherWay(member);
  if (isFunction && other.empty())
    other = getOtherWay(name);
  DiagCode code = owner.empty() ? DiagCode::TD201 : DiagCode::TD202;
  if (!other.empty()) {
    error(code, range, "unknown name `" + name + "`")
        .label("written `" + other + "`");
    return true;
  }
  if (isLater(member) || (isFunction && isLater(name))) {
    unsupported(range, "`" + name + "`");
    return true;
  }
  llvm::StringRef own = isFunction ? getOwnName(name) : "";
  if (own.empty())
    return false;
  error(code, range, "unknown name `" + name + "`")
      .label("another name of `" + own + "` in PyTorch")
      .fix(FixIt::Safe, "`" + own + "`", {{range, own.str()}});
  return true;
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral kModelMethods[] = {
    "to",     "cuda",       "cpu",       "train", "eval",
    "freeze", "parameters", "zero_grad", "save",  "load"};
static constexpr llvm::StringLiteral kOptimizerMethods[] = {"step",
                                                            "zero_grad"};
static constexpr llvm::StringLiteral kTensorFields[] = {
    "shape", "dtype", "device", "ndim", "T", "mT", "backward"};

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

static std::vector<llvm::StringRef> membersOf(const Val &base) {
  std::vector<llvm::StringRef> names;
  if (base.is(ValKind::Tensor)) {
    llvm::append_range(names, kTensorFields);
    addTensorMethods(names);
  } else if (base.is(ValKind::Optimizer)) {
    names.push_back("lr");
    llvm::append_range(names, kOptimizerMethods);
  } else if (base.is(ValKind::Model)) {
    auto &model = base.as<ModelInstance>();
    for (const ModelInstance::Member &member : model.members)
      names.push_back(member.name);
    if (model.decl)
      for (const ast::Decl *member : model.decl->members)
        if (auto *fn = llvm::dyn_cast<ast::FnDecl>(member))
          names.push_back(fn->name.text);
    llvm::append_range(names, kModelMethods);
  }
  return names;
}

bool Checker::hasMethod(const Val &base, llvm::StringRef name) {
  switch (base.kind) {
  case ValKind::Tensor:
    return name == "backward";
  case ValKind::Optimizer:
    return llvm::is_contained(kOptimizerMethods, name);
  case ValKind::Model:
    return llvm::is_contained(kModelMethods, name);
  default:
    return false;
  }
}

Val Checker::reportNotCalled(SourceRange range) {
  Diagnostic &report =
      error(DiagCode::TD206, range, "`" + text(range) + "` is not called");
  report.label("a function, and not what it gives");
  offerSuffix(report, range, "()");
  return fail();
}

void Checker::noteHidden(Diagnostic &report, llvm::StringRef name) {
  Binding *binding = lookup(name);
  if (binding && binding->declared.isValid() && findGlobal(name))
    report.note("`" + name + "` of the language is hidden by this one",
                binding->declared);
}

Val Checker::reportNoMember(const Val &base, SourceRange range,
                            llvm::StringRef name) {
  llvm::StringRef owner = text(range).drop_back(name.size()).rtrim(" \n.");
  range.begin = range.end - static_cast<uint32_t>(name.size());
  if (base.is(ValKind::List) && name == "append") {
    error(DiagCode::TD202, range, "lists have no `append`")
        .note("a list that is a `var` grows with `" + owner +
              " += [x]`, in a loop that is then unrolled")
        .note(kInsteadOfList);
    return fail();
  }
  bool isModel = base.is(ValKind::Model);
  if (reportPyTorchName(name, range,
                        isModel                       ? "model."
                        : base.is(ValKind::Optimizer) ? "opt."
                        : base.is(ValKind::Tensor)    ? "."
                                                      : ""))
    return fail();
  auto *model = isModel ? &base.as<ModelInstance>() : nullptr;
  Diagnostic &report = error(
      DiagCode::TD202, range,
      model ? "`" + model->typeName + "` has no field or method `" + name + "`"
            : describe(base) + " has no `" + name + "`");
  if (auto hidden = findGlobal(owner); hidden && hidden->is(ValKind::Namespace))
    noteHidden(report, owner);
  std::vector<llvm::StringRef> members = membersOf(base);
  offerNearest(report, name, range, members);
  if (report.fixes.empty() && model && model->decl &&
      !isPrelude(model->file->id))
    report.note("fields are declared between the braces of the model: `" +
                    name + " = …`",
                model->decl->name.range);
  if (report.fixes.empty() && base.is(ValKind::Optimizer))
    report.label("it has lr, step and zero_grad");
  return fail();
}

Val Checker::reportNotInModule(llvm::StringRef module,
                               const ast::Identifier &name) {
  Diagnostic &report = error(DiagCode::TD202, name.range,
                             "`" + module + "` has no `" + name.text + "`");
  std::vector<llvm::StringRef> names;
  for (llvm::StringRef builtin : getBuiltinNames())
    if (builtin.consume_front(module) && builtin.consume_front("."))
      names.push_back(builtin);
  offerNearest(report, name.text, name.range, names);
  if (module == "init")
    report.note("a parameter says how it starts: `param w: f32[4, 4] = "
                "init.xavier_uniform()`");
  return fail();
}
