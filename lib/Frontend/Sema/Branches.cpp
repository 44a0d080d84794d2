//===- Branches.cpp - if, conditional expressions, and, or ----------------===//
//
// A condition that is known decides which side is walked at all. Otherwise both
// sides are emitted, and what they assigned is joined (RunTimeBranches.cpp).
//
//===----------------------------------------------------------------------===//

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

std::optional<Val> Checker::condition(const ast::Expr &expr,
                                      const ast::Expr *logical) {
  Val val = eval(expr);
  if (val.isError())
    return std::nullopt;
  if (val.is(ValKind::Bool))
    return val;
  if (val.is(ValKind::Tensor)) {
    Diagnostic &report = error(DiagCode::TD302, expr.range,
                               "a tensor on a device is not a host condition");
    report.label(typeText(typeOf(val)));
    const TensorType &type = typeOf(val);
    if (constantOf(numElements(type.dims)).value_or(1) == 1) {
      report.note("reading it waits for the device; say so with `.item()`");
      offerSuffix(report, expr.range, ".item()", FixIt::Safe);
      return std::nullopt;
    }
    report.note("it has an answer for each element");
    if (logical && type.dtype == DType::Bool && !isPrelude(expr.range.file))
      offerElementwise(*this, report, *logical);
    offerSuffix(report, expr.range, ".all().item()");
    offerSuffix(report, expr.range, ".any().item()");
    return std::nullopt;
  }
  Diagnostic &report = error(DiagCode::TD303, expr.range,
                             "a condition is a bool, not " + describe(val));
  if (val.is(ValKind::Int) || val.is(ValKind::Float))
    report.fix(FixIt::Safe, "`" + text(userRange(expr.range)) + " != 0`",
               {{userRange(expr.range).finish(), " != 0"}});
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

static void collectAssigned(llvm::ArrayRef<const ast::Stmt *> stmts,
                            llvm::StringSet<> &names);

static void collectAssigned(const ast::Block *block, llvm::StringSet<> &names) {
  if (block)
    collectAssigned(block->stmts, names);
}

/// Out of a loop, only a function is left.
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
    if (auto *assign = llvm::dyn_cast<ast::AssignStmt>(stmt)) {
      collectTargets(*assign->target, names);
    } else if (auto *branch = llvm::dyn_cast<ast::IfStmt>(stmt)) {
      collectAssigned(branch->thenBlock, names);
      collectAssigned(branch->elseBlock, names);
    } else if (auto *loop = llvm::dyn_cast<ast::ForStmt>(stmt)) {
      collectInLoop(loop->body, names);
    } else if (auto *loop = llvm::dyn_cast<ast::WhileStmt>(stmt)) {
      collectInLoop(loop->body, names);
    } else if (auto *with = llvm::dyn_cast<ast::WithStmt>(stmt)) {
      collectAssigned(with->body, names);
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

llvm::StringSet<> Checker::assignedNames(const ast::Block *block,
                                         const ast::Block *other) {
  llvm::StringSet<> names;
  collectAssigned(block, names);
  collectAssigned(other, names);
  return names;
}

void Checker::addAssignedNames(const Rest &rest, llvm::StringSet<> &names) {
  for (const Rest *part = &rest; part; part = part->around)
    collectAssigned(part->stmts, names);
}

Flow Checker::execIf(const ast::IfStmt &stmt, Rest &rest) {
  std::optional<Val> truth = condition(*stmt.condition);
  auto side = [&](const ast::Block *block) {
    return block ? execBlock(*block) : Flow::Next;
  };
  if (!truth) {
    // Both sides may hold further mistakes; what they assign is not known.
    ++conditionDepth;
    side(stmt.thenBlock);
    side(stmt.elseBlock);
    --conditionDepth;
    return Flow::Next;
  }
  if (truth->known) {
    const ast::Block *other = truth->truth ? stmt.elseBlock : stmt.thenBlock;
    if (other)
      useNamesIn(other->range);
    return side(truth->truth ? stmt.thenBlock : stmt.elseBlock);
  }
  at(stmt.range);
  llvm::StringSet<> assigned = assignedNames(stmt.thenBlock, stmt.elseBlock);
  if (assigned.contains(exits::kSkips))
    addAssignedNames(rest, assigned);
  return branch(
      *truth, stmt.condition->range, assigned,
      [&] { return side(stmt.thenBlock); },
      [&] { return side(stmt.elseBlock); }, &rest);
}

bool Checker::wouldBeFloat(const ast::Expr &side,
                           const ast::TypeExpr *expected) {
  if (side.kind == ast::ExprKind::Int)
    return false;
  Restore<unsigned> savedErrors(errorCount);
  bool result = false;
  walkAside([&] {
    // As where the program chooses: what is wrong may never run.
    diags = scratch;
    ++regionDepth;
    ++conditionDepth;
    result = eval(side, expected).is(ValKind::Float);
  });
  return result;
}

Val Checker::evalConditional(const ast::ConditionalExpr &expr,
                             const ast::TypeExpr *expected) {
  std::optional<Val> truth = condition(*expr.condition);
  if (!truth)
    return fail();
  if (truth->known) {
    bool isThen = truth->truth;
    useNamesIn((isThen ? expr.elseValue : expr.thenValue)->range);
    Val val = eval(isThen ? *expr.thenValue : *expr.elseValue, expected);
    // The choice has one type, whoever makes it.
    if (val.is(ValKind::Int) &&
        wouldBeFloat(isThen ? *expr.elseValue : *expr.thenValue, expected))
      val = toFloat(val);
    return val;
  }
  // Devices are chosen when the program starts: a place with two possible
  // values, and no code.
  auto isDevice = [&](const ast::Expr &side) {
    if (auto *name = llvm::dyn_cast<ast::NameExpr>(&side)) {
      if (Binding *binding = lookup(name->name))
        return binding->val.is(ValKind::Device);
      return name->name == "cpu" || name->name == "cuda" ||
             name->name == "auto" || name->name == "here";
    }
    return side.kind == ast::ExprKind::Device;
  };
  if (isDevice(*expr.thenValue) && isDevice(*expr.elseValue)) {
    ++conditionDepth;
    Val onTrue = eval(*expr.thenValue), onFalse = eval(*expr.elseValue);
    --conditionDepth;
    if (onTrue.isError() || onFalse.isError())
      return fail();
    return chooseDevice(*truth, onTrue, onFalse, expr.range);
  }
  at(expr.range);
  Val onTrue, onFalse;
  llvm::SmallVector<Value> thenLeaves, elseLeaves;
  nameAllModels();
  ModelStates before = saveModels(*this);
  size_t known = sizes.mark();
  emit().beginIf(truth->value);
  ++regionDepth;
  ++conditionDepth;
  forgetReads();
  onTrue = eval(*expr.thenValue, expected);
  if (hasLeaves(onTrue))
    appendLeaves(*this, onTrue, thenLeaves);
  // Whether the other side makes a float of an int shows when this is over.
  Val asFloat;
  if (onTrue.is(ValKind::Int) && expr.elseValue->kind != ast::ExprKind::Int)
    asFloat = makeRunTime(ValKind::Float, materialize(toFloat(onTrue)));
  emit().beginElse();
  ModelStates afterThen = saveModels(*this);
  restoreModels(*this, before);
  sizes.forgetSince(known);
  forgetReads();
  onFalse = eval(*expr.elseValue, expected);
  if (onTrue.is(ValKind::Float) && onFalse.is(ValKind::Int)) {
    onFalse = toFloat(onFalse);
  } else if (onTrue.is(ValKind::Int) && onFalse.is(ValKind::Float)) {
    onTrue = asFloat;
    thenLeaves = {asFloat.value};
  }
  Join join{expr.range, Join::Branch, &*truth};
  bool good = canMeet(*this, onTrue, onFalse, join, "the value");
  if (good)
    onFalse = goesTo(*this, onFalse, onTrue, join);
  if (hasLeaves(onFalse))
    appendLeaves(*this, onFalse, elseLeaves);
  if (good && !hasLeaves(onTrue)) {
    error(DiagCode::TD214, expr.condition->range,
          "the choice must be known when the program is compiled")
        .label("it chooses " + describe(onTrue));
    good = false;
  }
  if (!good) {
    thenLeaves.clear();
    elseLeaves.clear();
  }
  bringModels(*this, afterThen, join);
  llvm::SmallVector<Value> results = emit().endIf(thenLeaves, elseLeaves);
  --regionDepth;
  --conditionDepth;
  sizes.forgetSince(known);
  forgetReads();
  joinModels(*this, afterThen, join);
  if (!good)
    return fail();
  llvm::ArrayRef<Value> rest(results);
  return rebuild(*this, onTrue, onFalse, rest, "value");
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

/// Evaluating it cannot stop the program or take long.
static bool isHarmless(const ast::Expr &expr) {
  using namespace ast;
  if (auto *compare = llvm::dyn_cast<CompareExpr>(&expr))
    return isHarmless(*compare->lhs) && isHarmless(*compare->rhs);
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(&expr))
    return isHarmless(*unary->operand);
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(&expr))
    return binary->op != BinaryOp::Div && binary->op != BinaryOp::FloorDiv &&
           binary->op != BinaryOp::Mod && binary->op != BinaryOp::Pow &&
           isHarmless(*binary->lhs) && isHarmless(*binary->rhs);
  return isConstantExpr(expr);
}

Val Checker::evalLogical(const ast::BinaryExpr &expr) {
  bool isAnd = expr.op == ast::BinaryOp::And;
  std::optional<Val> lhs = condition(*expr.lhs, &expr);
  if (!lhs)
    return fail();
  if (lhs->known) {
    if (lhs->truth != isAnd) {
      useNamesIn(expr.rhs->range);
      return *lhs;
    }
    std::optional<Val> rhs = condition(*expr.rhs, &expr);
    return rhs ? *rhs : fail();
  }
  HostOp op = isAnd ? HostOp::And : HostOp::Or;
  if (isHarmless(*expr.rhs)) {
    std::optional<Val> rhs = condition(*expr.rhs, &expr);
    at(expr.range);
    if (!rhs)
      return fail();
    return ofBoth(isAnd, *lhs, *rhs,
                  emit().host(op, {lhs->value, materialize(*rhs)}));
  }
  // The right side is evaluated only when it matters.
  at(expr.range);
  std::optional<Val> rhs;
  auto left = [&] { return emit().constantBool(!isAnd); };
  auto right = [&] {
    rhs = condition(*expr.rhs, &expr);
    return rhs ? materialize(*rhs) : emit().constantBool(false);
  };
  Value result = isAnd ? chooseBool(lhs->value, right, left)
                       : chooseBool(lhs->value, left, right);
  return rhs ? ofBoth(isAnd, *lhs, *rhs, result) : fail();
}

Value Checker::chooseBool(Value condition, llvm::function_ref<Value()> onTrue,
                          llvm::function_ref<Value()> onFalse) {
  emit().beginIf(condition);
  ++regionDepth;
  ++conditionDepth;
  forgetReads();
  size_t known = sizes.mark();
  Value thenValue = onTrue();
  emit().beginElse();
  sizes.forgetSince(known);
  forgetReads();
  Value elseValue = onFalse();
  llvm::SmallVector<Value> results = emit().endIf({thenValue}, {elseValue});
  --regionDepth;
  --conditionDepth;
  sizes.forgetSince(known);
  forgetReads();
  return results[0];
}
