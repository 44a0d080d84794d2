//===- ASTWalk.cpp - what expressions and statements consist of -----------===//

#include "Frontend/ASTWalk.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tdc::ast;

void tdc::ast::forEachChild(const Expr &expr,
                            llvm::function_ref<void(const Expr &)> visit) {
  auto visitAll = [&](std::initializer_list<const Expr *> children) {
    for (const Expr *child : children)
      if (child)
        visit(*child);
  };
  auto visitArguments = [&](llvm::ArrayRef<Argument> args) {
    for (const Argument &arg : args)
      visitAll({arg.value});
  };
  llvm::TypeSwitch<const Expr *>(&expr)
      .Case([&](const UnaryExpr *e) { visitAll({e->operand}); })
      .Case([&](const BinaryExpr *e) { visitAll({e->lhs, e->rhs}); })
      .Case([&](const CompareExpr *e) { visitAll({e->lhs, e->rhs}); })
      .Case([&](const ConditionalExpr *e) {
        visitAll({e->thenValue, e->condition, e->elseValue});
      })
      .Case([&](const CallExpr *e) {
        visitAll({e->callee});
        visitArguments(e->args);
      })
      .Case([&](const SubscriptExpr *e) {
        visitAll({e->base});
        for (const SubscriptItem &item : e->items)
          visitAll({item.index, item.start, item.stop, item.step});
      })
      .Case([&](const MemberExpr *e) { visitAll({e->base}); })
      .Case([&](const TupleExpr *e) {
        for (const Expr *element : e->elements)
          visitAll({element});
      })
      .Case([&](const ListExpr *e) {
        for (const Expr *element : e->elements)
          visitAll({element});
      })
      .Case([&](const ComprehensionExpr *e) {
        visitAll({e->element});
        for (const ComprehensionClause &clause : e->clauses) {
          visitAll({clause.iterable});
          for (const Expr *condition : clause.conditions)
            visitAll({condition});
        }
      })
      .Case([&](const FStringExpr *e) {
        for (const FStringPart &part : e->parts)
          visitAll({part.value});
      });
}

llvm::SmallVector<const Expr *, 2> tdc::ast::expressionsOf(const Stmt &stmt) {
  llvm::SmallVector<const Expr *, 2> all;
  llvm::TypeSwitch<const Stmt *>(&stmt)
      .Case([&](const LetStmt *s) { all = {s->value}; })
      .Case([&](const AssignStmt *s) { all = {s->target, s->value}; })
      .Case([&](const ExprStmt *s) { all = {s->value}; })
      .Case([&](const IfStmt *s) { all = {s->condition}; })
      .Case([&](const ForStmt *s) { all = {s->iterable}; })
      .Case([&](const WhileStmt *s) { all = {s->condition}; })
      .Case([&](const WithStmt *s) {
        for (const Argument &arg : s->args)
          all.push_back(arg.value);
      })
      .Case([&](const ReturnStmt *s) { all = {s->value}; })
      .Case([&](const AssertStmt *s) { all = {s->condition, s->message}; });
  llvm::erase(all, nullptr);
  return all;
}

llvm::SmallVector<const Block *, 2> tdc::ast::blocksOf(const Stmt &stmt) {
  llvm::SmallVector<const Block *, 2> all;
  llvm::TypeSwitch<const Stmt *>(&stmt)
      .Case([&](const IfStmt *s) { all = {s->thenBlock, s->elseBlock}; })
      .Case([&](const ForStmt *s) { all = {s->body}; })
      .Case([&](const WhileStmt *s) { all = {s->body}; })
      .Case([&](const WithStmt *s) { all = {s->body}; });
  llvm::erase(all, nullptr);
  return all;
}

llvm::ArrayRef<Param> tdc::ast::paramsOf(const Decl &decl) {
  if (auto *fn = llvm::dyn_cast<FnDecl>(&decl))
    return fn->params;
  if (auto *model = llvm::dyn_cast<ModelDecl>(&decl))
    return model->params;
  return {};
}

std::string tdc::ast::headOf(const SourceManager &sources, const Decl &decl) {
  SourceRange head = decl.range;
  if (auto *fn = llvm::dyn_cast<FnDecl>(&decl)) {
    if (fn->result)
      head = head.to(fn->result->range);
    else
      head.end = fn->body ? fn->body->range.begin : fn->value->range.begin;
  } else {
    llvm::ArrayRef<Param> params = paramsOf(decl);
    uint32_t last = params.empty()
                        ? llvm::cast<ModelDecl>(&decl)->name.range.end
                        : params.back().range.end;
    llvm::StringRef rest = sources.getText(head.file).substr(last);
    head.end = last + std::min(rest.find('{'), rest.size());
  }
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(sources.getText(head), words);
  std::string text = llvm::join(words, " ");
  return llvm::StringRef(text).rtrim("= ").str();
}

bool tdc::ast::anyExpr(const Expr &expr,
                       llvm::function_ref<bool(const Expr &)> isIt) {
  bool found = isIt(expr);
  forEachChild(
      expr, [&](const Expr &child) { found = found || anyExpr(child, isIt); });
  return found;
}

bool tdc::ast::anyExpr(const Stmt &stmt,
                       llvm::function_ref<bool(const Expr &)> isIt) {
  auto hasOne = [&](auto *part) { return anyExpr(*part, isIt); };
  return llvm::any_of(expressionsOf(stmt), hasOne) ||
         llvm::any_of(blocksOf(stmt), hasOne);
}

bool tdc::ast::anyExpr(const Block &block,
                       llvm::function_ref<bool(const Expr &)> isIt) {
  return llvm::any_of(block.stmts,
                      [&](const Stmt *stmt) { return anyExpr(*stmt, isIt); });
}
