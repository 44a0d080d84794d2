//===- SharedReports.cpp - reports of values that PyTorch shares ----------===//
//
// TD219, and what `tdc fix` writes where the meaning is plain.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "PyTorchNames.h"
#include "Sharing.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// The function around this point and its callers
//===----------------------------------------------------------------------===//

Sharing sema::findSharing(Checker &c, size_t frame) {
  // The names of callers are not known here.
  bool isInnermost = frame == c.frames.size();
  auto isKind = [&c, isInnermost](ValKind kind) {
    return [&c, isInnermost, kind](llvm::StringRef name) {
      Binding *binding = isInnermost ? c.scopes.lookup(name) : nullptr;
      return binding && binding->val.is(kind);
    };
  };
  auto isCopy = [=](llvm::StringRef name) {
    return isKind(ValKind::Tensor)(name) || isKind(ValKind::List)(name);
  };
  SharingFacts facts{isKind(ValKind::List), isCopy};
  const ast::FnDecl *fn = frame == 0 ? nullptr : c.frames[frame - 1].fn;
  if (fn && fn->body)
    return Sharing(fn->body->stmts, fn->body->range, facts);
  FileScope *file = c.frames.empty()
                        ? c.scopes.file
                        : c.scopes.findFile(c.frames[0].callRange.file);
  if (frame != 0 || !file || !file->program)
    return Sharing({}, {}, facts);
  return Sharing(file->program->items, file->program->range, facts);
}

/// The argument of a call for parameter number `index`; null if it is not
/// written there.
static const ast::Expr *findArgument(const ast::CallExpr &call, size_t index,
                                     llvm::StringRef name) {
  for (auto [i, arg] : llvm::enumerate(call.args)) {
    if (arg.kind == ast::Argument::Spread)
      return nullptr;
    if (arg.kind == ast::Argument::Keyword ? arg.keyword.text == name
                                           : i == index)
      return arg.value;
  }
  return nullptr;
}

std::optional<SharedChange> sema::findReadOf(Checker &c, llvm::StringRef name,
                                             SourceRange change,
                                             bool orItself) {
  std::string changed = name.str();
  SourceRange first = change;
  for (size_t i = c.frames.size();; --i) {
    Sharing here = findSharing(c, i);
    if (auto found = here.findRead(changed, change, orItself)) {
      found->change = first;
      found->isOfCaller = i != c.frames.size();
      if (found->isOfCaller)
        found->changed = name.str();
      return found;
    }
    const ast::FnDecl *fn = i == 0 ? nullptr : c.frames[i - 1].fn;
    if (std::string source = here.findSource(changed, change.begin);
        !source.empty())
      changed = source;
    if (!fn || c.isPrelude(fn->range.file) ||
        !here.isUnchangedAt(changed, change.begin))
      return std::nullopt;
    auto *param = llvm::find_if(fn->params, [&](const ast::Param &param) {
      return param.name.text == changed && !param.isRest;
    });
    if (param == fn->params.end())
      return std::nullopt;
    Sharing caller = findSharing(c, i - 1);
    const ast::CallExpr *call = caller.findCall(c.frames[i - 1].callRange);
    const ast::Expr *arg =
        call ? findArgument(*call, param - fn->params.begin(), changed)
             : nullptr;
    changed = arg ? caller.findRoot(*arg) : "";
    if (changed.empty())
      return std::nullopt;
    change = call->range;
    orItself = true;
  }
}

std::optional<SharedChange> sema::findChangeOfGiven(Checker &c,
                                                    llvm::StringRef name) {
  Sharing here = findSharing(c, c.frames.size());
  if (auto found = here.findChange(name))
    return found;
  for (SourceRange change : here.changesOfGiven(name))
    if (auto found = findReadOf(c, name, change, /*orItself=*/false))
      return found;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static void noteRead(Checker &c, Diagnostic &report,
                     const SharedChange &shared) {
  if (shared.read.isValid())
    report.note("`" + shared.other + "` is read here, after the change",
                shared.read);
  else if (llvm::StringRef(shared.other).contains('.'))
    report.note("`" + shared.other + "` is a tensor of a model");
}

Diagnostic &sema::reportShared(Checker &c, const SharedChange &shared,
                               SourceRange range, bool isList) {
  llvm::StringRef kind = isList ? "list" : "tensor";
  std::string names =
      "`" + shared.other + "`" + (shared.isOfCaller ? " of the caller" : "");
  Diagnostic &report =
      c.error(DiagCode::TD219, range,
              "in PyTorch " + names + " changes together with `" +
                  shared.changed + "`");
  report.label("one " + kind + " there; here each name has a value of its own");
  if (shared.change.isValid() && shared.change != range)
    report.note("`" + shared.changed + "` is changed here", shared.change);
  if (shared.link.isValid() && shared.link != range)
    report.note("both are one " + kind + " from here on", shared.link);
  noteRead(c, report, shared);
  return report;
}

std::optional<SharedChange> sema::findChangeForCaller(Checker &c,
                                                      llvm::StringRef name) {
  if (c.frames.empty())
    return std::nullopt;
  for (SourceRange change : findSharing(c, c.frames.size()).changesOf(name)) {
    auto found = findReadOf(c, name, change, /*orItself=*/false);
    if (found && found->isOfCaller)
      return found;
  }
  return std::nullopt;
}

/// The text of a statement, with its line if nothing else is on it.
static SourceRange wholeLine(Checker &c, SourceRange stmt) {
  LineColumn at = c.sources.getLineColumn(stmt);
  SourceRange line = c.sources.getLine(stmt.file, at.line);
  if (c.text(line).trim() != c.text(stmt))
    return stmt;
  llvm::StringRef text = c.sources.getText(stmt.file);
  uint32_t end = std::min<uint32_t>(line.end + 1, text.size());
  return {stmt.file, line.begin, std::max(end, stmt.end)};
}

bool sema::mayNameState(Checker &c, const ast::NameExpr &target,
                        const ast::AssignStmt &assign) {
  if (!llvm::isa<ast::MemberExpr>(assign.value) || assign.target != &target)
    return false;
  Sharing here = findSharing(c, c.frames.size());
  std::string root = here.findRoot(*assign.value);
  // Where the field gets another tensor, the name keeps the one before.
  return !root.empty() && here.countAssignments(root) == 0 &&
         (!here.changesOf(target.name).empty() ||
          here.findChange(target.name) ||
          llvm::any_of(here.occurrencesOf(target.name), [&](SourceRange use) {
            return here.mayChangeModels(assign.range.end, use.begin);
          }));
}

bool sema::reportNameOfState(Checker &c, const ast::NameExpr &target,
                             const ast::AssignStmt &assign, const Val &val) {
  bool isState = val.is(ValKind::Tensor) && val.as<TensorInfo>().state;
  if (!isState || !mayNameState(c, target, assign))
    return false;
  Sharing here = findSharing(c, c.frames.size());
  std::string root = here.findRoot(*assign.value);
  std::vector<SourceRange> uses = here.occurrencesOf(target.name);
  llvm::StringRef written = c.text(assign.value->range);
  Diagnostic &report = c.error(DiagCode::TD219, target.range,
                               "in PyTorch `" + target.name +
                                   "` changes together with `" + written + "`");
  report.label("another name of the tensor of the model");
  llvm::StringRef owner = llvm::StringRef(root).split('.').first;
  bool isStable =
      here.countAssignments(target.name) == 1 &&
      here.countAssignments(owner) <= 1 &&
      llvm::none_of(
          uses, [&](SourceRange use) { return here.isHiddenAt(owner, use); }) &&
      here.isUnchangedAt(owner, assign.range.begin) ==
          (here.countAssignments(owner) == 0);
  if (!isStable) {
    report.note("write `" + written +
                "` where the model's tensor is meant, and "
                "`let " +
                target.name + " = " + written +
                "` where its value at this point is");
    return true;
  }
  std::vector<Edit> edits = {{wholeLine(c, assign.range), ""}};
  for (SourceRange use : uses)
    edits.push_back({use, written.str()});
  report.fix(FixIt::Safe, "`" + written + "` for `" + target.name + "`",
             std::move(edits));
  return true;
}

//===----------------------------------------------------------------------===//
// Layers and functions with `inplace=true`
//===----------------------------------------------------------------------===//

static bool isInPlaceLayer(Checker &c, const Val &callee) {
  if (!callee.is(ValKind::Model))
    return false;
  auto &model = callee.as<ModelInstance>();
  if (model.native == NativeModel::Sequential)
    return !model.members.empty() &&
           isInPlaceLayer(c, model.members.front().val);
  if (!model.decl || !model.file || !c.isPrelude(model.file->id))
    return false;
  auto inplace = model.config.find("inplace");
  return inplace != model.config.end() && inplace->second.is(ValKind::Bool) &&
         inplace->second.truth;
}

/// `x = ` before a statement, and `var` where `x` is declared; empty if that
/// would not be the `x` that is meant.
static std::vector<Edit> assignResult(Checker &c, const ast::Expr &arg,
                                      SourceRange stmt) {
  auto *name = llvm::dyn_cast<ast::NameExpr>(&arg);
  Binding *binding = name ? c.scopes.lookup(name->name) : nullptr;
  if (!binding)
    return {};
  std::string start = name->name.str() + " = ";
  SourceRange let = c.letBefore(binding->declared);
  bool isHere = c.scopes.scope->names.count(name->name);
  if (binding->isVar)
    return {{stmt.start(), start}};
  if (let.isValid())
    return {{stmt.start(), start}, {let, "var"}};
  if (!isHere)
    return {};
  return {{stmt.start(), "let " + start}};
}

static Diagnostic &reportInPlaceRead(Checker &c, const ast::CallExpr &call,
                                     const SharedChange &shared) {
  Diagnostic &report =
      c.error(DiagCode::TD219, call.range,
              "in PyTorch this call changes `" + shared.other + "`" +
                  (shared.isOfCaller ? " of the caller" : ""));
  report.label("`inplace=true`: here the call gives a new tensor");
  noteRead(c, report, shared);
  if (shared.link.isValid())
    report.note("both are one tensor from here on", shared.link);
  report.note("to mean what PyTorch does, assign the result to `" +
              shared.other +
              "`; leave `inplace` out if the old values are "
              "meant");
  return report;
}

bool sema::reportInPlaceStatement(Checker &c, const ast::ExprStmt &stmt) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(stmt.value);
  auto *member = call ? llvm::dyn_cast<ast::MemberExpr>(call->callee) : nullptr;
  auto *name = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
  if (call == nullptr || call->args.size() != 1 || (!member && !name))
    return false;
  Val callee;
  if (Binding *binding = name ? c.scopes.lookup(name->name) : nullptr)
    callee = binding->val;
  if (member) {
    Val base = c.eval(*member->base);
    auto *found = base.is(ValKind::Model)
                      ? base.as<ModelInstance>().find(member->member.text)
                      : nullptr;
    if (found)
      callee = found->val;
  }
  if (!isInPlaceLayer(c, callee))
    return false;
  std::vector<Edit> edits = assignResult(c, *call->args[0].value, stmt.range);
  Diagnostic &report =
      c.error(DiagCode::TD212, stmt.range, "the value is not used");
  report.label("a tensor does not change in place: assign the result");
  auto *arg = llvm::dyn_cast<ast::NameExpr>(call->args[0].value);
  if (!arg || edits.empty())
    return true;
  auto shared = findReadOf(c, arg->name, call->range, /*orItself=*/false);
  if (shared)
    noteRead(c, report, *shared);
  report.fix(shared ? FixIt::Choice : FixIt::Safe,
             "`" + arg->name + " = " + c.text(stmt.range) + "`",
             std::move(edits));
  return true;
}

/// `relu(x, inplace=true)`: a function has no such parameter.
static bool checkInPlaceFunction(Checker &c, const ast::CallExpr &call) {
  auto *member = llvm::dyn_cast<ast::MemberExpr>(call.callee);
  auto *name = llvm::dyn_cast<ast::NameExpr>(call.callee);
  llvm::StringRef called = member ? member->member.text
                           : name ? llvm::StringRef(name->name)
                                  : "";
  const ast::Argument *inplace =
      llvm::find_if(call.args, [](const ast::Argument &arg) {
        return arg.kind == ast::Argument::Keyword &&
               arg.keyword.text == "inplace";
      });
  if (inplace == call.args.end() || inplace == call.args.begin() ||
      !isLaterParameter(called, "inplace"))
    return true;
  auto *literal = llvm::dyn_cast<ast::BoolExpr>(inplace->value);
  bool isOff = literal && !literal->value;
  const ast::Expr &changed = *call.args[0].value;
  Sharing here = findSharing(c, c.frames.size());
  bool isStatement = here.isStatement(call.range);
  std::string root = here.findRoot(changed);
  std::optional<SharedChange> shared;
  if (!isOff && !root.empty())
    shared = findReadOf(c, root, call.range, /*orItself=*/!isStatement);
  if (shared) {
    reportInPlaceRead(c, call, *shared);
    return false;
  }
  std::vector<Edit> edits = {
      {std::prev(inplace)->range.finish().to(inplace->range), ""}};
  std::vector<Edit> assign;
  if (isStatement)
    assign = assignResult(c, changed, call.range);
  llvm::append_range(edits, assign);
  Diagnostic &report = c.error(DiagCode::TD205, inplace->keyword.range,
                               "`" + called + "` has no parameter `inplace`");
  report.label("a tensor does not change in place: assign the result");
  if (literal && (!isStatement || !assign.empty()))
    report.fix(FixIt::Safe,
               assign.empty()
                   ? "remove it"
                   : "`" + c.text(changed.range) + " = " + called + "(…)`",
               std::move(edits));
  return false;
}

bool sema::checkInPlaceCall(Checker &c, const ast::CallExpr &call,
                            const Val &callee) {
  if (c.isPrelude(call.range.file) || call.args.empty())
    return true;
  if (!callee.is(ValKind::Model))
    return checkInPlaceFunction(c, call);
  if (call.args[0].kind != ast::Argument::Positional ||
      !isInPlaceLayer(c, callee))
    return true;
  Sharing here = findSharing(c, c.frames.size());
  std::string root = here.findRoot(*call.args[0].value);
  if (root.empty() || here.isStatement(call.range))
    return true; // a statement is reported because its value is not used
  auto shared = findReadOf(c, root, call.range, /*orItself=*/true);
  if (!shared)
    return true;
  reportInPlaceRead(c, call, *shared);
  return false;
}
