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
      reportOrder(at, *cleared, stmt, /*mayExchange=*/
                  !around.empty() && llvm::is_contained(before, cleared));
    return true;
  };
  for (const ast::Stmt *at : llvm::reverse(before))
    if (isOver(*at, /*isReported=*/around.empty()))
      return;
  for (const ast::Stmt *at : llvm::reverse(around))
    if (isOver(*at, /*isReported=*/true))
      return;
}

/// `n % 4 == 0`
static bool isEveryFew(const ast::Expr &condition) {
  return ast::anyExpr(condition, [](const ast::Expr &expr) {
    auto *binary = llvm::dyn_cast<ast::BinaryExpr>(&expr);
    return binary && binary->op == ast::BinaryOp::Mod;
  });
}

/// Checks an `if` every few iterations with a step of gradients that its block
/// clears in each.
void Lints::checkAccumulation(llvm::ArrayRef<const ast::Stmt *> block,
                              const ast::IfStmt &branch) {
  if (!isEveryFew(*branch.condition) || branch.elseBlock ||
      llvm::none_of(block,
                    [](const ast::Stmt *stmt) { return callsBackward(*stmt); }))
    return;
  for (const ast::Stmt *inner : branch.thenBlock->stmts)
    for (const ast::Stmt *stmt : block) {
      const ast::MemberExpr *step = findCall(*inner, "step"),
                            *clear = findCall(*stmt, "zero_grad");
      if (!step || !clear || !clears(*clear->base, *step->base))
        continue;
      Diagnostic &report =
          c.warning(DiagCode::TD612, stmt->range,
                    "the gradients are cleared in every iteration, and used "
                    "in some");
      report.label("clears what the iterations before have added");
      report.secondaryLabel(inner->range, "uses the gradients");
      std::string text = ("; " + c.text(stmt->range)).str();
      if (c.beginsLine(stmt->range))
        report.fix(FixIt::Choice, "`" + c.text(inner->range) + text + "`",
                   {{inner->range.finish(), text}, {stmt->range, ""}});
    }
}

void Lints::reportOrder(const ast::Stmt &backward, const ast::Stmt &cleared,
                        const ast::Stmt &step, bool mayExchange) {
  SourceRange whole = cleared.range;
  Diagnostic &report =
      c.warning(DiagCode::TD612, whole,
                "the gradients are cleared before `" +
                    c.text(step.range).split('(').first + "()` uses them");
  report.label("clears what `backward` left");
  report.secondaryLabel(step.range, "uses the gradients");
  std::string text = c.text(whole).str();
  if (mayExchange) // `backward` comes more often
    report.fix(FixIt::Choice, "`" + text + "`, after the step",
               {{whole, c.text(step.range).str()}, {step.range, text}});
  else if (c.beginsLine(backward.range))
    report.fix(FixIt::Choice, "`" + text + "`, above `backward`",
               {c.insertAbove(backward.range, text), {whole, ""}});
}

void Lints::checkOrder(llvm::ArrayRef<const ast::Stmt *> stmts) {
  for (auto [i, stmt] : llvm::enumerate(stmts)) {
    checkStep({}, stmts.take_front(i), *stmt);
    // Gradients of several batches are used every few iterations.
    auto *branch = llvm::dyn_cast<ast::IfStmt>(stmt);
    if (!branch || i == 0)
      continue;
    checkAccumulation(stmts, *branch);
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
  clips.clears(slot);
  if (!c.control.loops.empty())
    c.control.loops.back().cleared.insert(slot.gradName);
}

void Lints::readsGradient(const Slot &slot) {
  if (!c.control.loops.empty())
    c.control.loops.back().used.insert(slot.gradName);
}

void Lints::writesGradient(const Slot &slot) {
  clearsGradient(slot);
  clips.leaves(&slot);
}

void Lints::steps(const OptimizerInfo &optimizer,
                  llvm::ArrayRef<const Slot *> byGradients) {
  if (!c.isWalkedAside()) {
    stepsRestored(optimizer);
    schedules.stepsOptimizer(optimizer);
    clips.steps(byGradients);
    parts.stepsOptimizer(optimizer);
  }
  if (c.control.loops.empty())
    return;
  LoopRecord &loop = c.control.loops.back();
  for (const Slot *slot : byGradients)
    loop.used.insert(slot->gradName);
  // A step in some iterations may be that of the last one.
  if (c.control.isAlwaysReached())
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
    else if (!isCleared && isOutermost) {
      // A sum over all batches may be used after the loop.
      if (llvm::any_of(backward.models, [&](const Backward::Model &model) {
            return hasAny(model, loop.used);
          }))
        reportAdded(backward);
    } else if (!isCleared) // an outer loop may clear what an inner one adds up
      c.control.loops.back().backwards.push_back(std::move(backward));
  }
  if (isOutermost)
    return;
  LoopRecord &outer = c.control.loops.back();
  for (llvm::StringRef slot : loop.cleared.keys())
    outer.cleared.insert(slot);
  for (llvm::StringRef slot : loop.stepped.keys())
    outer.stepped.insert(slot);
  for (llvm::StringRef slot : loop.used.keys())
    outer.used.insert(slot);
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
