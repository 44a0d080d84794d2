//===- GradientLints.cpp - gradients that are cleared too late, or never --===//

#include "Checker.h"
#include "Frontend/ASTWalk.h"
#include "llvm/ADT/StringExtras.h"

using namespace tdc;
using namespace tdc::sema;

//===----------------------------------------------------------------------===//
// backward, zero_grad and step in this order (TD612)
//===----------------------------------------------------------------------===//

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

/// Whether a statement may call `backward`: a function of the program can.
static bool mayCallBackward(Checker &c, const ast::Stmt &stmt) {
  return ast::anyExpr(stmt, [&](const ast::Expr &expr) {
    auto *call = llvm::dyn_cast<ast::CallExpr>(&expr);
    if (!call)
      return false;
    if (auto *method = getMethod(expr))
      return method->member.text == "backward" ||
             (!c.scopes.findMethod(method->member.text) &&
              !Scopes::callsNothing(method->member.text));
    auto *name = llvm::dyn_cast<ast::NameExpr>(call->callee);
    return !name || c.scopes.lookup(name->name);
  });
}

/// Whether the `zero_grad` of `cleared` is that of the optimizer: of itself, or
/// of a model with all of its parameters.
bool Lints::clears(const ast::Expr &cleared, const ast::Expr &optimizer) {
  if (c.text(cleared.range) == c.text(optimizer.range))
    return true;
  auto valueOf = [&](const ast::Expr &expr) {
    auto *name = llvm::dyn_cast<ast::NameExpr>(&expr);
    Binding *binding = name ? c.scopes.lookup(name->name) : nullptr;
    return binding ? binding->val : Val();
  };
  Val model = valueOf(cleared), stepped = valueOf(optimizer);
  if (!model.is(ValKind::Model) || !stepped.is(ValKind::Optimizer))
    return false;
  llvm::DenseSet<const Slot *> parameters = c.models.parameterSlotsOf(model);
  return llvm::all_of(stepped.as<OptimizerInfo>().leaves(), [&](auto *leaf) {
    return parameters.contains(leaf->parameter);
  });
}

/// Checks a statement that may be a step. `before`: the statements above it in
/// its block; `around`: those above the `if` that the block belongs to, in
/// which alone a `backward` is then looked for.
void Lints::checkStep(llvm::ArrayRef<const ast::Stmt *> around,
                      llvm::ArrayRef<const ast::Stmt *> before,
                      const ast::Stmt &stmt) {
  const ast::MemberExpr *step = findCall(stmt, "step");
  if (!step)
    return;
  // From `step` up: `zero_grad` of the same optimizer, and `backward`.
  const ast::Stmt *cleared = nullptr;
  auto isOver = [&](const ast::Stmt &at, bool isReported) {
    const ast::MemberExpr *clear = findCall(at, "zero_grad");
    if (clear && !cleared && clears(*clear->base, *step->base)) {
      cleared = &at;
      return false;
    }
    if (!cleared || !callsBackward(at))
      return cleared ? findCall(at, "step") != nullptr : mayCallBackward(c, at);
    if (isReported)
      reportOrder(at, *cleared, stmt);
    return true;
  };
  for (const ast::Stmt *at : llvm::reverse(before))
    if (isOver(*at, /*isReported=*/around.empty()))
      return;
  for (const ast::Stmt *at : llvm::reverse(around))
    if (isOver(*at, /*isReported=*/true))
      return;
}

void Lints::reportOrder(const ast::Stmt &backward, const ast::Stmt &cleared,
                        const ast::Stmt &step) {
  SourceRange whole = cleared.range;
  Diagnostic &report =
      c.warning(DiagCode::TD612, whole,
                "the gradients are cleared before `" +
                    c.text(step.range).split('(').first + "()` uses them");
  report.label("clears what `backward` left");
  report.secondaryLabel(step.range, "uses the gradients");
  std::string text = c.text(whole).str();
  if (c.beginsLine(backward.range))
    report.fix(FixIt::Choice, "`" + text + "`, above `backward`",
               {c.insertAbove(backward.range, text), {whole, ""}});
}

void Lints::checkOrder(llvm::ArrayRef<const ast::Stmt *> stmts) {
  for (auto [i, stmt] : llvm::enumerate(stmts)) {
    checkStep({}, stmts.take_front(i), *stmt);
    // Gradients of several batches are used every few iterations.
    if (!llvm::isa<ast::IfStmt>(stmt) || i == 0)
      continue;
    for (const ast::Block *block : ast::blocksOf(*stmt))
      for (auto [j, inner] : llvm::enumerate(block->stmts))
        checkStep(stmts.take_front(i),
                  llvm::ArrayRef(block->stmts).take_front(j), *inner);
  }
}

//===----------------------------------------------------------------------===//
// Gradients that add up (TD610)
//===----------------------------------------------------------------------===//

void Lints::clearsGradient(const Slot &slot) {
  clearsClipped(slot);
  if (!c.control.loops.empty())
    c.control.loops.back().cleared.insert(slot.gradName);
}

void Lints::steps(const OptimizerInfo &optimizer,
                  llvm::ArrayRef<const Slot *> byGradients) {
  stepsRestored(optimizer);
  stepsScheduled(optimizer);
  usesClipped(byGradients);
  stepsReplaced(optimizer);
  if (c.control.loops.empty())
    return;
  // A step in some iterations may be that of the last one.
  LoopRecord &loop = c.control.loops.back();
  if (c.conditionDepth == loop.conditionDepth)
    for (const Slot *slot : byGradients)
      loop.stepped.insert(slot->gradName);
}

/// Whether some of the gradients are in `some` and not in `others`.
static bool hasAny(const Backward::Model &model, const llvm::StringSet<> &some,
                   const llvm::StringSet<> &others = {}) {
  return llvm::any_of(model.gradients, [&](const std::string &slot) {
    return some.contains(slot) && !others.contains(slot);
  });
}

void Lints::checkClearing(LoopRecord &loop) {
  bool isOutermost = c.control.loops.empty();
  for (Backward &backward : loop.backwards) {
    Backward used{backward.range, {}};
    for (const Backward::Model &model : backward.models)
      if (hasAny(model, loop.stepped, loop.cleared))
        used.models.push_back(model);
    bool isCleared =
        llvm::any_of(backward.models, [&](const Backward::Model &model) {
          return hasAny(model, loop.cleared);
        });
    if (!used.models.empty())
      reportAdded(isCleared ? used : backward);
    else if (!isCleared && isOutermost)
      reportAdded(backward);
    else if (!isCleared) // an outer loop may clear what an inner one adds up
      c.control.loops.back().backwards.push_back(std::move(backward));
  }
  if (isOutermost)
    return;
  LoopRecord &outer = c.control.loops.back();
  for (llvm::StringRef slot : loop.cleared.keys())
    outer.cleared.insert(slot);
  for (llvm::StringRef slot : loop.stepped.keys())
    outer.stepped.insert(slot);
}

void Lints::reportAdded(const Backward &backward) {
  // After an error, the optimizer that clears them may be what failed.
  if (c.errorCount)
    return;
  Diagnostic &report =
      c.warning(DiagCode::TD610, backward.range,
                "gradients add up from one iteration to the next");
  std::vector<std::string> models;
  llvm::StringSet<> gradients;
  for (const Backward::Model &model : backward.models) {
    models.push_back(model.name);
    gradients.insert(model.gradients.begin(), model.gradients.end());
  }
  report.label("accumulates; nothing clears the gradients of `" +
               llvm::join(models, "`, `") + "` in this loop");
  auto takesGradient = [&](const ParameterGroup::Leaf *leaf) {
    return gradients.contains(leaf->parameter->gradName);
  };
  std::vector<std::string> optimizers;
  for (llvm::StringRef variable : c.scopes.variablesHere()) {
    const Val &val = c.scopes.lookup(variable)->val;
    if (val.is(ValKind::Optimizer) &&
        llvm::any_of(val.as<OptimizerInfo>().leaves(), takesGradient))
      optimizers.push_back(variable.str());
  }
  bool hasOne = optimizers.size() == 1;
  std::string optimizer = hasOne ? optimizers[0] : "optimizer";
  std::string clear = optimizer + ".zero_grad()";
  if (models.size() == 1)
    report.note("`" + optimizer + ".step(grad(loss, " + models[0] +
                "))` keeps none");
  if (hasOne && c.beginsLine(backward.range))
    report.fix(FixIt::Choice, "`" + clear + "`, above",
               {c.insertAbove(backward.range, clear)});
  else
    report.note("`" + clear + "` above it clears them");
}
