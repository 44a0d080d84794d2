//===- SharedReports.cpp - TD219, and calls with inplace=true -------------===//

#include "Checker.h"
#include "Frontend/Characters.h"
#include "PyTorchNames.h"
#include "Shares.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// TD219
//===----------------------------------------------------------------------===//

/// The shares from this one to the first of its storage.
static llvm::SmallVector<unsigned> chainOf(const std::vector<Share> &shares,
                                           unsigned share) {
  llvm::SmallVector<unsigned> chain;
  for (; share; share = shares[share].source)
    chain.push_back(share);
  return chain;
}

/// The name that made two shares one: after the last share that both come from.
static const Share *findLink(const std::vector<Share> &shares, unsigned one,
                             unsigned other) {
  auto a = chainOf(shares, one), b = chainOf(shares, other);
  llvm::DenseSet<unsigned> ofB(b.begin(), b.end());
  auto common = llvm::find_if(a, [&](unsigned s) { return ofB.contains(s); });
  if (common != a.end())
    b.erase(llvm::find(b, *common), b.end());
  a.erase(common, a.end());
  const Share *link = nullptr;
  for (auto *chain : {&a, &b})
    for (unsigned share : llvm::reverse(*chain))
      if (const Share &found = shares[share]; found.link.isValid()) {
        if (!link || link->link.begin < found.link.begin)
          link = &found;
        break;
      }
  return link;
}

/// What the code calls a value, if it is short.
static std::string spellingOf(Checker &c, SourceRange range) {
  llvm::StringRef text = c.text(range);
  bool isShort = text.size() <= 40 && !text.contains('\n') && !text.empty();
  return isShort ? ("`" + text + "`").str() : "this value";
}

/// Whether the path of fields, such as `net.fc.weight`, is this tensor here.
static bool isPathOf(Checker &c, llvm::StringRef path, const void *key) {
  llvm::SmallVector<llvm::StringRef> fields;
  path.split(fields, '.');
  Binding *owner = fields.size() > 1 ? c.scopes.lookup(fields[0]) : nullptr;
  if (!owner || !owner->val.is(ValKind::Model))
    return false;
  Val model = owner->val;
  for (llvm::StringRef field : llvm::ArrayRef(fields).drop_front()) {
    if (!model.is(ValKind::Model))
      return false;
    auto *member = model.as<ModelInstance>().find(field);
    if (!member)
      return false;
    if (member->slot)
      return member->slot.get() == key && field == fields.back();
    model = member->val;
  }
  return false;
}

/// Whether the value is in the statement that names it, and not where it
/// was put into a tuple before.
static bool isOfStatement(Checker &c, SourceRange value, SourceRange name) {
  if (name.begin <= value.begin && value.end <= name.end)
    return true;
  llvm::StringRef between =
      c.sources.getText(name.file).slice(name.end, value.begin);
  return value.begin >= name.end && !between.contains('\n') &&
         !between.contains(';');
}

void SharingState::report(const Share &share, const Change &change,
                          SourceRange range) {
  if (!reported.insert({range.file, range.begin}).second)
    return;
  const Share &changed = shares[change.shareId];
  llvm::StringRef kind = share.isList ? "list" : "tensor";
  bool isOfModel = share.isOfModel;
  std::string other = isOfModel && !share.ofModel.empty()
                          ? "`" + share.ofModel + "`"
                          : spellingOf(c, range);
  std::string name = changed.ofModel.empty() ? spellingOf(c, changed.value)
                                             : "`" + changed.ofModel + "`";
  bool isSame = other == name;
  std::string title =
      isSame ? "in PyTorch " + other + " has changed here"
             : "in PyTorch " + other + " changes together with " + name;
  unsigned own = &share - shares.data();
  const Share *link = findLink(shares, own, change.shareId);
  SourceRange linked = link ? link->link : SourceRange();
  SourceRange value = link ? link->value : SourceRange();
  Diagnostic &report = c.error(DiagCode::TD219, range, title);
  report.label(
      isSame ? "it changes in place there; this is the value before"
             : ("one " + kind + " there; here each name has a value of its own")
                   .str());
  if (change.range != range)
    report.note(name + " is changed here", change.range);
  if (linked.isValid() && linked != range)
    report.note(("both are one " + kind + " from here on").str(), linked);
  if (isOfModel)
    report.note(other + " is a tensor of a model");
  if (changed.isCall)
    report.note("the call gives the new tensor: assign it to " + name +
                ", or leave `inplace` out");
  // `w = net.weight`: the tensor itself has the new values in both languages.
  llvm::StringRef used = c.text(range).take_while(isNameChar);
  Binding *binding = c.scopes.lookup(used);
  auto model = llvm::find_if(
      ofModels, [&](auto &one) { return one.second == change.shareId; });
  llvm::StringRef written =
      binding && llvm::is_contained(chainOf(shares, own), binding->val.shareId)
          ? c.text(shares[binding->val.shareId].value)
          : "";
  if (model != ofModels.end() && !isRepeated &&
      isPathOf(c, written, model->first))
    report
        .note("to keep the values from before the change: `let " + used +
              " = " + written + ".clone()`")
        .fix(FixIt::Safe, ("`" + written + "`").str(),
             {{{range.file, range.begin,
                static_cast<uint32_t>(range.begin + used.size())},
               written.str()}});
  else if (value.isValid() && value != range && isOfStatement(c, value, linked))
    c.offerSuffix(report, value, share.isList ? "[:]" : ".clone()");
}

//===----------------------------------------------------------------------===//
// Layers and functions with `inplace=true`
//===----------------------------------------------------------------------===//

bool sema::isInPlaceLayer(const Checker &c, const Val &callee) {
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

bool sema::takeInPlace(Checker &c, const ast::CallExpr &call, CallArgs &args) {
  auto *member = llvm::dyn_cast<ast::MemberExpr>(call.callee);
  auto *name = llvm::dyn_cast<ast::NameExpr>(call.callee);
  llvm::StringRef called = member ? member->member.text
                           : name ? llvm::StringRef(name->name)
                                  : "";
  auto given = llvm::find_if(args.keywords, [](const auto &keyword) {
    return keyword.name.text == "inplace" && keyword.val.is(ValKind::Bool) &&
           keyword.val.known;
  });
  if (given == args.keywords.end() || !isLaterParameter(called, "inplace"))
    return false;
  bool isInPlace = given->val.truth;
  args.keywords.erase(given);
  return isInPlace;
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

/// Whether `relu(x, inplace=true)` changes its argument.
static bool isInPlaceFunction(Checker &c, const ast::CallExpr &call,
                              llvm::StringRef called) {
  return isLaterParameter(called, "inplace") &&
         llvm::any_of(call.args, [](const ast::Argument &arg) {
           auto *value = llvm::dyn_cast<ast::BoolExpr>(arg.value);
           return arg.kind == ast::Argument::Keyword &&
                  arg.keyword.text == "inplace" && value && value->value;
         });
}

bool sema::reportInPlaceStatement(Checker &c, const ast::ExprStmt &stmt,
                                  const Val &result) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(stmt.value);
  auto *member = call ? llvm::dyn_cast<ast::MemberExpr>(call->callee) : nullptr;
  auto *name = call ? llvm::dyn_cast<ast::NameExpr>(call->callee) : nullptr;
  if (call == nullptr || call->args.empty() || (!member && !name))
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
  llvm::StringRef called = member ? member->member.text : name->name;
  if (!isInPlaceLayer(c, callee) && !isInPlaceFunction(c, *call, called))
    return false;
  std::vector<Edit> edits = assignResult(c, *call->args[0].value, stmt.range);
  Diagnostic &report =
      c.error(DiagCode::TD212, stmt.range, "the value is not used");
  report.label("a tensor does not change in place: assign the result");
  if (!edits.empty())
    report.fix(FixIt::Safe,
               "`" + c.text(call->args[0].value->range) + " = " +
                   c.text(stmt.range) + "`",
               std::move(edits));
  if (auto *arg = llvm::dyn_cast<ast::NameExpr>(call->args[0].value))
    if (Binding *binding = c.scopes.lookup(arg->name))
      binding->val = result; // as it is after the fix
  return true;
}
