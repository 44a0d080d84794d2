//===- Declarations.cpp - where a declaration is missing ------------------===//
//
// In Python a name lives from its first assignment to the end of the function.
// Here a name is declared and lives to the end of its block. The two agree if
// every use follows an assignment in a block around it: then the author meant a
// `let` or `var` at that assignment.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "Checker.h"
#include "Frontend/ASTWalk.h"

using namespace tdc;
using namespace tdc::sema;

namespace {
/// Finds the uses of one name.
class NameUses {
public:
  explicit NameUses(llvm::StringRef name) : name(name) {}

  struct Write {
    const ast::AssignStmt *stmt;
    SourceRange target;
    bool isPlain = false;
    unsigned depth = 0; ///< blocks around it, in the function
    SourceRange reach;  ///< from its end to the end of its block
  };
  std::vector<Write> writes;
  std::vector<SourceRange> reads;
  /// A function of the program reads it.
  bool isReadInFunction = false;
  /// Where the name is declared in any way that is not an assignment.
  std::vector<SourceRange> declared;

  void visit(llvm::ArrayRef<const ast::Stmt *> stmts, uint32_t end);

  bool isReached(SourceRange use) const {
    auto reaches = [&](SourceRange reach) { return reach.contains(use); };
    return llvm::any_of(declared, reaches) ||
           llvm::any_of(writes, [&](const Write &write) {
             return write.isPlain && write.reach.contains(use);
           });
  }

private:
  void visit(const ast::Stmt &stmt, uint32_t end);
  void visit(const ast::Block *block) {
    ++depth;
    if (block)
      visit(block->stmts, block->range.end);
    --depth;
  }
  void visit(const ast::Expr *expr);
  void visitFunction(const ast::FnDecl &fn);
  void visitTarget(const ast::Expr &target, const ast::AssignStmt &stmt,
                   uint32_t end, bool isPlain);
  bool declares(const ast::Target *target) const {
    return target && (target->name == name ||
                      llvm::any_of(target->elements, [&](auto *element) {
                        return declares(element);
                      }));
  }

  llvm::StringRef name;
  unsigned depth = 0;
};
} // namespace

void NameUses::visit(const ast::Expr *expr) {
  if (!expr)
    return;
  if (auto *read = llvm::dyn_cast<ast::NameExpr>(expr);
      read && read->name == name)
    reads.push_back(read->range);
  if (auto *list = llvm::dyn_cast<ast::ComprehensionExpr>(expr);
      list && llvm::any_of(list->clauses, [&](auto &clause) {
        return declares(clause.target);
      }))
    declared.push_back(list->range);
  ast::forEachChild(*expr, [&](const ast::Expr &child) { visit(&child); });
}

void NameUses::visitTarget(const ast::Expr &target, const ast::AssignStmt &stmt,
                           uint32_t end, bool isPlain) {
  if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target)) {
    for (const ast::Expr *element : tuple->elements)
      visitTarget(*element, stmt, end, isPlain);
    return;
  }
  if (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target)) {
    visitTarget(*part->base, stmt, end, /*isPlain=*/false);
    for (const ast::SubscriptItem &item : part->items)
      for (const ast::Expr *expr :
           {item.index, item.start, item.stop, item.step})
        visit(expr);
    return;
  }
  auto *written = llvm::dyn_cast<ast::NameExpr>(&target);
  if (!written)
    visit(&target);
  else if (written->name == name)
    writes.push_back({&stmt,
                      written->range,
                      isPlain,
                      depth,
                      {stmt.range.file, stmt.range.end, end}});
}

/// A function sees the names of the program, except those that it declares.
void NameUses::visitFunction(const ast::FnDecl &fn) {
  if (llvm::any_of(fn.params, [&](const ast::Param &param) {
        return param.name.text == name;
      }))
    return;
  NameUses inner(name);
  inner.visit(fn.value);
  inner.visit(fn.body);
  isReadInFunction |= llvm::any_of(
      inner.reads, [&](SourceRange read) { return !inner.isReached(read); });
}

void NameUses::visit(const ast::Stmt &stmt, uint32_t end) {
  if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(&stmt)) {
    visitTarget(*assign->target, *assign, end,
                assign->op == ast::AssignOp::Set);
    visit(assign->value);
    return;
  }
  for (const ast::Expr *expr : ast::expressionsOf(stmt))
    visit(expr);
  for (const ast::Block *block : ast::blocksOf(stmt))
    if (llvm::isa<ast::WithStmt>(stmt))
      visit(block->stmts, end); // opens no scope
    else
      visit(block);
  if (auto *let = llvm::dyn_cast<ast::LetStmt>(&stmt)) {
    if (declares(let->target))
      declared.push_back({stmt.range.file, stmt.range.end, end});
  } else if (auto *loop = llvm::dyn_cast<ast::ForStmt>(&stmt)) {
    if (declares(loop->target))
      declared.push_back(loop->body->range);
  } else if (auto *fn = llvm::dyn_cast<ast::FnDecl>(&stmt)) {
    visitFunction(*fn);
  } else if (auto *model = llvm::dyn_cast<ast::ModelDecl>(&stmt)) {
    for (const ast::Decl *member : model->members)
      if (auto *method = llvm::dyn_cast<ast::FnDecl>(member))
        visitFunction(*method);
  }
}

void NameUses::visit(llvm::ArrayRef<const ast::Stmt *> stmts, uint32_t end) {
  for (const ast::Stmt *stmt : stmts)
    visit(*stmt, end);
}

/// Whether the code gives the name a value on each path that goes on after it.
static bool assigns(const ast::Expr &target, llvm::StringRef name) {
  if (auto *written = llvm::dyn_cast<ast::NameExpr>(&target))
    return written->name == name;
  auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target);
  return tuple && llvm::any_of(tuple->elements, [&](const ast::Expr *element) {
           return assigns(*element, name);
         });
}
static bool assigns(const ast::Block *block, llvm::StringRef name);
static bool assigns(const ast::Stmt &stmt, llvm::StringRef name) {
  if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(&stmt))
    return assign->op == ast::AssignOp::Set && assigns(*assign->target, name);
  if (auto *branch = llvm::dyn_cast<ast::IfStmt>(&stmt))
    return assigns(branch->thenBlock, name) && assigns(branch->elseBlock, name);
  if (auto *with = llvm::dyn_cast<ast::WithStmt>(&stmt))
    return assigns(with->body, name);
  return stmt.kind == ast::StmtKind::Return ||
         stmt.kind == ast::StmtKind::Break ||
         stmt.kind == ast::StmtKind::Continue;
}
static bool assigns(const ast::Block *block, llvm::StringRef name) {
  return block && llvm::any_of(block->stmts, [&](const ast::Stmt *stmt) {
           return assigns(*stmt, name);
         });
}

/// The outermost `if` around `at` both sides of which give the name a value.
/// `end` is that of the code, and then of the block around the `if`.
static const ast::IfStmt *findChoice(llvm::ArrayRef<const ast::Stmt *> stmts,
                                     uint32_t &end, llvm::StringRef name,
                                     SourceRange at) {
  for (const ast::Stmt *stmt : stmts) {
    if (!stmt->range.contains(at))
      continue;
    auto *branch = llvm::dyn_cast<ast::IfStmt>(stmt);
    if (branch && assigns(*stmt, name))
      return branch;
    for (const ast::Block *block : ast::blocksOf(*stmt)) {
      if (!block->range.contains(at))
        continue;
      if (!llvm::isa<ast::WithStmt>(stmt)) // opens no scope
        end = block->range.end;
      return findChoice(block->stmts, end, name, at);
    }
  }
  return nullptr;
}

MissingDeclaration sema::findMissing(llvm::ArrayRef<const ast::Stmt *> body,
                                     uint32_t end, llvm::StringRef name,
                                     SourceRange at) {
  NameUses uses(name);
  uses.visit(body, end);
  MissingDeclaration result;
  auto write = llvm::find_if(
      uses.writes, [&](const auto &write) { return write.target == at; });
  if (write == uses.writes.end())
    return result;
  result.assignment = write->stmt;
  result.isPlain = write->isPlain;
  result.isInBody = write->depth == 0;
  result.isOnly = uses.writes.size() == 1;
  result.isRead = !uses.reads.empty() || uses.isReadInFunction;
  result.isVar = llvm::any_of(uses.writes, [&](const auto &other) {
    return write->reach.begin <= other.target.begin &&
           other.target.end <= write->reach.end;
  });
  result.reachesAll =
      (!uses.isReadInFunction || write->depth == 0) &&
      llvm::all_of(uses.reads,
                   [&](SourceRange read) { return uses.isReached(read); }) &&
      llvm::all_of(uses.writes, [&](const auto &other) {
        return other.isPlain || uses.isReached(other.target);
      });
  if (result.reachesAll || !result.isPlain || uses.isReadInFunction)
    return result;
  const ast::IfStmt *choice = findChoice(body, end, name, at);
  if (!choice)
    return result;
  // In the `if` each use follows an assignment of its side; after it the name
  // has a value.
  SourceRange after = {at.file, choice->range.end, end};
  auto isServed = [&](SourceRange use) {
    return after.contains(use) ||
           (choice->range.contains(use) && uses.isReached(use));
  };
  bool isAlone =
      uses.declared.empty() && llvm::all_of(uses.reads, isServed) &&
      llvm::all_of(uses.writes, [&](const auto &other) {
        return (other.isPlain && choice->range.contains(other.target)) ||
               isServed(other.target);
      });
  if (isAlone)
    result.choice = choice;
  return result;
}

const ast::Block *sema::findLoopBody(llvm::ArrayRef<const ast::Stmt *> stmts,
                                     SourceRange at) {
  auto inBlock = [&](const ast::Block *block) {
    return block ? findLoopBody(block->stmts, at) : nullptr;
  };
  for (const ast::Stmt *stmt : stmts) {
    if (at.begin < stmt->range.begin || at.end > stmt->range.end)
      continue;
    if (auto *loop = llvm::dyn_cast<ast::ForStmt>(stmt)) {
      bool isTarget = loop->target->range.begin <= at.begin &&
                      at.end <= loop->target->range.end;
      return isTarget ? loop->body : inBlock(loop->body);
    }
    if (auto *loop = llvm::dyn_cast<ast::WhileStmt>(stmt))
      return inBlock(loop->body);
    if (auto *with = llvm::dyn_cast<ast::WithStmt>(stmt))
      return inBlock(with->body);
    if (auto *branch = llvm::dyn_cast<ast::IfStmt>(stmt)) {
      const ast::Block *found = inBlock(branch->thenBlock);
      return found ? found : inBlock(branch->elseBlock);
    }
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// Whether an assignment may declare all of its names, which `let` and `var`
/// do: they are new, or belong to the same block (`isAgain` is set), where a
/// declaration means the same as an assignment.
static bool mayDeclare(Checker &c, const ast::Expr &target, bool &isAgain) {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&target)) {
    const Binding *binding = c.scopes.lookup(name->name);
    if (!binding || !binding->isVar)
      return true;
    isAgain |= binding->declared.begin < name->range.begin;
    return binding->val.isError() || c.scopes.scope->names.count(name->name);
  }
  auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target);
  return tuple && llvm::all_of(tuple->elements, [&](const ast::Expr *element) {
           return mayDeclare(c, *element, isAgain);
         });
}

/// `let x, y = …`, and the edit that makes it.
static FixIt declare(Checker &c, const MissingDeclaration &missing,
                     llvm::StringRef word, FixIt::Kind kind,
                     const llvm::Twine &remark = "") {
  const ast::Expr &target = *missing.assignment->target;
  return {kind,
          ("`" + word + c.text(target.range) + " = …`" + remark).str(),
          {{target.range.start(), word.str()}}};
}

/// `var x = none` in the line above an `if`; false where it begins no line.
static bool declareBefore(Checker &c, Diagnostic &report,
                          const MissingDeclaration &missing,
                          llvm::StringRef name) {
  SourceRange place = missing.choice->range;
  if (!c.beginsLine(place))
    return false;
  std::string declaration = ("var " + name + " = none").str();
  report.fix(FixIt::Safe, "`" + declaration + "`, above",
             {c.insertAbove(place, declaration)});
  return true;
}

void Scopes::reportUndeclared(const ast::NameExpr &target, const Val &val) {
  const ast::FnDecl *fn = c.frames.empty() ? nullptr : c.frames.back().fn;
  auto missingOf = [&](const ast::NameExpr &name) {
    return c.errorCount > kMostExplained ? MissingDeclaration()
           : fn && fn->body
               ? findMissing(fn->body->stmts, fn->body->range.end, name.name,
                             name.range)
               : findMissing(file->program->items, file->program->range.end,
                             name.name, name.range);
  };
  MissingDeclaration missing = missingOf(target);
  // `_, y = …` declares both.
  if (auto *tuple = missing.assignment ? llvm::dyn_cast<ast::TupleExpr>(
                                             missing.assignment->target)
                                       : nullptr)
    for (const ast::Expr *element : tuple->elements)
      if (auto *name = llvm::dyn_cast<ast::NameExpr>(element))
        missing.isVar |= missingOf(*name).isVar;
  bool isAgain = false;
  bool isDeclaration = missing.assignment && missing.isPlain &&
                       mayDeclare(c, *missing.assignment->target, isAgain);
  llvm::StringRef word = missing.isVar || isAgain ? "var " : "let ";
  bool isOfLanguage = findGlobal(target.name).has_value();
  Diagnostic &report = c.error(
      isOfLanguage ? DiagCode::TD203 : DiagCode::TD201, target.range,
      isOfLanguage
          ? llvm::Twine("`" + target.name + "` belongs to the language").str()
          : llvm::Twine("unknown name `" + target.name + "`").str());
  report.label("a new name needs `let` or `var`");
  if (missing.choice && missing.isRead &&
      declareBefore(c, report, missing, target.name))
    return;
  if (!isDeclaration)
    return;
  // A name that is never read is often another name, misspelt.
  if (!missing.isRead)
    offerNearest(report, target.name, target.range, variablesHere());
  bool isSafe = missing.reachesAll && report.fixes.empty();
  report.fixes.push_back(
      declare(c, missing, word, isSafe ? FixIt::Safe : FixIt::Choice));
  if (!missing.reachesAll)
    report.note("a name ends with the block that declares it; to use it after "
                "the block, declare it before the block with `var " +
                target.name + " = …`");
}

bool Scopes::noteOtherBlock(Diagnostic &report, llvm::StringRef name,
                            SourceRange use) const {
  const ast::FnDecl *fn = c.frames.empty() ? nullptr : c.frames.back().fn;
  NameUses uses(name);
  if (fn && fn->body)
    uses.visit(fn->body->stmts, fn->body->range.end);
  else if (!fn)
    uses.visit(file->program->items, file->program->range.end);
  auto isEarlier = [&](SourceRange reach) { return reach.begin < use.begin; };
  auto found = llvm::find_if(uses.declared, isEarlier);
  if (found == uses.declared.end())
    return false;
  report.note("a name ends with the block that declares it; declare it before "
              "the block with `var " +
                  name + " = …`, and assign to it in the block",
              *found);
  return true;
}

bool Scopes::offerCopy(Diagnostic &report, const ast::NameExpr &target,
                       SourceRange declared) {
  const ast::FnDecl *fn = c.frames.empty() ? nullptr : c.frames.back().fn;
  bool isParameter =
      fn && llvm::any_of(fn->params, [&](const ast::Param &param) {
        return param.name.range == declared;
      });
  const ast::Block *body =
      isParameter ? fn->body
                  : findLoopBody(fn && fn->body ? fn->body->stmts
                                                : file->program->items,
                                 declared);
  if (!body)
    return false;
  MissingDeclaration missing =
      findMissing(body->stmts, body->range.end, target.name, target.range);
  bool isAgain = false;
  if (missing.assignment && missing.isInBody && missing.isPlain &&
      mayDeclare(c, *missing.assignment->target, isAgain) && !isAgain) {
    report.fixes.push_back(declare(c, missing, missing.isOnly ? "let " : "var ",
                                   FixIt::Safe,
                                   "  (a new `" + target.name + "`)"));
    return true;
  }
  std::string copy = ("var " + target.name + " = " + target.name).str();
  SourceRange first = body->stmts.front()->range;
  report.fix(FixIt::Safe, "`" + copy + "`",
             {c.beginsLine(first) ? c.insertAbove(first, copy)
                                  : Edit{first.start(), copy + "; "}});
  return true;
}

/// The names that an assignment gives a value to as a whole.
static bool collectNames(const ast::Expr &target,
                         llvm::SmallVectorImpl<const ast::NameExpr *> &names) {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&target)) {
    names.push_back(name);
    return true;
  }
  auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target);
  return tuple && llvm::all_of(tuple->elements, [&](const ast::Expr *element) {
           return collectNames(*element, names);
         });
}

bool Scopes::offerOwn(Diagnostic &report, const ast::NameExpr &target) {
  const ast::FnDecl *fn = c.frames.back().fn;
  if (!fn || !fn->body || c.errorCount > kMostExplained)
    return false;
  auto find = [&](const ast::NameExpr &name) {
    return findMissing(fn->body->stmts, fn->body->range.end, name.name,
                       name.range);
  };
  MissingDeclaration missing = find(target);
  llvm::SmallVector<const ast::NameExpr *> names;
  if (!missing.isPlain || !collectNames(*missing.assignment->target, names))
    return false;
  bool isVar = false, isRead = false;
  for (const ast::NameExpr *name : names) {
    const Binding *binding = lookup(name->name);
    bool isOfProgram = binding && file->scope.names.count(name->name) &&
                       &file->scope.names[name->name] == binding;
    MissingDeclaration one = find(*name);
    if ((binding && !isOfProgram && !binding->val.isError()) || !one.reachesAll)
      return false;
    isVar |= one.isVar;
    isRead |= one.isRead;
  }
  // One that the function does not read was meant to be the program's.
  if (!isRead)
    return false;
  report.fixes.push_back(declare(c, missing, isVar ? "var " : "let ",
                                 FixIt::Safe,
                                 "  (a name of the function's own)"));
  return true;
}

void Scopes::poison(llvm::StringRef name, SourceRange range) {
  if (c.isMuted())
    return; // the report was not shown
  Scope *outermost = scope;
  while (outermost->parent && outermost->parent != &file->scope)
    outermost = outermost->parent;
  if (c.frames.empty() && outermost->parent)
    outermost = outermost->parent;
  Binding &binding = outermost->names[name];
  binding.declared = range;
  binding.isVar = true;
}
