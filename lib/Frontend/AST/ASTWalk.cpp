//===- ASTWalk.cpp - the direct children of an expression -----------------===//

#include "Frontend/ASTWalk.h"
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
