//===- Branches.cpp - if, conditional expressions, and, or ----------------===//
//
// If a condition is known, only the side that it decides is walked. Otherwise
// both sides are emitted, and their assignments are joined
// (RunTimeBranches.cpp).
//
//===----------------------------------------------------------------------===//

#include "Frontend/ASTWalk.h"
#include "Joins.h"

using namespace tdc;
using namespace tdc::sema;

/// `&`, `|` and `~` do for each element what `and`, `or` and `not` do for one.
static void offerElementwise(Checker &c, Diagnostic &report,
                             const ast::Expr &logical) {
  std::string code;
  if (auto *both = llvm::dyn_cast<ast::BinaryExpr>(&logical))
    code = c.asOperand(both->lhs->range) +
           (both->op == ast::BinaryOp::And ? " & " : " | ") +
           c.asOperand(both->rhs->range);
  else
    code =
        "~" + c.asOperand(llvm::cast<ast::UnaryExpr>(logical).operand->range);
  report.fix(FixIt::Choice, "`" + code + "`", {{logical.range, code}});
}

std::optional<Val> ControlFlow::condition(const ast::Expr &expr,
                                          const ast::Expr *logical) {
  Val val = c.eval(expr);
  if (val.isError())
    return std::nullopt;
  if (val.is(ValKind::Bool))
    return val;
  if (val.is(ValKind::Tensor)) {
    Diagnostic &report = c.error(DiagCode::TD302, expr.range,
                                 "a condition is a bool, not a tensor");
    report.label(typeText(typeOf(val)));
    const TensorType &type = typeOf(val);
    if (c.host.constantOf(numElements(type.dims)).value_or(1) == 1) {
      report.note("reading it waits for the device; say so with `.item()`");
      c.offerSuffix(report, expr.range, ".item()", FixIt::Safe);
      return std::nullopt;
    }
    report.note("it has one value for each element");
    if (logical && type.dtype == DType::Bool && !c.isPrelude(expr.range.file))
      offerElementwise(c, report, *logical);
    c.offerSuffix(report, expr.range, ".all().item()");
    c.offerSuffix(report, expr.range, ".any().item()");
    return std::nullopt;
  }
  Diagnostic &report = c.error(DiagCode::TD303, expr.range,
                               "a condition is a bool, not " + describe(val));
  if (val.is(ValKind::Int) || val.is(ValKind::Float))
    report.fix(FixIt::Safe, "`" + c.text(c.userRange(expr.range)) + " != 0`",
               {{c.userRange(expr.range).finish(), " != 0"}});
  return std::nullopt;
}

/// Names that are assigned in a block, at any depth.
static void collectTargets(const ast::Expr &target, llvm::StringSet<> &names) {
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(&target))
    names.insert(name->name);
  else if (auto *part = llvm::dyn_cast<ast::SubscriptExpr>(&target))
    collectTargets(*part->base, names);
  else if (auto *tuple = llvm::dyn_cast<ast::TupleExpr>(&target))
    for (const ast::Expr *element : tuple->elements)
      collectTargets(*element, names);
}

/// Whether this is `init`, `nn.init` or `torch.nn.init`.
static bool isInit(const ast::Expr &expr) {
  if (auto *member = llvm::dyn_cast<ast::MemberExpr>(&expr))
    return member->member.text == "init";
  auto *name = llvm::dyn_cast<ast::NameExpr>(&expr);
  return name && name->name == "init";
}

/// The names that an expression changes: `xs` of `xs.pop()`, `x` of
/// `x.add_(1)` and of `init.ones_(x)`.
static void collectChanged(const ast::Expr &expr, llvm::StringSet<> &names) {
  auto *call = llvm::dyn_cast<ast::CallExpr>(&expr);
  if (auto *method =
          call ? llvm::dyn_cast<ast::MemberExpr>(call->callee) : nullptr;
      method && (changesList(method->member.text) ||
                 isInPlaceName(method->member.text))) {
    collectTargets(*method->base, names);
    if (isInit(*method->base) && !call->args.empty())
      collectTargets(*call->args[0].value, names);
  }
  ast::forEachChild(
      expr, [&](const ast::Expr &child) { collectChanged(child, names); });
}

static void collectAssigned(llvm::ArrayRef<const ast::Stmt *> stmts,
                            llvm::StringSet<> &names);

static void collectAssigned(const ast::Block *block, llvm::StringSet<> &names) {
  if (block)
    collectAssigned(block->stmts, names);
}

/// Adds the names that a loop's body assigns. `break` and `continue` end with
/// the loop; only `return` also leaves the code around it.
static void collectInLoop(const ast::Block *body, llvm::StringSet<> &names) {
  llvm::StringSet<> inner;
  collectAssigned(body, inner);
  bool returns = inner.contains(exits::kReturns);
  for (auto &entry : inner)
    if (entry.first() != exits::kBreaks &&
        (returns || entry.first() != exits::kSkips))
      names.insert(entry.first());
}

static void collectAssigned(llvm::ArrayRef<const ast::Stmt *> stmts,
                            llvm::StringSet<> &names) {
  for (const ast::Stmt *stmt : stmts) {
    for (const ast::Expr *expr : ast::expressionsOf(*stmt))
      collectChanged(*expr, names);
    bool isLoop = llvm::isa<ast::ForStmt, ast::WhileStmt>(stmt);
    for (const ast::Block *block : ast::blocksOf(*stmt))
      if (isLoop)
        collectInLoop(block, names);
      else
        collectAssigned(block, names);
    if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(stmt)) {
      collectTargets(*assign->target, names);
    } else if (stmt->kind == ast::StmtKind::Break) {
      names.insert(exits::kBreaks);
      names.insert(exits::kSkips);
    } else if (stmt->kind == ast::StmtKind::Continue) {
      names.insert(exits::kSkips);
    } else if (stmt->kind == ast::StmtKind::Return) {
      names.insert(exits::kResult);
      names.insert(exits::kReturns);
      names.insert(exits::kSkips);
    }
  }
}

llvm::StringSet<> ControlFlow::assignedNames(const ast::Block *block,
                                             const ast::Block *other) {
  llvm::StringSet<> names;
  collectAssigned(block, names);
  collectAssigned(other, names);
  return names;
}

void ControlFlow::addAssignedNames(const Rest &rest, llvm::StringSet<> &names) {
  for (const Rest *part = &rest; part; part = part->around)
    collectAssigned(part->stmts, names);
}

Flow ControlFlow::execIf(const ast::IfStmt &stmt, Rest &rest) {
  std::optional<Val> truth = condition(*stmt.condition);
  auto side = [&](const ast::Block *block) {
    return block ? c.execBlock(*block) : Flow::Next;
  };
  if (!truth) {
    // Both sides may hold further mistakes; their assignments are not joined.
    ++c.conditionDepth;
    side(stmt.thenBlock);
    side(stmt.elseBlock);
    --c.conditionDepth;
    return Flow::Next;
  }
  if (truth->known) {
    const ast::Block *other = truth->truth ? stmt.elseBlock : stmt.thenBlock;
    if (other)
      c.scopes.useNamesIn(other->range);
    return side(truth->truth ? stmt.thenBlock : stmt.elseBlock);
  }
  c.at(stmt.range);
  llvm::StringSet<> assigned = assignedNames(stmt.thenBlock, stmt.elseBlock);
  if (assigned.contains(exits::kSkips))
    addAssignedNames(rest, assigned);
  return branch(
      *truth, stmt.condition->range, assigned,
      [&] { return side(stmt.thenBlock); },
      [&] { return side(stmt.elseBlock); }, &rest);
}

bool ControlFlow::wouldBeFloat(const ast::Expr &side,
                               const ast::TypeExpr *expected) {
  if (side.kind == ast::ExprKind::Int)
    return false;
  Restore<unsigned> savedErrors(c.errorCount);
  bool result = false;
  c.calls.walkAside([&] {
    // The side is walked as under a run-time condition and without reports,
    // because it may never run.
    c.mute();
    ++c.regionDepth;
    ++c.conditionDepth;
    Restore<std::optional<size_t>> savedChoice(c.choiceFrame);
    c.choiceFrame = c.frames.size();
    result = c.eval(side, expected).is(ValKind::Float);
  });
  return result;
}

Val ControlFlow::evalConditional(const ast::ConditionalExpr &expr,
                                 const ast::TypeExpr *expected) {
  std::optional<Val> truth = condition(*expr.condition);
  if (!truth)
    return c.fail();
  if (truth->known) {
    bool isThen = truth->truth;
    c.scopes.useNamesIn((isThen ? expr.elseValue : expr.thenValue)->range);
    Val val = c.eval(isThen ? *expr.thenValue : *expr.elseValue, expected);
    // The choice has one type, whether it is made now or at run time.
    if (val.is(ValKind::Int) &&
        wouldBeFloat(isThen ? *expr.elseValue : *expr.thenValue, expected))
      val = c.host.toFloat(val);
    return val;
  }
  // Devices are chosen when the program starts: the result is a place with two
  // possible values, without code.
  auto isDevice = [&](const ast::Expr &side) {
    if (auto *name = llvm::dyn_cast<ast::NameExpr>(&side)) {
      if (Binding *binding = c.scopes.lookup(name->name))
        return binding->val.is(ValKind::Device);
      return name->name == "cpu" || name->name == "cuda" ||
             name->name == "auto" || name->name == "here";
    }
    return side.kind == ast::ExprKind::Device;
  };
  if (isDevice(*expr.thenValue) && isDevice(*expr.elseValue)) {
    ++c.conditionDepth;
    Val onTrue = c.eval(*expr.thenValue), onFalse = c.eval(*expr.elseValue);
    --c.conditionDepth;
    if (onTrue.isError() || onFalse.isError())
      return c.fail();
    return c.devices.chooseDevice(*truth, onTrue, onFalse, expr.range);
  }
  c.at(expr.range);
  Restore<std::optional<size_t>> savedChoice(c.choiceFrame);
  c.choiceFrame = c.frames.size();
  Val onTrue, onFalse;
  llvm::SmallVector<Value> thenLeaves, elseLeaves;
  c.models.nameAllModels();
  ModelStates before = saveModels(c);
  size_t known = c.host.sizes.mark();
  c.emit().beginIf(truth->value);
  ++c.regionDepth;
  ++c.conditionDepth;
  c.models.forgetReads();
  c.sharing.beginBranch();
  onTrue = c.eval(*expr.thenValue, expected);
  if (hasLeaves(onTrue))
    appendLeaves(c, onTrue, thenLeaves);
  // The other side decides whether this int becomes a float. It is known only
  // after this side, so the float is emitted now.
  Val asFloat;
  if (onTrue.is(ValKind::Int) && expr.elseValue->kind != ast::ExprKind::Int)
    asFloat =
        makeRunTime(ValKind::Float, c.host.materialize(c.host.toFloat(onTrue)));
  c.emit().beginElse();
  ModelStates afterThen = saveModels(c);
  restoreModels(c, before);
  c.host.sizes.forgetSince(known);
  c.models.forgetReads();
  c.sharing.beginElse();
  onFalse = c.eval(*expr.elseValue, expected);
  if (onTrue.is(ValKind::Float) && onFalse.is(ValKind::Int)) {
    onFalse = c.host.toFloat(onFalse);
  } else if (onTrue.is(ValKind::Int) && onFalse.is(ValKind::Float)) {
    onTrue = asFloat;
    thenLeaves = {asFloat.value};
  }
  Join join{expr.range, Join::Branch, &*truth};
  std::optional<Val> chosen = DataParallel::choose(*truth, onTrue, onFalse);
  bool good = canMeet(c, onTrue, onFalse, join, "the value");
  if (good)
    onFalse = goesTo(c, onFalse, onTrue, join);
  if (hasLeaves(onFalse))
    appendLeaves(c, onFalse, elseLeaves);
  if (good && !hasLeaves(onTrue) && !chosen) {
    c.error(DiagCode::TD214, expr.condition->range,
            "the choice must be known when the program is compiled")
        .label("it chooses " + describe(onTrue));
    good = false;
  }
  if (!good) {
    thenLeaves.clear();
    elseLeaves.clear();
  }
  llvm::SmallVector<Value> results =
      endBranch(c, afterThen, join, thenLeaves, elseLeaves, known);
  if (chosen)
    return *chosen;
  if (!good)
    return c.fail();
  llvm::ArrayRef<Value> rest(results);
  return rebuild(c, onTrue, onFalse, rest, "value");
}

/// `lhs and rhs`, or `lhs or rhs`, which is computed as `value`.
static Val ofBoth(bool isAnd, const Val &lhs, const Val &rhs, Value value) {
  Val val = makeRunTime(ValKind::Bool, value);
  auto truthOf = [](const Val &side) {
    return side.known ? side.truth : side.onThisMachine;
  };
  std::optional<bool> a = truthOf(lhs), b = truthOf(rhs);
  // One side may decide it alone.
  if (a == !isAnd || b == !isAnd)
    val.onThisMachine = !isAnd;
  else if (a && b)
    val.onThisMachine = isAnd;
  return val;
}

/// Whether evaluating an expression cannot stop the program and is fast.
static bool isHarmless(const ast::Expr &expr) {
  using namespace ast;
  if (auto *compare = llvm::dyn_cast<CompareExpr>(&expr))
    return isHarmless(*compare->lhs) && isHarmless(*compare->rhs);
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr))
    return isHarmless(*unary->operand);
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr))
    return binary->op != BinaryOp::Div && binary->op != BinaryOp::FloorDiv &&
           binary->op != BinaryOp::Mod && binary->op != BinaryOp::Pow &&
           binary->op != BinaryOp::ShiftLeft &&
           binary->op != BinaryOp::ShiftRight && isHarmless(*binary->lhs) &&
           isHarmless(*binary->rhs);
  return isConstantExpr(expr);
}

Val ControlFlow::evalLogical(const ast::BinaryExpr &expr) {
  bool isAnd = expr.op == ast::BinaryOp::And;
  std::optional<Val> lhs = condition(*expr.lhs, &expr);
  if (!lhs)
    return c.fail();
  if (lhs->known) {
    if (lhs->truth != isAnd) {
      c.scopes.useNamesIn(expr.rhs->range);
      return *lhs;
    }
    std::optional<Val> rhs = condition(*expr.rhs, &expr);
    return rhs ? *rhs : c.fail();
  }
  HostOp op = isAnd ? HostOp::And : HostOp::Or;
  if (isHarmless(*expr.rhs)) {
    std::optional<Val> rhs = condition(*expr.rhs, &expr);
    c.at(expr.range);
    if (!rhs)
      return c.fail();
    return ofBoth(isAnd, *lhs, *rhs,
                  c.emit().host(op, {lhs->value, c.host.materialize(*rhs)}));
  }
  // The right side is evaluated only if the left side does not decide.
  c.at(expr.range);
  std::optional<Val> rhs;
  auto left = [&] { return c.emit().constantBool(!isAnd); };
  auto right = [&] {
    rhs = condition(*expr.rhs, &expr);
    return rhs ? c.host.materialize(*rhs) : c.emit().constantBool(false);
  };
  Value result = isAnd ? chooseBool(lhs->value, right, left)
                       : chooseBool(lhs->value, left, right);
  return rhs ? ofBoth(isAnd, *lhs, *rhs, result) : c.fail();
}

Value ControlFlow::chooseBool(Value condition,
                              llvm::function_ref<Value()> onTrue,
                              llvm::function_ref<Value()> onFalse) {
  using Values = llvm::SmallVector<Value>;
  return walkSides(
             condition, [&] { return Values{onTrue()}; },
             [&] { return Values{onFalse()}; })
      .front();
}

llvm::SmallVector<Value>
ControlFlow::walkSides(Value condition,
                       llvm::function_ref<llvm::SmallVector<Value>()> onTrue,
                       llvm::function_ref<llvm::SmallVector<Value>()> onFalse) {
  Restore<std::optional<size_t>> savedChoice(c.choiceFrame);
  c.choiceFrame = c.frames.size();
  c.emit().beginIf(condition);
  ++c.regionDepth;
  ++c.conditionDepth;
  c.models.forgetReads();
  size_t known = c.host.sizes.mark();
  c.sharing.beginBranch();
  llvm::SmallVector<Value> thenValues = onTrue();
  c.emit().beginElse();
  c.host.sizes.forgetSince(known);
  c.models.forgetReads();
  c.sharing.beginElse();
  llvm::SmallVector<Value> elseValues = onFalse();
  c.sharing.endBranch();
  llvm::SmallVector<Value> results = c.emit().endIf(thenValues, elseValues);
  --c.regionDepth;
  --c.conditionDepth;
  c.host.sizes.forgetSince(known);
  c.models.forgetReads();
  return results;
}
