//===- Sharing.cpp - names that are one tensor or list in PyTorch ---------===//

#include "Sharing.h"
#include "Frontend/ASTWalk.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// What an expression is a name of
//===----------------------------------------------------------------------===//

/// Methods whose result shares its elements with the tensor.
static bool givesPart(llvm::StringRef method) {
  static constexpr llvm::StringLiteral names[] = {
      "view",      "view_as",   "reshape",    "t",
      "transpose", "permute",   "squeeze",    "unsqueeze",
      "expand",    "expand_as", "narrow",     "select",
      "chunk",     "split",     "unbind",     "flatten",
      "detach",    "unflatten", "diagonal",   "movedim",
      "swapaxes",  "swapdims",  "contiguous", "requires_grad_"};
  return llvm::is_contained(names, method);
}

static bool isInPlaceName(llvm::StringRef name) {
  return name.size() > 1 && name.ends_with("_") && !name.ends_with("__") &&
         name != "requires_grad_" && name != "manual_seed_";
}

std::string Sharing::findRoot(const ast::Expr &expr, bool &isPart) const {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&expr))
    return name->name.str();
  if (auto *member = llvm::dyn_cast<ast::MemberExpr>(&expr)) {
    llvm::StringRef field = member->member.text;
    if (field == "T" || field == "mT" || field == "H" || field == "data") {
      isPart |= field != "data";
      return findRoot(*member->base, isPart);
    }
    if (field == "grad" || field == "shape" || field == "dtype")
      return "";
    bool isPartOfBase = false;
    if (llvm::isa<ast::SelfExpr>(member->base))
      return ("self." + field).str();
    std::string base = findRoot(*member->base, isPartOfBase);
    return base.empty() || isPartOfBase ? "" : base + "." + field.str();
  }
  if (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&expr)) {
    // A slice of a list is another list.
    if (auto *list = llvm::dyn_cast<ast::NameExpr>(part->base);
        list && facts.isList(list->name) &&
        llvm::any_of(part->items, [](const ast::SubscriptItem &item) {
          return item.kind == ast::SubscriptItem::Slice;
        }))
      return "";
    // A tensor of indices or a mask picks a copy of the elements.
    for (const ast::SubscriptItem &item : part->items) {
      auto *index = llvm::dyn_cast_or_null<ast::NameExpr>(item.index);
      bool isNumber =
          item.kind != ast::SubscriptItem::Index ||
          (index ? !facts.isTensor(index->name)
                 : llvm::isa<ast::IntExpr, ast::UnaryExpr, ast::BinaryExpr>(
                       item.index));
      if (!isNumber)
        return "";
    }
    isPart = true;
    return findRoot(*part->base, isPart);
  }
  if (auto *call = llvm::dyn_cast<ast::CallExpr>(&expr)) {
    auto *method = llvm::dyn_cast<ast::MemberExpr>(call->callee);
    if (!method)
      return "";
    if (isInPlaceName(method->member.text))
      return findRoot(*method->base, isPart);
    if (!givesPart(method->member.text))
      return "";
    isPart |= method->member.text != "detach";
    return findRoot(*method->base, isPart);
  }
  return "";
}

std::string Sharing::findRoot(const ast::Expr &expr) const {
  bool isPart = false;
  return findRoot(expr, isPart);
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// Whether a member or method says something that no change of elements
/// affects.
static bool isOfType(llvm::StringRef name) {
  static constexpr llvm::StringLiteral names[] = {
      "shape", "dtype", "device", "ndim",          "dim",
      "numel", "size",  "grad",   "requires_grad", "requires_grad_"};
  return llvm::is_contained(names, name);
}

void Sharing::hide(const ast::Target &target, SourceRange scope) {
  if (!target.isTuple()) {
    scopes.emplace_back(target.name, scope);
    hidden.push_back(target.name);
  }
  for (const ast::Target *element : target.elements)
    hide(*element, scope);
}

void Sharing::visitComprehension(
    const ast::ComprehensionExpr &expr,
    llvm::function_ref<void(const ast::Expr &)> visit) {
  size_t outer = hidden.size();
  for (const ast::ComprehensionClause &clause : expr.clauses) {
    visit(*clause.iterable);
    hide(*clause.target, expr.range);
    for (const ast::Expr *condition : clause.conditions)
      visit(*condition);
  }
  visit(*expr.element);
  hidden.resize(outer);
}

void Sharing::readCall(const ast::CallExpr &call, uint32_t at) {
  calls.push_back(&call);
  auto *method = llvm::dyn_cast<ast::MemberExpr>(call.callee);
  auto *function = llvm::dyn_cast<ast::NameExpr>(call.callee);
  llvm::StringRef name = method     ? method->member.text
                         : function ? llvm::StringRef(function->name)
                                    : "";
  if (name == "len" && function)
    return;
  bool isInPlace = isInPlaceName(name);
  bool isFunction =
      function || (method && (llvm::isa<ast::MemberExpr>(method->base) ||
                              llvm::isa<ast::NameExpr>(method->base)));
  auto *owner = method ? llvm::dyn_cast<ast::NameExpr>(method->base) : nullptr;
  bool isModule =
      owner && llvm::is_contained({"init", "nn", "F", "torch"}, owner->name);
  if (auto *space =
          method ? llvm::dyn_cast<ast::MemberExpr>(method->base) : nullptr)
    isModule |= space->member.text == "init" || space->member.text == "utils";
  if (isInPlace && isFunction && (function || isModule)) {
    if (!call.args.empty())
      change(*call.args[0].value, call.range, call.range.end - 1);
  } else if (isInPlace && method) {
    change(*method->base, call.range, call.range.end - 1);
  }
  for (const ast::Argument &arg : call.args) {
    if (arg.kind != ast::Argument::Keyword)
      continue;
    if (arg.keyword.text == "out")
      change(*arg.value, call.range, call.range.end - 1);
  }
  if (isInPlace || name == "step" || name == "load" ||
      name == "load_state_dict" || name == "restore" || name == "apply" ||
      (function &&
       !llvm::is_contained({"print", "range", "len", "zip", "enumerate", "list",
                            "sum", "int", "float", "str", "abs"},
                           function->name)))
    modelChanges.push_back(call.range.end);
  static constexpr llvm::StringLiteral growing[] = {
      "append", "extend", "insert",  "pop",
      "remove", "sort",   "reverse", "clear"};
  // A call reads its arguments before it changes something.
  uint32_t use = call.range.end - 2;
  // `v, i = x.sort()` is the method of a tensor.
  bool isGrowing = owner && llvm::is_contained(growing, name) &&
                   (name != "sort" || isStatement(call.range));
  if (isGrowing) {
    change(*method->base, call.range, call.range.end - 1);
    if ((name == "append" || name == "insert") && !call.args.empty())
      keep(owner->name, *call.args.back().value, call.range);
  } else if (!method) {
    read(*call.callee, use);
  } else if (!isOfType(name)) {
    read(*method->base, isInPlace || givesPart(name) ? at : use);
  }
  for (const ast::Argument &arg : call.args)
    read(*arg.value, use);
}

void Sharing::read(const ast::Expr *expr) {
  if (expr)
    read(*expr, expr->range.end - 1);
}

void Sharing::read(const ast::Expr &expr, uint32_t at) {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&expr)) {
    if (!llvm::is_contained(hidden, name->name))
      reads.push_back({name->name.str(), name->range, at, {}});
    return;
  }
  if (auto *call = llvm::dyn_cast<ast::CallExpr>(&expr))
    return readCall(*call, at);
  uint32_t end = expr.range.end - 1;
  if (auto *made = llvm::dyn_cast<ast::ComprehensionExpr>(&expr))
    return visitComprehension(
        *made, [&](const ast::Expr &child) { read(child, end); });
  if (auto *choice = llvm::dyn_cast<ast::ConditionalExpr>(&expr)) {
    size_t first = reads.size();
    read(choice->condition);
    for (Event &event : llvm::drop_begin(reads, first))
      event.at = expr.range.begin; // before both values
    read(choice->thenValue);
    read(choice->elseValue);
    branches.push_back({choice->thenValue->range, choice->elseValue->range});
    return;
  }
  if (auto *member = llvm::dyn_cast<ast::MemberExpr>(&expr)) {
    if (isOfType(member->member.text))
      return;
    std::string root = findRoot(expr);
    auto [owner, field] = llvm::StringRef(root).split('.');
    if (!field.empty() && !llvm::is_contained(hidden, owner))
      reads.push_back({root, expr.range, at, {}});
  }
  bool isComputed =
      llvm::isa<ast::UnaryExpr, ast::BinaryExpr, ast::CompareExpr>(&expr);
  if (llvm::isa<ast::FStringExpr>(&expr))
    ast::forEachChild(expr, [&](const ast::Expr &child) { read(&child); });
  else
    ast::forEachChild(expr, [&](const ast::Expr &child) {
      read(child, isComputed ? end : at);
    });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Sharing::Sharing(llvm::ArrayRef<const ast::Stmt *> body, SourceRange range,
                 SharingFacts facts)
    : whole(range), facts(std::move(facts)) {
  visit(body, range);
}

void Sharing::visit(llvm::ArrayRef<const ast::Stmt *> stmts,
                    SourceRange block) {
  for (const ast::Stmt *stmt : stmts)
    visit(*stmt, block);
}

void Sharing::visitBlock(const ast::Block *block) {
  if (!block)
    return;
  visit(block->stmts, block->range);
  if (!block->stmts.empty() &&
      llvm::isa<ast::ReturnStmt, ast::BreakStmt>(block->stmts.back()))
    closed.push_back(block->range);
}

void Sharing::change(const ast::Expr &target, SourceRange range, uint32_t at) {
  std::string root = findRoot(target);
  if (!root.empty() &&
      !llvm::is_contained(hidden, llvm::StringRef(root).split('.').first))
    changes.push_back({root, range, at, {}});
}

void Sharing::keep(llvm::StringRef list, const ast::Expr &value,
                   SourceRange range) {
  const ast::Expr *single = &value;
  llvm::ArrayRef<const ast::Expr *> elements(single);
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&value))
    elements = tuple->elements;
  else if (auto *literal = llvm::dyn_cast<ast::ListExpr>(&value))
    elements = literal->elements;
  for (const ast::Expr *element : elements) {
    bool isPart = false;
    std::string root = findRoot(*element, isPart);
    if (!root.empty())
      links.push_back({list.str(), root, range, range.end, true, isPart});
  }
}

void Sharing::visitLink(const ast::Expr &target, const ast::Expr &value,
                        SourceRange range) {
  if (auto *choice = llvm::dyn_cast<ast::ConditionalExpr>(&value)) {
    visitLink(target, *choice->thenValue, range);
    visitLink(target, *choice->elseValue, range);
    return;
  }
  if (auto *names = llvm::dyn_cast<ast::TupleExpr>(&target)) {
    auto *values = llvm::dyn_cast<ast::TupleExpr>(&value);
    bool fits = values && values->elements.size() == names->elements.size();
    for (size_t i = 0; i < names->elements.size(); ++i) {
      const ast::Expr *name = names->elements[i];
      const ast::Expr &own = fits ? *values->elements[i] : value;
      // After `a, b = b, a` the two are still different tensors.
      bool isExchanged =
          fits && llvm::any_of(names->elements, [&](const ast::Expr *other) {
            return other != name && findRoot(*other) == findRoot(own);
          });
      if (!isExchanged)
        visitLink(*name, own, range);
    }
    return;
  }
  bool isPart = false;
  std::string root = findRoot(target, isPart);
  if (root.empty())
    return;
  bool isWhole = llvm::isa<ast::NameExpr>(&target);
  if (llvm::isa<ast::TupleExpr, ast::ListExpr>(&value))
    return keep(root, value, range);
  // What is assigned to a part is copied, unless it is a list's element.
  if (!isWhole && !llvm::isa<ast::MemberExpr>(&target))
    return;
  bool isPartOfValue = false;
  std::string source = findRoot(value, isPartOfValue);
  if (!source.empty() && source != root)
    links.push_back({root, source, range, range.end, !isWhole, isPartOfValue});
}

void Sharing::visitTarget(const ast::Expr &target, const ast::AssignStmt &stmt,
                          SourceRange block) {
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target)) {
    for (const ast::Expr *element : tuple->elements)
      visitTarget(*element, stmt, block);
    return;
  }
  if (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target))
    for (const ast::SubscriptItem &item : part->items)
      for (const ast::Expr *expr :
           {item.index, item.start, item.stop, item.step})
        read(expr);
  bool isWhole = llvm::isa<ast::NameExpr, ast::MemberExpr>(&target) &&
                 stmt.op == ast::AssignOp::Set;
  if (!isWhole) {
    change(target, stmt.range, stmt.range.end);
    modelChanges.push_back(stmt.range.end);
    return;
  }
  std::string root = findRoot(target);
  if (!llvm::isa<ast::NameExpr>(&target))
    modelChanges.push_back(stmt.range.end);
  // `x = x.view(3)` is another name of what `x` was.
  if (!root.empty() && findRoot(*stmt.value) != root)
    assignments.push_back({root, stmt.range, stmt.range.end, block});
}

void Sharing::bind(const ast::Target &target, uint32_t at, SourceRange block) {
  if (!target.isTuple())
    assignments.push_back({target.name.str(), target.range, at, block});
  for (const ast::Target *element : target.elements)
    bind(*element, at, block);
}

void Sharing::noteNames(const ast::Expr *expr) {
  if (!expr)
    return;
  auto visit = [&](const ast::Expr &child) { noteNames(&child); };
  auto *name = llvm::dyn_cast<ast::NameExpr>(expr);
  if (name && !llvm::is_contained(hidden, name->name))
    names.emplace_back(name->name, name->range);
  if (auto *made = llvm::dyn_cast<ast::ComprehensionExpr>(expr))
    visitComprehension(*made, visit);
  else
    ast::forEachChild(*expr, visit);
}

void Sharing::visit(const ast::Stmt &stmt, SourceRange block) {
  if (auto *let = llvm::dyn_cast<ast::LetStmt>(&stmt)) {
    noteNames(let->value);
    read(let->value);
    bool isAnother =
        !let->target->isTuple() && findRoot(*let->value) == let->target->name;
    if (!isAnother)
      bind(*let->target, stmt.range.end, block);
    bool isPart = false;
    std::string source = findRoot(*let->value, isPart);
    if (!source.empty() && !let->target->isTuple() && !isAnother)
      links.push_back({let->target->name.str(), source, stmt.range,
                       stmt.range.end, false, isPart});
    else if (!let->target->isTuple() &&
             llvm::isa<ast::TupleExpr, ast::ListExpr>(let->value))
      keep(let->target->name, *let->value, stmt.range);
  } else if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(&stmt)) {
    bool isPlain = llvm::isa<ast::NameExpr>(assign->target) &&
                   assign->op == ast::AssignOp::Set;
    if (!isPlain)
      noteNames(assign->target);
    noteNames(assign->value);
    read(assign->value);
    visitTarget(*assign->target, *assign, block);
    if (assign->op == ast::AssignOp::Set)
      visitLink(*assign->target, *assign->value, stmt.range);
    else if (auto *name = llvm::dyn_cast<ast::NameExpr>(assign->target);
             name && llvm::isa<ast::ListExpr>(assign->value))
      keep(name->name, *assign->value, stmt.range);
  } else if (auto *call = llvm::dyn_cast<ast::ExprStmt>(&stmt)) {
    statements.push_back(call->value->range);
    noteNames(call->value);
    read(call->value);
  } else if (auto *branch = llvm::dyn_cast<ast::IfStmt>(&stmt)) {
    noteNames(branch->condition);
    read(branch->condition);
    visitBlock(branch->thenBlock);
    visitBlock(branch->elseBlock);
    if (branch->elseBlock)
      branches.push_back({branch->thenBlock->range, branch->elseBlock->range});
  } else if (auto *loop = llvm::dyn_cast<ast::ForStmt>(&stmt)) {
    noteNames(loop->iterable);
    read(loop->iterable);
    bind(*loop->target, loop->body->range.begin, loop->body->range);
    bool isPart = false;
    std::string list = findRoot(*loop->iterable, isPart);
    if (!list.empty() && !loop->target->isTuple())
      links.push_back({loop->target->name.str(), list, loop->target->range,
                       loop->body->range.begin, false, true});
    visitBlock(loop->body);
    loops.push_back(loop->body->range);
  } else if (auto *loop = llvm::dyn_cast<ast::WhileStmt>(&stmt)) {
    noteNames(loop->condition);
    read(loop->condition);
    visitBlock(loop->body);
    loops.push_back(stmt.range);
  } else if (auto *with = llvm::dyn_cast<ast::WithStmt>(&stmt)) {
    for (const ast::Argument &arg : with->args) {
      noteNames(arg.value);
      read(arg.value);
    }
    visit(with->body->stmts, block); // opens no scope
  } else if (auto *result = llvm::dyn_cast<ast::ReturnStmt>(&stmt)) {
    noteNames(result->value);
    read(result->value);
  } else if (auto *check = llvm::dyn_cast<ast::AssertStmt>(&stmt)) {
    for (const ast::Expr *expr : {check->condition, check->message}) {
      noteNames(expr);
      read(expr);
    }
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static bool holds(SourceRange range, uint32_t at) {
  return range.begin <= at && at <= range.end;
}

/// Whether the one place is in another branch, or in a block that is left.
bool Sharing::areSeparate(uint32_t from, uint32_t to) const {
  return llvm::any_of(branches,
                      [&](const auto &branch) {
                        return holds(branch.first, from) &&
                               holds(branch.second, to);
                      }) ||
         llvm::any_of(closed, [&](SourceRange block) {
           return holds(block, from) && !holds(block, to);
         });
}

/// Whether what `name` is at `from` can still be its value at `to`, which the
/// program may reach from there.
bool Sharing::isAlive(llvm::StringRef name, uint32_t from, uint32_t to) const {
  auto isKilled = [&](auto kills) {
    return llvm::any_of(assignments, [&](const Event &event) {
      return event.name == name && kills(event);
    });
  };
  bool isForward = from <= to && !areSeparate(from, to) &&
                   !isKilled([&](const Event &event) {
                     bool isOnTheWay =
                         holds(event.block, from) || holds(event.block, to);
                     return from < event.at && event.at <= to && isOnTheWay;
                   });
  return isForward || llvm::any_of(loops, [&](SourceRange loop) {
           if (!holds(loop, from) || !holds(loop, to))
             return false;
           bool isLeft = llvm::any_of(closed, [&](SourceRange block) {
             return holds(block, from) && holds(loop, block.begin) &&
                    !holds(block, to);
           });
           return !isLeft && !isKilled([&](const Event &event) {
             if (!holds(loop, event.at))
               return false;
             bool isAfter = from < event.at && event.block.end >= loop.end;
             bool isBefore = event.at <= to && to <= event.block.end;
             return isAfter || isBefore;
           });
         });
}

bool Sharing::isUnchangedAt(llvm::StringRef name, uint32_t place) const {
  return isAlive(name, whole.begin, place);
}

bool Sharing::mayChangeModels(uint32_t start, uint32_t place) const {
  return llvm::any_of(modelChanges, [&](uint32_t at) {
    bool isBetween = start < at && at <= place;
    return isBetween || llvm::any_of(loops, [&](SourceRange loop) {
             return holds(loop, at) && holds(loop, place) &&
                    !holds(loop, start);
           });
  });
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

/// Whether the link carries a change of `from` to another name, `to`.
bool Sharing::reaches(const Link &link, llvm::StringRef from,
                      llvm::StringRef &to, const Event &change) const {
  bool isSource = link.source == from;
  if (!isSource && (link.target != from || link.isKept))
    return false;
  to = isSource ? link.target : link.source;
  // A list that grows is no change of its elements.
  if (isSource && link.isPart && facts.isList(from))
    return false;
  return isAlive(from, link.at, change.at) && isAlive(to, link.at, change.at);
}

std::optional<SharedChange> Sharing::findRead(const Event &change,
                                              llvm::StringRef blamed,
                                              bool orItself,
                                              SourceRange ignored) const {
  struct Step {
    llvm::StringRef name;
    SourceRange link;
    bool isBlamed;
  };
  llvm::SmallVector<Step> steps = {{change.name, {}, blamed.empty()}};
  llvm::StringSet<> seen;
  seen.insert(change.name);
  for (size_t i = 0; i != steps.size(); ++i) {
    Step step = steps[i];
    for (const Link &link : links) {
      llvm::StringRef to;
      // `q, k = x.chunk(2)`: parts that one statement names have no common
      // elements.
      bool isOtherPart = i != 0 && link.isPart && link.range == step.link;
      if (isOtherPart || !reaches(link, step.name, to, change) ||
          !seen.insert(to).second)
        continue;
      bool isBlamed =
          step.isBlamed || (link.isKept ? link.source : link.target) == blamed;
      steps.push_back({to, link.range, isBlamed});
    }
    // What a call changes is read under its own name, too.
    if (!step.isBlamed || (i == 0 && !orItself))
      continue;
    SharedChange found;
    found.changed = change.name;
    found.other = step.name.str();
    found.change = change.range;
    found.link = step.link;
    bool isRead = step.name.contains('.'); // others may read it at any time
    for (const Event &read : reads) {
      bool isOwn = ignored.isValid() && holds(ignored, read.range.begin) &&
                   read.range.end <= ignored.end;
      if (isRead || read.name != step.name || isOwn ||
          !isAlive(step.name, change.at, read.at))
        continue;
      isRead = true;
      found.read = read.range;
    }
    if (isRead)
      return found;
  }
  return std::nullopt;
}

std::optional<SharedChange> Sharing::findChange(llvm::StringRef name) const {
  for (const Event &event : changes)
    if (auto found = findRead(event, name, /*orItself=*/false, {}))
      return found;
  return std::nullopt;
}

std::optional<SharedChange> Sharing::findRead(llvm::StringRef changed,
                                              SourceRange call,
                                              bool orItself) const {
  if (isHiddenAt(changed.split('.').first, call))
    return std::nullopt;
  return findRead({changed.str(), call, call.end - 1, {}}, "", orItself, call);
}

const ast::CallExpr *Sharing::findCall(SourceRange range) const {
  for (const ast::CallExpr *call : calls)
    if (call->range == range)
      return call;
  return nullptr;
}

std::vector<SourceRange> Sharing::occurrencesOf(llvm::StringRef name) const {
  std::vector<SourceRange> ranges;
  for (const auto &[found, range] : names)
    if (found == name)
      ranges.push_back(range);
  return ranges;
}

bool Sharing::isHiddenAt(llvm::StringRef name, SourceRange place) const {
  return llvm::any_of(scopes, [&](const auto &scope) {
    return scope.first == name && holds(scope.second, place.begin) &&
           place.end <= scope.second.end;
  });
}

std::vector<SourceRange> Sharing::changesOf(llvm::StringRef name) const {
  std::vector<SourceRange> ranges;
  for (const Event &event : changes)
    if (event.name == name)
      ranges.push_back(event.range);
  return ranges;
}

std::vector<SourceRange> Sharing::changesOfGiven(llvm::StringRef name) const {
  std::vector<SourceRange> ranges = changesOf(name);
  llvm::erase_if(ranges, [&](SourceRange change) {
    return !isUnchangedAt(name, change.begin);
  });
  return ranges;
}

std::string Sharing::findSource(llvm::StringRef name, uint32_t place) const {
  for (const Link &link : links)
    if (link.target == name && !link.isKept && isAlive(name, link.at, place) &&
        isAlive(link.source, link.at, place))
      return link.source;
  return "";
}

unsigned Sharing::countAssignments(llvm::StringRef name) const {
  return llvm::count_if(assignments,
                        [&](const Event &event) { return event.name == name; });
}
