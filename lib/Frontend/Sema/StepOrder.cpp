//===- StepOrder.cpp - backward, zero_grad and step in this order ---------===//

#include "Checker.h"
#include "Frontend/ASTWalk.h"

using namespace tdc;
using namespace tdc::sema;

/// The method that an expression calls; null for other expressions.
static const ast::MemberExpr *getMethod(const ast::Expr &expr) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(&expr);
  return call ? llvm::dyn_cast<ast::MemberExpr>(call->callee) : nullptr;
}

/// The method `name` without arguments that a statement consists of.
static const ast::MemberExpr *findCall(const ast::Stmt &stmt,
                                       llvm::StringRef name) {
  auto *expr = llvm::dyn_cast<ast::ExprStmt>(&stmt);
  auto *method = expr ? getMethod(*expr->value) : nullptr;
  if (!method || method->member.text != name)
    return nullptr;
  bool hasArguments = !llvm::cast<ast::CallExpr>(expr->value)->args.empty();
  return name == "step" && hasArguments ? nullptr : method;
}

static bool callsBackward(const ast::Stmt &stmt) {
  return ast::anyExpr(stmt, [](const ast::Expr &expr) {
    auto *method = getMethod(expr);
    return method && method->member.text == "backward";
  });
}

/// Methods of models and optimizers that call nothing of the program.
static constexpr llvm::StringLiteral kHarmless[] = {
    "parameters", "named_parameters", "zero_grad", "step", "train"};

/// Whether a statement may call `backward`: a function of the program can.
static bool mayCallBackward(Checker &c, const ast::Stmt &stmt) {
  return ast::anyExpr(stmt, [&](const ast::Expr &expr) {
    auto *call = llvm::dyn_cast<ast::CallExpr>(&expr);
    if (!call)
      return false;
    if (auto *method = getMethod(expr))
      return method->member.text == "backward" ||
             (!c.scopes.findMethod(method->member.text) &&
              !llvm::is_contained(kHarmless, method->member.text));
    auto *name = llvm::dyn_cast<ast::NameExpr>(call->callee);
    return !name || c.scopes.lookup(name->name);
  });
}

void Lints::checkOrder(llvm::ArrayRef<const ast::Stmt *> stmts) {
  for (const ast::Stmt *const *last = stmts.begin(); last != stmts.end();
       ++last) {
    const ast::MemberExpr *step = findCall(**last, "step");
    if (!step)
      continue;
    // From `step` up: `zero_grad` of the same optimizer, and `backward`.
    llvm::StringRef optimizer = c.text(step->base->range);
    const ast::Stmt *cleared = nullptr;
    for (const ast::Stmt *const *at = last; at-- != stmts.begin();) {
      const ast::MemberExpr *clear = findCall(**at, "zero_grad");
      if (clear && !cleared && c.text(clear->base->range) == optimizer) {
        cleared = *at;
      } else if (cleared && callsBackward(**at)) {
        SourceRange whole = cleared->range;
        llvm::StringRef indent = c.textBefore((*at)->range);
        Diagnostic &report = c.warning(DiagCode::TD612, whole,
                                       "the gradients are cleared before `" +
                                           optimizer + ".step()` uses them");
        report.label("clears what `backward` left");
        report.secondaryLabel((*last)->range, "uses the gradients");
        std::string text = c.text(whole).str();
        if (indent.trim().empty())
          report.fix(FixIt::Choice, "`" + text + "`, above `backward`",
                     {{(*at)->range.start(), text + "\n" + indent.str()},
                      {whole, ""}});
        break;
      } else if (cleared ? findCall(**at, "step") != nullptr
                         : mayCallBackward(c, **at)) {
        break;
      }
    }
  }
}
